/**
 * Reads one exchange with a model as the bytes that went by: what was asked for, and whether an answer came back. Lenient in every member,
 * because servers differ; what cannot be read is said to be so. Nothing read here leaves as text. Reference: validity.md, "What the gateway sees".
 */
import { isBlank } from "../../../values/clean-text.ts"
import { isWebPage } from "../../../values/http/web-page.ts"
import { isObject, listMember, member, numberMember, parseJson } from "../../../values/json.ts"
import { valueHash } from "./value-hash.ts"

/** a request for generated text */
export interface Question {
  /** hash of messages or prompt, tools and answer format */
  readonly key: number
  readonly model: string
  /** of all texts, in bytes */
  readonly textBytes: number
  /** text of the last message, or the prompt */
  readonly lastText: string
  readonly temperature: number | undefined
  readonly seed: number | undefined
  /** most tokens that may be generated */
  readonly limit: number | undefined
  /** how many answers to it at once */
  readonly choices: number
  /** a text to be continued by a few tokens: it ends at its limit as a rule */
  readonly isSnippet: boolean
}

export interface AnswerSeen {
  /** `empty`: nothing was said; `cut`: nothing but unfinished reasoning; `error_body`, `page`: no answer although the status says so */
  readonly outcome: "answered" | "empty" | "cut" | "filtered" | "error_body" | "page"
  readonly text: string
  readonly textBytes: number
  readonly model: string | undefined
  readonly fingerprint: string | undefined
  readonly id: string | undefined
  readonly promptTokens: number | undefined
  readonly completionTokens: number | undefined
  /** not part of what was sent */
  readonly reasoningTokens: number
  /** spent on thinking: as reported, else by the share of the text that is thought; 0 when nothing tells */
  readonly thoughtTokens: number
  /** parts with text in a stream; undefined when it was none */
  readonly chunks: number | undefined
  /** how many were given at once; the first of them is read */
  readonly choices: number
  /** of a stream: whether it says that it is over, by a reason or by the mark of its end; undefined when it was none */
  readonly isEnded?: boolean
}

const textOf = (value: unknown): string | undefined => (typeof value === "string" && value !== "" ? value : undefined)
/** a text, a part with a text, or a list of them */
const written = (value: unknown): string => {
  if (typeof value === "string") return value
  if (Array.isArray(value)) return value.map(written).join("")
  return textOf(member(value, "text")) ?? ""
}

const snippetTokens = 16

/** a number: so many prompts for something else than generated text (log-likelihoods, echoes, answers of one token), or a body that cannot be read (0) */
export const readQuestion = (body: string): Question | number => {
  const request = parseJson(body)
  if (!isObject(request)) return 0
  const { messages, prompt, tools, response_format: format, model } = request
  const limit = numberMember(request, "max_completion_tokens") ?? numberMember(request, "max_tokens")
  const short = request["echo"] === true || (limit !== undefined && limit <= 1)
  if (short || (!Array.isArray(messages) && typeof prompt !== "string"))
    return Array.isArray(prompt) && typeof prompt[0] !== "number" ? prompt.length : 1
  const texts = Array.isArray(messages)
    ? messages.map((message) => written(member(message, "content")))
    : [String(prompt)]
  return {
    key: valueHash(Array.isArray(messages) ? { messages, tools, response_format: format } : { prompt }),
    model: textOf(model) ?? "",
    textBytes: texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0),
    lastText: texts.at(-1) ?? "",
    temperature: numberMember(request, "temperature"),
    seed: numberMember(request, "seed"),
    limit,
    choices: Math.max(1, numberMember(request, "n") ?? 1),
    isSnippet: !Array.isArray(messages) && limit !== undefined && limit <= snippetTokens
  }
}

interface Said {
  readonly content: string
  readonly reasoning: string
  /** tool calls or a refusal in a member of its own */
  readonly other: string
}

const thoughtMembers = ["reasoning_content", "reasoning", "thinking"]
const isThought = (part: unknown): boolean =>
  /^(thinking|reasoning|redacted_thinking)/.test(textOf(member(part, "type")) ?? "")

/** reasoning in a member of its own */
const thoughtIn = (message: unknown): string => {
  for (const name of thoughtMembers) {
    const text = written(member(message, name))
    if (text !== "") return text
  }
  return ""
}

/** tool calls or a refusal */
const otherIn = (message: unknown): string => {
  const calls = [...listMember(message, "tool_calls"), member(message, "function_call")].filter(isObject)
  return written(member(message, "refusal")) + (calls.length === 0 ? "" : JSON.stringify(calls))
}

/** of a message, of the change of a message, or of a choice of the older kind of completions */
const saidIn = (message: unknown): Said => {
  const content = member(message, "content") ?? member(message, "text")
  const reasoning = thoughtIn(message)
  const other = otherIn(message)
  if (typeof content === "string") return { content, reasoning, other }
  const parts = Array.isArray(content) ? content : [content]
  const thoughts = parts.filter(isThought).map((part) => written(part) || written(member(part, "thinking")))
  return {
    content: written(parts.filter((part) => !isThought(part))),
    reasoning: reasoning === "" ? thoughts.join("") : reasoning,
    other
  }
}

const joined = (all: ReadonlyArray<Said>): Said => ({
  content: all.map(({ content }) => content).join(""),
  reasoning: all.map(({ reasoning }) => reasoning).join(""),
  other: all.map(({ other }) => other).join("")
})

const filterReasons = new Set(["content_filter", "content_filtered", "safety", "SAFETY", "blocked"])
const limitReasons = new Set(["length", "max_tokens", "MAX_TOKENS"])
/** reasoning that is written into the answer and never ends */
const unfinishedThought =
  /^\s*(<(think|thinking|thought|reasoning)>|\[THINK\]|◁think▷)(?![\s\S]*(<\/(think|thinking|thought|reasoning)>|\[\/THINK\]|◁\/think▷))/i

/** thinking that is written into the answer, ended or not */
const writtenThought =
  /^\s*(?:<(think|thinking|thought|reasoning)>[\s\S]*?(?:<\/\1>|$)|\[THINK\][\s\S]*?(?:\[\/THINK\]|$)|◁think▷[\s\S]*?(?:◁\/think▷|$))/i

const thoughtOf = ({ content, reasoning }: Said, reported: number, completion: number | undefined): number => {
  if (reported > 0 || completion === undefined) return reported
  const thought = Buffer.byteLength(reasoning) + Buffer.byteLength(writtenThought.exec(content)?.[0] ?? "")
  return thought === 0 ? 0 : (completion * thought) / (Buffer.byteLength(reasoning) + Buffer.byteLength(content))
}

const outcomeOf = ({ content, reasoning, other }: Said, finish: string | undefined): AnswerSeen["outcome"] => {
  if (finish !== undefined && filterReasons.has(finish)) return "filtered"
  const answered = !isBlank(content) && !unfinishedThought.test(content)
  if (answered || other !== "") return "answered"
  if (finish !== undefined && limitReasons.has(finish)) return "cut"
  return isBlank(content) && isBlank(reasoning) ? "empty" : "answered"
}

/** some endpoints count what comes out of their cache beside the rest, so that it may be more */
const promptTokensOf = (usage: unknown): number | undefined => {
  const prompt = numberMember(usage, "prompt_tokens")
  const cached =
    numberMember(member(usage, "prompt_tokens_details"), "cached_tokens") ??
    numberMember(usage, "cache_read_input_tokens") ??
    0
  return prompt === undefined || cached <= prompt ? prompt : prompt + cached
}

const firstText = (bodies: ReadonlyArray<unknown>, name: string): string | undefined => {
  for (const body of bodies) {
    const text = textOf(member(body, name))
    if (text !== undefined) return text
  }
  return undefined
}

const seen = (
  said: Said,
  finish: string | undefined,
  bodies: ReadonlyArray<unknown>,
  { chunks, choices = 1 }: { readonly chunks?: number; readonly choices?: number } = {}
): AnswerSeen => {
  const usage = member(
    bodies.findLast((body) => isObject(member(body, "usage"))),
    "usage"
  )
  const details = member(usage, "completion_tokens_details")
  const text = said.content + said.other
  const completionTokens = numberMember(usage, "completion_tokens")
  const reasoningTokens = numberMember(details, "reasoning_tokens") ?? 0
  return {
    outcome: outcomeOf(said, finish),
    text,
    textBytes: Buffer.byteLength(text) + Buffer.byteLength(said.reasoning),
    model: firstText(bodies, "model"),
    fingerprint: firstText(bodies, "system_fingerprint"),
    id: firstText(bodies, "id"),
    promptTokens: promptTokensOf(usage),
    completionTokens,
    reasoningTokens,
    thoughtTokens: thoughtOf(said, reasoningTokens, completionTokens),
    chunks,
    choices
  }
}

const nothingSaid: Said = { content: "", reasoning: "", other: "" }
const errorBody = (bodies: ReadonlyArray<unknown>, outcome: "error_body" | "page" = "error_body"): AnswerSeen => ({
  ...seen(nothingSaid, undefined, bodies),
  outcome
})

const placeOf = (choice: unknown): number => numberMember(choice, "index") ?? 0

const readWhole = (text: string): AnswerSeen => {
  const body = parseJson(text)
  const choices = listMember(body, "choices")
  const choice = choices.length > 1 ? choices.toSorted((a, b) => placeOf(a) - placeOf(b))[0] : choices[0]
  if (!isObject(choice)) return errorBody([body], isWebPage(text) ? "page" : "error_body")
  const finish = textOf(member(choice, "finish_reason"))
  return seen(saidIn(member(choice, "message") ?? choice), finish, [body], { choices: choices.length })
}

const readStream = (text: string): AnswerSeen => {
  const events = text.split(/\r?\n/).flatMap((line) => {
    const data = line.startsWith("data:") ? line.slice(5).trim() : ""
    const event = data === "" || data === "[DONE]" ? undefined : parseJson(data)
    return isObject(event) ? [event] : []
  })
  const all = events.flatMap((event) => listMember(event, "choices")).filter(isObject)
  const first = all.reduce((least, choice) => Math.min(least, placeOf(choice)), Number.POSITIVE_INFINITY)
  const choices = all.filter((choice) => placeOf(choice) === first)
  if (choices.length === 0 || events.some((event) => isObject(member(event, "error")))) return errorBody(events)
  const parts = choices.map((choice) => saidIn(member(choice, "delta") ?? member(choice, "message") ?? choice))
  const finish = choices
    .map((choice) => textOf(member(choice, "finish_reason")))
    .findLast((reason) => reason !== undefined)
  const chunks = parts.filter(({ content, reasoning, other }) => content + reasoning + other !== "").length
  const isEnded = finish !== undefined || /^data: ?\[DONE\]/m.test(text)
  return { ...seen(joined(parts), finish, events, { chunks, choices: new Set(all.map(placeOf)).size }), isEnded }
}

/** the body of a 2xx answer */
export const readAnswer = (contentType: string, text: string): AnswerSeen =>
  contentType.startsWith("text/event-stream") ? readStream(text) : readWhole(text)

/** an error status that is the work of a filter of the endpoint */
export const isFilterRefusal = (status: number, text: string): boolean =>
  status === 400 && /content_filter|content_policy|ResponsibleAIPolicyViolation|responsible_ai/i.test(text)
