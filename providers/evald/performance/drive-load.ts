/** Sends the requests of one measurement, in a closed loop (a fixed number of streams) or an open one (a schedule that waits for nobody). */
import { Cause, Effect, Exit, FiberSet, Option } from "effect"
import type { AdapterError } from "../../sdk/adapter.ts"
import type { StreamedAnswer } from "../../sdk/model/model-exchange.ts"
import type { LoadClock } from "./load-clock.ts"
import type { LoadRequest, LoadRun } from "./timeline.ts"

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
}

/** a stream whose request failed rests, so that a dead endpoint is not hammered */
const REST_AFTER_ERROR_MS = 100

/** asks the n-th request of the run */
export type AskLoad = (index: number) => Effect.Effect<StreamedAnswer, AdapterError>

/** an answer of several tokens in a single piece was not streamed: its first content says nothing about the first token */
const streamed = (answer: StreamedAnswer): boolean => answer.chunks > 1 || answer.tokens.completion <= 1

const finished = (answer: StreamedAnswer, startMs: number): LoadRequest => ({
  outcome: "successful",
  startMs,
  endMs: answer.endedAtMs,
  ...(streamed(answer) && answer.firstContentAtMs !== undefined ? { firstContentMs: answer.firstContentAtMs } : {}),
  ...(streamed(answer) && answer.lastContentAtMs !== undefined ? { lastContentMs: answer.lastContentAtMs } : {}),
  promptTokens: answer.tokens.prompt,
  outputTokens: answer.tokens.completion,
  estimated: answer.tokens.estimated,
  retries: answer.retries
})

const recordOf = (exit: Exit.Exit<StreamedAnswer, AdapterError>, startMs: number, dueMs: number | undefined, nowMs: number): LoadRequest => {
  if (Exit.isSuccess(exit)) {
    // a repeated request began when it was first tried
    return finished(exit.value, dueMs ?? (exit.value.retries > 0 ? startMs : exit.value.startedAtMs))
  }
  const from = dueMs ?? startMs
  const failure = Cause.failureOption(exit.cause)
  return Option.isSome(failure)
    ? { outcome: "errored", startMs: from, endMs: nowMs, code: failure.value.code, message: failure.value.message }
    : { outcome: "incomplete", startMs: from, endMs: nowMs }
}

/** runs the plan to its end; requests still under way then are broken off and recorded as incomplete */
export const driveLoad = (plan: LoadPlan, ask: AskLoad, clock: LoadClock, onEnded: Effect.Effect<void>): Effect.Effect<LoadRun> =>
  Effect.gen(function* () {
    const requests: Array<LoadRequest> = []
    let sent = 0
    const startedAtMs = yield* clock.now

    const one = (index: number, dueMs: number | undefined) =>
      Effect.flatMap(clock.now, (startMs) =>
        ask(index).pipe(
          Effect.onExit((exit) => Effect.map(clock.now, (nowMs) => requests.push(recordOf(exit, startMs, dueMs, nowMs)))),
          Effect.as(true),
          Effect.orElseSucceed(() => false),
          Effect.zipLeft(onEnded)
        )
      )

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
          const early = startedAtMs + offset - (yield* clock.now)
          if (early > 0) yield* Effect.sleep(Math.ceil(early))
          sent++
          yield* FiberSet.run(fibers, one(index, startedAtMs + offset))
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
    return { requests, startedAtMs, endedAtMs, sent, due: shape._tag === "Closed" ? sent : shape.due.length }
  })
