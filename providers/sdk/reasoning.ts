/** Splits an answer from the reasoning that some models write into it. Reference: providers-and-collections.md, "Honesty rules". */

export interface SplitAnswer {
  readonly text: string
  readonly reasoning?: string
}

/**
 * `<think>` blocks become reasoning, also one that was never closed (the answer was cut) and one whose opening tag the prompt template
 * already wrote. `separate` is the endpoint's own reasoning member.
 */
export const splitReasoning = (raw: string, separate: string | undefined): SplitAnswer => {
  const parts: Array<string> = separate === undefined || separate === "" ? [] : [separate]
  const take = (part: string) => {
    if (part.trim() !== "") parts.push(part.trim())
    return ""
  }
  const closed = raw.replace(/<think>([\s\S]*?)<\/think>\s*/g, (_, part: string) => take(part))
  const headless = closed.replace(/^([\s\S]*)<\/think>\s*/, (_, part: string) => take(part))
  const text = headless.replace(/<think>([\s\S]*)$/, (_, part: string) => take(part))
  if (parts.length > 0) return { text: text.trim(), reasoning: parts.join("\n") }
  return { text: text === raw ? raw : text.trim() }
}
