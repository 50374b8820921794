/** Splits an answer from the reasoning that some models write into it. Reference: providers-and-collections.md, "Honesty rules". */
import { escaped } from "../../../values/pattern-text.ts"

export interface SplitAnswer {
  readonly text: string
  readonly reasoning?: string
}

/** how model families mark what is not yet the answer: opening and closing mark */
const MARKS: ReadonlyArray<readonly [open: string, close: string]> = [
  ["<think>", "</think>"],
  ["<thinking>", "</thinking>"],
  ["<thought>", "</thought>"],
  ["<reasoning>", "</reasoning>"],
  ["<seed:think>", "</seed:think>"],
  ["[THINK]", "[/THINK]"],
  ["◁think▷", "◁/think▷"],
  ["<|begin_of_thought|>", "<|end_of_thought|>"],
  ["<|START_THINKING|>", "<|END_THINKING|>"],
  ["<unused94>", "<unused95>"],
  ["[unused16]", "[unused17]"]
]

/** every mark begins with one of these */
const MARK_BEGINS = /[<[◁]/

const PATTERNS = MARKS.map(([open, close]) => {
  const [from, to] = [escaped(open), escaped(close)]
  return {
    closed: new RegExp(`${from}([\\s\\S]*?)${to}\\s*`, "gi"),
    /** the prompt template has already written the opening mark */
    headless: new RegExp(`^([\\s\\S]*)${to}\\s*`, "i"),
    /** the answer was cut before the thought ended */
    open: new RegExp(`${from}([\\s\\S]*)$`, "i")
  }
})

const HARMONY =
  /<\|channel\|>\s*(\w+)([^<]*)(?:<\|constrain\|>[^<]*)?<\|message\|>([\s\S]*?)(?:<\|(?:end|return)\|>|(?=<\|(?:call|start|channel)\|>)|$)/g

/**
 * Messages on channels: `final` is the answer, `analysis` and remarks are reasoning, a call of a tool stays as it is. Servers that drop
 * special tokens leave `analysis…assistantfinal…`.
 */
const splitChannels = (raw: string, take: (part: string) => string): string => {
  if (raw.includes("<|channel|>")) {
    const finals: Array<string> = []
    for (const [whole, channel, to = "", body = ""] of raw.matchAll(HARMONY)) {
      if (channel === "final") finals.push(body)
      else if (/\bto=/.test(to)) finals.push(whole)
      else take(body)
    }
    return finals.join("\n")
  }
  const dropped = /^\s*analysis([\s\S]*?)(?:assistant\s*final|<\|final\|>)([\s\S]*)$/.exec(raw)
  if (dropped !== null) {
    take(dropped[1] ?? "")
    return dropped[2] ?? ""
  }
  return /^\s*analysis(?=[A-Z])/.test(raw) ? take(raw.replace(/^\s*analysis/, "")) : raw
}

/** what some families put around the answer behind the thought */
const ANSWER_FRAME = /<\|(?:begin_of_solution|end_of_solution|START_RESPONSE|END_RESPONSE)\|>/g

/**
 * Blocks of thought become reasoning, also one that was never closed (the answer was cut) and one whose opening mark the prompt template
 * already wrote. `separate` is the endpoint's own reasoning member.
 */
export const splitReasoning = (raw: string, separate: string | undefined): SplitAnswer => {
  const parts: Array<string> = separate === undefined || separate === "" ? [] : [separate]
  const take = (part: string | undefined) => {
    if (part !== undefined && part.trim() !== "") parts.push(part.trim())
    return ""
  }
  let text = splitChannels(raw, take)
  for (const { closed, headless, open } of MARK_BEGINS.test(text) ? PATTERNS : []) {
    text = text
      .replace(closed, (_, part: string) => take(part))
      .replace(headless, (_, part: string) => take(part))
      .replace(open, (_, part: string) => take(part))
  }
  text = text.replace(ANSWER_FRAME, "")
  if (parts.length > 0) return { text: text.trim(), reasoning: parts.join("\n") }
  return { text: text === raw ? raw : text.trim() }
}
