import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, TestClock } from "effect"
import { readSample } from "../../../../../domain/sample/read-sample.ts"
import { loadPrompt } from "../../../../../providers/evald/performance/load-prompt.ts"
import { profileBenchmark } from "../../../../../providers/evald/performance/profiles.ts"
import { chatDigest } from "../../../../../providers/sdk/prompt-digest.ts"
import { itemContext } from "../item-fixtures.ts"
import { clientOf, serverError, streamedAfter, virtualClock } from "./load-fixtures.ts"

describe("requests of a performance benchmark", () => {
  it.effect("are records in the order in which they were sent, whatever became of them", () =>
    Effect.gen(function* () {
      const benchmark = profileBenchmark(
        { id: "perf_quick", profile: "constant", rate: 2, seconds: 10 },
        virtualClock()
      )
      // the request before the measurement is the first one; the third of the measurement fails, the last ones hang
      const ask = (call: number) =>
        call === 3
          ? Effect.fail(serverError)
          : call > 17
            ? Effect.never
            : Effect.map(streamedAfter(100, 10, 11), (answer) => ({ ...answer, servedModel: "served-1" }))
      const fiber = yield* Effect.fork(
        Effect.scoped(
          benchmark.run(
            itemContext({ job: { ...itemContext().job, parameters: { max_error_rate: 0.2 } } }),
            clientOf(ask),
            { status: () => Effect.void, warn: () => Effect.void }
          )
        )
      )
      yield* TestClock.adjust("1 minute")
      const { records = [] } = yield* Fiber.join(fiber)
      const all = [...records]
      assert.deepStrictEqual(
        all.map(({ index }) => index),
        all.map((_, at) => at)
      )
      for (const record of all) assert.deepStrictEqual(readSample(record, []).problems, [])
      const counts = (reason: string) => all.filter((one) => one.reason === reason).length
      assert.deepStrictEqual(["measured", "request_failed", "request_incomplete"].map(counts), [16, 1, 3])
      const first = all[0]
      assert.deepInclude(first, {
        ...{ sample_id: "perf_quick:s42-point_0:0", verdict: "correct", latency_ms: 200, ttft_ms: 100, retries: 0 },
        tokens: { prompt: 7, completion: 11, estimated: false },
        served_model: "served-1"
      })
      assert.deepInclude(first?.timing, { started: 0, first_content: 100, ended: 200, counted: false })
      assert.deepInclude(all[5]?.timing, { counted: true })
      assert.strictEqual(first?.prompt_sha256, chatDigest([{ role: "user", content: loadPrompt(42, 0, 256, 128) }]))
    })
  )
})
