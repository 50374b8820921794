/** A streamed chat answer, put together chunk by chunk with the arrival times of its content. Definitions: providers 5.2. */
import { Either } from "effect"
import { defined } from "../../../values/defined.ts"
import { listMember, member, numberMember, parseJson, textMember } from "../../../values/json.ts"
import { AdapterError } from "../adapter.ts"
import type { Reply } from "../http/http-exchange.ts"
import { errorTextOf, fromStatus } from "./endpoint-error.ts"
import type { Answer, ChatMessage, StreamedAnswer } from "./model-exchange.ts"
import {
  contentOf,
  placeOf,
  promptText,
  type ReadAnswer,
  readChatLogprobs,
  readUsage,
  reasoningText,
  servedBy
} from "./model-wire.ts"
import { splitReasoning } from "./reasoning.ts"
import { makeSseReader } from "./sse-reader.ts"

export type ReadStream = ReadAnswer & Pick<StreamedAnswer, "firstContentAtMs" | "lastContentAtMs" | "chunks">

/** tool calls come in pieces, told apart by their index */
const makeCalls = () => {
  const calls = new Map<number, { readonly id: string; readonly name: string; readonly arguments: string }>()
  return {
    add: (call: unknown, at: number) => {
      const index = numberMember(call, "index") ?? at
      const known = calls.get(index) ?? { id: "", name: "", arguments: "" }
      const called = member(call, "function")
      const piece = member(called, "arguments")
      calls.set(index, {
        id: known.id || (textMember(call, "id") ?? ""),
        name: known.name + (textMember(called, "name") ?? ""),
        arguments:
          known.arguments +
          (typeof piece === "string" ? piece : piece === undefined || piece === null ? "" : JSON.stringify(piece))
      })
    },
    all: () =>
      [...calls.entries()].sort(([a], [b]) => a - b).map(([at, call]) => ({ ...call, id: call.id || `call_${at}` }))
  }
}

const broken = (message: string, retryable: boolean) =>
  new AdapterError({ code: "model_server_error", message, retryable })

interface StreamedChoice {
  content: string
  reasoning: string
  finishReason: string | undefined
  readonly calls: ReturnType<typeof makeCalls>
  readonly logprobs: Array<NonNullable<Answer["logprobs"]>[number]>
}

/** the pieces of each choice: an endpoint may give several where one was asked for, by turns */
const makeChoices = () => {
  const known = new Map<number, StreamedChoice>()
  const emptyChoice = (): StreamedChoice => ({
    ...{ content: "", reasoning: "", finishReason: undefined },
    ...{ calls: makeCalls(), logprobs: [] }
  })
  const addTo = (one: StreamedChoice, choice: unknown): boolean => {
    const delta = member(choice, "delta")
    const text = contentOf(delta)
    const thought = reasoningText(delta) ?? ""
    one.content += text
    one.reasoning += thought
    for (const [at, call] of listMember(delta, "tool_calls").entries()) one.calls.add(call, at)
    one.logprobs.push(...(readChatLogprobs(choice) ?? []))
    one.finishReason = textMember(choice, "finish_reason") ?? one.finishReason
    return text !== "" || thought !== ""
  }
  const leastPlace = (): number => Math.min(...known.keys())
  return {
    /** whether the choice that was asked for goes on with a text */
    add: (choices: ReadonlyArray<unknown>): boolean =>
      choices
        .map((choice, at) => {
          const place = placeOf(choice, at)
          const one = known.get(place) ?? emptyChoice()
          known.set(place, one)
          return addTo(one, choice) && place === leastPlace()
        })
        .includes(true),
    first: (): StreamedChoice => known.get(leastPlace()) ?? emptyChoice()
  }
}

/** an error that came as a chunk, as if it were the answer's status */
const errorIn = (chunk: unknown, data: string, address: string): AdapterError => {
  const code = numberMember(member(chunk, "error"), "code")
  return fromStatus(code !== undefined && code >= 400 && code < 600 ? code : 500, data, `${address} (within a stream)`)
}

export const makeStreamCollector = (
  messages: ReadonlyArray<ChatMessage>,
  address: string,
  onContent?: (atMs: number) => void
) => {
  let usage: unknown
  let id: string | undefined
  let served: ReturnType<typeof servedBy> = {}
  let error: AdapterError | undefined
  let done = false
  let chunks = 0
  let firstContentAtMs: number | undefined
  let lastContentAtMs: number | undefined
  const choices = makeChoices()

  const reader = makeSseReader((data, atMs) => {
    if (data.trim() === "[DONE]") {
      done = true
      return
    }
    const chunk = parseJson(data)
    if (chunk === undefined) {
      error ??= broken(
        `The model endpoint ${address} sent a stream chunk that is no JSON: ${errorTextOf(data).text}`,
        false
      )
      return
    }
    if ((member(chunk, "error") ?? null) !== null) {
      error ??= errorIn(chunk, data, address)
      return
    }
    id ??= textMember(chunk, "id")
    served = { ...servedBy(chunk), ...served }
    usage = member(chunk, "usage") ?? usage
    const hasText = choices.add(listMember(chunk, "choices"))
    if (!hasText) return
    chunks++
    onContent?.(atMs)
    firstContentAtMs ??= atMs
    lastContentAtMs = atMs
  })

  const read = (reply: Reply): Either.Either<ReadStream, AdapterError> => {
    reader.end(reply.endedAtMs)
    if (error !== undefined) return Either.left(error)
    const { content, reasoning, finishReason, calls, logprobs } = choices.first()
    if (!done && finishReason === undefined)
      return Either.left(broken(`The model endpoint ${address} ended its stream before the answer was complete.`, true))
    const toolCalls = calls.all()
    const header = reply.headers["x-request-id"]
    const requestId = typeof header === "string" ? header : id
    const written = [reasoning, content, ...toolCalls.map((call) => call.name + call.arguments)].join("")
    return Either.right({
      ...splitReasoning(content, reasoning),
      toolCalls,
      tokens: readUsage(usage, promptText(messages), written),
      chunks,
      ...served,
      ...defined({ firstContentAtMs, lastContentAtMs, finishReason, requestId }),
      ...(logprobs.length === 0 ? {} : { logprobs })
    })
  }
  return { push: reader.push, read }
}
