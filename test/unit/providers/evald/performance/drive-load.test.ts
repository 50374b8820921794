import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Fiber, TestClock } from "effect"
import { type AskLoad, driveLoad, type LoadPlan } from "../../../../../providers/evald/performance/drive-load.ts"
import { serverError, streamedAfter, virtualClock } from "./load-fixtures.ts"

const plan = (overrides: Partial<LoadPlan>): LoadPlan => ({
  shape: { _tag: "Closed", streams: 1 },
  durationMs: 1000,
  warmupMs: 0,
  cooldownMs: 0,
  maxRequests: Number.POSITIVE_INFINITY,
  outputTokens: 20,
  ...overrides
})

const drive = (overrides: Partial<LoadPlan>, ask: AskLoad) =>
  Effect.gen(function* () {
    const fiber = yield* Effect.fork(driveLoad(plan(overrides), ask, virtualClock(), Effect.void))
    yield* TestClock.adjust("2 seconds")
    return yield* Fiber.join(fiber)
  })

const starts = (requests: ReadonlyArray<{ readonly startMs: number }>) => requests.map(({ startMs }) => startMs)

describe("closed loop", () => {
  it.effect("one stream sends the next request when the answer is there, and breaks off the last one", () =>
    Effect.gen(function* () {
      const run = yield* drive({}, () => streamedAfter(100, 50, 5))
      assert.deepStrictEqual(starts(run.requests), [0, 300, 600, 900])
      assert.deepStrictEqual(
        run.requests.map(({ outcome, endMs }) => [outcome, endMs]),
        [
          ["successful", 300],
          ["successful", 600],
          ["successful", 900],
          ["incomplete", 1000]
        ]
      )
      assert.strictEqual(run.endedAtMs, 1000)
    })
  )

  it.effect("eight streams keep eight requests under way", () =>
    Effect.gen(function* () {
      const run = yield* drive({ shape: { _tag: "Closed", streams: 8 } }, () => streamedAfter(600, 0, 1))
      assert.deepStrictEqual(
        starts(run.requests).sort((a, b) => a - b),
        [...Array(8).fill(0), ...Array(8).fill(600)]
      )
    })
  )

  it.effect("stops at the request limit and ends early", () =>
    Effect.gen(function* () {
      const run = yield* drive({ shape: { _tag: "Closed", streams: 2 }, maxRequests: 3 }, () =>
        streamedAfter(100, 0, 1)
      )
      assert.lengthOf(run.requests, 3)
      assert.strictEqual(run.endedAtMs, 200)
    })
  )

  it.effect("a failed request is recorded with its code, and the stream rests before the next", () =>
    Effect.gen(function* () {
      const run = yield* drive({ maxRequests: 2 }, (index) =>
        index === 0 ? Effect.fail(serverError) : streamedAfter(100, 0, 1)
      )
      assert.deepStrictEqual(run.requests[0], {
        outcome: "errored",
        index: 0,
        startMs: 0,
        endMs: 0,
        code: "model_server_error",
        message: "answered 500"
      })
      assert.strictEqual(run.requests[1]?.startMs, 100)
    })
  )
})

describe("open loop", () => {
  it.effect("sends on schedule although no answer has come, and counts from the due time", () =>
    Effect.gen(function* () {
      const run = yield* drive({ shape: { _tag: "Open", due: [0, 250.5, 500] } }, () => streamedAfter(400, 0, 1))
      assert.deepStrictEqual(starts(run.requests), [0, 250.5, 500])
      assert.deepStrictEqual(
        run.requests.map(({ endMs }) => endMs),
        [400, 651, 900]
      )
      assert.strictEqual(run.sent, 3)
      assert.strictEqual(run.endedAtMs, 1000)
    })
  )

  it.effect("a request is made before it is due, and sent when it is", () =>
    Effect.gen(function* () {
      const made: Array<number> = []
      const sent: Array<number> = []
      const ask: AskLoad = (index) => {
        made.push(index)
        return Effect.tap(Clock.currentTimeMillis, (now) => sent.push(now)).pipe(
          Effect.zipRight(streamedAfter(100, 0, 1))
        )
      }
      const shape = { _tag: "Open", due: [0, 20, 500] } as const
      const fiber = yield* Effect.fork(driveLoad(plan({ shape }), ask, virtualClock(), Effect.void))
      yield* TestClock.adjust(470)
      assert.deepStrictEqual(made, [0, 1, 2])
      assert.deepStrictEqual(sent, [0, 20])
      yield* TestClock.adjust(30)
      assert.deepStrictEqual(sent, [0, 20, 500])
      yield* TestClock.adjust("1 second")
      assert.strictEqual((yield* Fiber.join(fiber)).sent, 3)
    })
  )

  it.effect("what was made and is not due before the end is neither sent nor recorded", () =>
    Effect.gen(function* () {
      const run = yield* drive({ shape: { _tag: "Open", due: [0, 1020] } }, () => streamedAfter(100, 0, 1))
      assert.strictEqual(run.sent, 1)
      assert.lengthOf(run.requests, 1)
    })
  )

  it.effect("a schedule cut by the request limit ends with its last answer", () =>
    Effect.gen(function* () {
      const run = yield* drive({ shape: { _tag: "Open", due: [0, 100] }, maxRequests: 2 }, () =>
        streamedAfter(300, 0, 1)
      )
      assert.strictEqual(run.endedAtMs, 400)
    })
  )

  it.effect("what is under way at the end is incomplete, not an error", () =>
    Effect.gen(function* () {
      const run = yield* drive({ shape: { _tag: "Open", due: [0, 700] } }, () => streamedAfter(600, 0, 1))
      assert.deepStrictEqual(
        run.requests.map(({ outcome }) => outcome),
        ["successful", "incomplete"]
      )
      assert.strictEqual(run.endedAtMs, 1000)
    })
  )
})

describe("what an answer is worth", () => {
  it.effect("tokens are counted when they arrive, those of unfinished requests too", () =>
    Effect.gen(function* () {
      const ask: AskLoad = (_, onContent) =>
        Effect.gen(function* () {
          const began = yield* Clock.currentTimeMillis
          for (let piece = 1; piece <= 5; piece++) {
            yield* Effect.sleep(100)
            onContent(yield* Clock.currentTimeMillis)
          }
          return {
            ...(yield* streamedAfter(0, 0, 5)),
            startedAtMs: began,
            firstContentAtMs: began + 100,
            tokens: { prompt: 1, completion: 10, estimated: false }
          }
        })
      // two tokens a piece, a piece every 100 ms: the second request has two pieces when the run is broken off
      const run = yield* drive({ durationMs: 750 }, ask)
      assert.deepStrictEqual(
        run.requests.map(({ outcome }) => outcome),
        ["successful", "incomplete"]
      )
      assert.strictEqual(run.arrivals.within({ fromMs: 0, toMs: 750 }), 14)
      assert.strictEqual(run.arrivals.within({ fromMs: 250, toMs: 650 }), 8)
    })
  )

  it.effect(
    "tokens that cannot be are not believed: above the limit, or more than twice what came (800 tokens/s for a real 80)",
    () =>
      Effect.gen(function* () {
        const claims: ReadonlyArray<readonly [completion: number, reasoning: number, counted: number]> = [
          [8, 0, 8],
          [16, 0, 16],
          [80, 0, 8],
          [-1, 0, 8],
          [90, 82, 90],
          [1000, 900, 8]
        ]
        for (const [completion, reasoning, counted] of claims) {
          const ask = () =>
            Effect.map(streamedAfter(100, 10, 8), (answer) => ({
              ...answer,
              tokens: { prompt: 1, completion, reasoning, estimated: false }
            }))
          const run = yield* drive({ maxRequests: 1, outputTokens: 100 }, ask)
          const [request] = run.requests
          assert.isTrue(request?.outcome === "successful" && request.outputTokens === counted, `${completion}`)
          assert.strictEqual(
            request?.outcome === "successful" ? request.claimedTokens : 0,
            counted === completion ? undefined : completion
          )
        }
      })
  )

  it.effect(
    "fewer tokens than the text needs are not believed either (1 token/s for a real 80); pieces smaller than a token are no sign of it",
    () =>
      Effect.gen(function* () {
        const words = "one two three four five six seven eight nine ten ".repeat(4)
        const claims: ReadonlyArray<readonly [completion: number, chunks: number, text: string, counted: number]> = [
          [1, 40, words, 40],
          [0, 40, words, 40],
          [1, 1, words, 40],
          [40, 190, words, 40],
          [12, 40, words, 12],
          [1, 3, "one two three", 1]
        ]
        for (const [completion, chunks, text, counted] of claims) {
          const ask = () =>
            Effect.map(streamedAfter(100, 1, chunks), (answer) => ({
              ...answer,
              text,
              tokens: { prompt: 1, completion, estimated: false }
            }))
          const run = yield* drive({ durationMs: 5000, maxRequests: 1, outputTokens: 100 }, ask)
          const [request] = run.requests
          assert.isTrue(
            request?.outcome === "successful" && request.outputTokens === counted,
            JSON.stringify([completion, chunks, request])
          )
        }
      })
  )

  it.effect("an answer of several tokens in one piece is not streamed; a repeated one began at its first try", () =>
    Effect.gen(function* () {
      const run = yield* drive({ maxRequests: 3 }, (index) =>
        Effect.map(streamedAfter(100, 10, 5), (answer) => ({
          ...answer,
          chunks: index === 0 ? 1 : 5,
          ...(index === 1 ? { retries: 1, startedAtMs: answer.startedAtMs + 90 } : {})
        }))
      )
      const [whole, repeated] = run.requests
      assert.isTrue(whole?.outcome === "successful" && whole.firstContentMs === undefined)
      assert.strictEqual(repeated?.startMs, 140)
    })
  )
})
