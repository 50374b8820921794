/** Sends the requests of one measurement, in a closed loop (a fixed number of streams) or an open one (a schedule that waits for nobody). */
import { Cause, Effect, Exit, FiberSet, Option } from "effect"
import { isBlank } from "../../../values/clean-text.ts"
import { defined } from "../../../values/defined.ts"
import type { AdapterError } from "../../sdk/adapter.ts"
import type { StreamedAnswer } from "../../sdk/model/model-exchange.ts"
import { estimateTokens } from "../../sdk/model/token-estimate.ts"
import { type Arrived, makeArrivals } from "./arrivals.ts"
import type { LoadClock } from "./load-clock.ts"
import type { FinishedRequest, LoadRequest, LoadRun } from "./timeline.ts"

export type LoadShape =
  | { readonly _tag: "Closed"; readonly streams: number }
  /** due times in milliseconds after the start */
  | { readonly _tag: "Open"; readonly due: ReadonlyArray<number> }

export interface LoadPlan {
  readonly shape: LoadShape
  readonly durationMs: number
  readonly warmupMs: number
  readonly cooldownMs: number
  readonly maxRequests: number
  /** the limit of tokens of each answer */
  readonly outputTokens: number
}

/** a stream whose request failed rests, so that a dead endpoint is not hammered */
const REST_AFTER_ERROR_MS = 100

/** makes the n-th request of the run, to be sent when the effect is run; `onContent` is told of every piece that arrives */
export type AskLoad = (index: number, onContent: (atMs: number) => void) => Effect.Effect<StreamedAnswer, AdapterError>

/** a request of an open loop is made so long before it is due, since what making it takes is not the model's time: enough for a hundred thousand tokens */
const MADE_AHEAD_MS = 50

/** an answer of several tokens in a single piece was not streamed: its first content says nothing about the first token */
const streamed = (answer: StreamedAnswer): boolean => answer.chunks > 1 || answer.tokens.completion <= 1

/** a few tokens are no text: begin and end of an answer */
const UNSEEN_TOKENS = 8

/** of our estimate: no script and no vocabulary needs fewer */
const LEAST_SHARE = 1 / 8

/**
 * Undefined when the tokens that the endpoint counts can be; else how many we count. More than the limit, or than twice what came, cannot be,
 * and neither can a fraction of what the text needs. A piece may hold several tokens or a part of one, so the text counts too; what was thought
 * in secret counts as the endpoint says.
 */
const countedByUs = ({ tokens, chunks, text, reasoning }: StreamedAnswer, limit: number): number | undefined => {
  const { completion, estimated } = tokens
  if (estimated) return undefined
  const written = estimateTokens(`${reasoning ?? ""}${text}`)
  const seen = Math.max(chunks > 1 ? chunks : 0, written)
  const most = 2 * seen + (tokens.reasoning ?? 0) + UNSEEN_TOKENS
  const least = LEAST_SHARE * (written - UNSEEN_TOKENS) - (tokens.reasoning ?? 0)
  return completion >= Math.max(0, least) && completion <= limit && completion <= most
    ? undefined
    : Math.min(limit, chunks > 1 ? chunks : seen)
}

const saidOf = ({
  servedModel,
  systemFingerprint,
  finishReason,
  requestId,
  parameters,
  tokens
}: StreamedAnswer): NonNullable<FinishedRequest["said"]> => ({
  tokens,
  ...defined({ servedModel, systemFingerprint, finishReason, requestId, parameters })
})

/** what is thought in secret takes its time too */
const isSilent = ({ text, reasoning, toolCalls, tokens }: StreamedAnswer): boolean =>
  isBlank(`${reasoning ?? ""}${text}`) && toolCalls.length === 0 && (tokens.reasoning ?? 0) === 0

const finished = (answer: StreamedAnswer, startMs: number, limit: number): FinishedRequest => ({
  outcome: "successful",
  startMs,
  endMs: answer.endedAtMs,
  ...(streamed(answer) && answer.firstContentAtMs !== undefined ? { firstContentMs: answer.firstContentAtMs } : {}),
  ...(streamed(answer) && answer.lastContentAtMs !== undefined ? { lastContentMs: answer.lastContentAtMs } : {}),
  promptTokens: answer.tokens.prompt,
  outputTokens: countedByUs(answer, limit) ?? answer.tokens.completion,
  ...(countedByUs(answer, limit) === undefined ? {} : { claimedTokens: answer.tokens.completion }),
  estimated: answer.tokens.estimated,
  retries: answer.retries,
  said: saidOf(answer),
  ...(isSilent(answer) ? { silent: true } : {})
})

interface Sent {
  readonly startMs: number
  readonly dueMs: number | undefined
  /** when its pieces arrived, those of failed tries among them */
  readonly times: ReadonlyArray<number>
}

const recordOf = (
  exit: Exit.Exit<StreamedAnswer, AdapterError>,
  { startMs, dueMs, times }: Sent,
  nowMs: number,
  limit: number
): LoadRequest => {
  if (Exit.isSuccess(exit)) {
    // a repeated request began when it was first tried
    return finished(exit.value, dueMs ?? (exit.value.retries > 0 ? startMs : exit.value.startedAtMs), limit)
  }
  const from = dueMs ?? startMs
  const [first] = times
  const failure = Cause.failureOption(exit.cause)
  return Option.isSome(failure)
    ? { outcome: "errored", startMs: from, endMs: nowMs, code: failure.value.code, message: failure.value.message }
    : { outcome: "incomplete", startMs: from, endMs: nowMs, ...defined({ firstContentMs: first }) }
}

/** evenly from the first to the last, where the pieces themselves were not seen */
const spread = (first: number, last: number, count: number): ReadonlyArray<number> =>
  Array.from({ length: count }, (_, at) => (count === 1 ? last : first + ((last - first) * at) / (count - 1)))

const arrivedOf = (
  exit: Exit.Exit<StreamedAnswer, AdapterError>,
  record: LoadRequest,
  times: ReadonlyArray<number>
): Arrived => {
  if (record.outcome !== "successful" || Exit.isFailure(exit))
    return { times: record.outcome === "incomplete" ? times : [], tokens: undefined }
  const { firstContentMs, lastContentMs, endMs, outputTokens } = record
  const { chunks } = exit.value
  if (firstContentMs === undefined || lastContentMs === undefined || chunks === 0)
    return { times: [endMs], tokens: outputTokens }
  return {
    times: times.length >= chunks ? times.slice(-chunks) : spread(firstContentMs, lastContentMs, chunks),
    tokens: outputTokens
  }
}

/** runs the plan to its end; requests still under way then are broken off and recorded as incomplete */
export const driveLoad = (
  plan: LoadPlan,
  ask: AskLoad,
  clock: LoadClock,
  onEnded: Effect.Effect<void>
): Effect.Effect<LoadRun> =>
  Effect.gen(function* () {
    const requests: Array<LoadRequest> = []
    let sent = 0
    const startedAtMs = yield* clock.now
    const arrivals = makeArrivals(startedAtMs, plan.durationMs)

    /** the request is made when this returns, and sent when the effect is run */
    const one = (index: number, dueMs: number | undefined) => {
      const times: Array<number> = []
      const asking = ask(index, (atMs) => times.push(atMs))
      return Effect.flatMap(clock.now, (startMs) => {
        const ended = (exit: Exit.Exit<StreamedAnswer, AdapterError>) =>
          Effect.map(clock.now, (nowMs) => {
            const record = { ...recordOf(exit, { startMs, dueMs, times }, nowMs, plan.outputTokens), index }
            requests.push(record)
            arrivals.add(arrivedOf(exit, record, times))
          })
        return asking.pipe(
          Effect.onExit(ended),
          Effect.as(true),
          Effect.orElseSucceed(() => false),
          Effect.zipLeft(onEnded)
        )
      })
    }

    const nextOfStream = Effect.suspend(() => one(sent++, undefined)).pipe(
      Effect.flatMap((answered) => (answered ? Effect.void : Effect.sleep(REST_AFTER_ERROR_MS)))
    )

    const stream = Effect.whileLoop({
      while: () => sent < plan.maxRequests,
      body: () => nextOfStream,
      step: () => undefined
    })

    const open = (due: ReadonlyArray<number>) =>
      Effect.gen(function* () {
        const fibers = yield* FiberSet.make<boolean>()
        for (const [index, offset] of due.entries()) {
          const dueMs = startedAtMs + offset
          yield* clock.until(dueMs - MADE_AHEAD_MS)
          const request = one(index, dueMs)
          const isDue = Effect.map(clock.until(dueMs), () => sent++)
          yield* FiberSet.run(fibers, Effect.zipRight(isDue, request))
        }
        // a schedule that was not cut short lasts to the planned end, also when its last answer is there before
        yield* due.length < plan.maxRequests ? Effect.never : FiberSet.awaitEmpty(fibers)
      }).pipe(Effect.scoped)

    const { shape } = plan
    const load =
      shape._tag === "Closed"
        ? Effect.all(
            Array.from({ length: shape.streams }, () => stream),
            { concurrency: "unbounded", discard: true }
          )
        : open(shape.due)
    yield* Effect.timeoutOption(load, plan.durationMs)
    const endedAtMs = Math.min(yield* clock.now, startedAtMs + plan.durationMs)
    const loop =
      shape._tag === "Closed" ? ({ loop: "closed", streams: shape.streams } as const) : ({ loop: "open" } as const)
    return {
      requests,
      arrivals,
      ...loop,
      startedAtMs,
      endedAtMs,
      sent,
      due: shape._tag === "Closed" ? sent : shape.due.length
    }
  })
