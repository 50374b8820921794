/** Whether an answer is complete, so that it may stand for the next one to the same question. Reference: reruns.md, "What is kept". */
import { isObject, listMember, member, parseJson } from "../../../values/json.ts"

const complete: ReadonlySet<unknown> = new Set(["stop", "tool_calls", "function_call"])

const choicesOf = (body: unknown) => (isObject(body) && !isObject(body["error"]) ? listMember(body, "choices") : [])

const finishes = (choices: ReadonlyArray<unknown>): ReadonlyMap<unknown, unknown> =>
  new Map(
    choices.flatMap((choice) => {
      const reason = member(choice, "finish_reason")
      return [[member(choice, "index") ?? 0, reason] as const]
    })
  )

/** of a stream: the last reason of each choice, and nothing when it breaks off or tells of an error */
const streamed = (text: string): ReadonlyMap<unknown, unknown> => {
  const last = new Map<unknown, unknown>()
  let done = false
  for (const line of text.split(/\r?\n/)) {
    if (!line.startsWith("data:")) continue
    const data = line.slice(5).trim()
    if (data === "[DONE]") done = true
    const body = data === "" || data === "[DONE]" ? undefined : parseJson(data)
    if (isObject(body) && isObject(body["error"])) return new Map()
    for (const [index, reason] of finishes(choicesOf(body))) {
      if (typeof reason === "string" || !last.has(index)) last.set(index, reason)
    }
  }
  return done ? last : new Map()
}

/** every choice came to its own end; `cutIsComplete`: one that ended at its limit did too */
export const isComplete = (contentType: string, text: string, cutIsComplete: boolean): boolean => {
  const reasons = contentType.startsWith("text/event-stream") ? streamed(text) : finishes(choicesOf(parseJson(text)))
  return (
    reasons.size > 0 &&
    [...reasons.values()].every((reason) => complete.has(reason) || (cutIsComplete && reason === "length"))
  )
}
