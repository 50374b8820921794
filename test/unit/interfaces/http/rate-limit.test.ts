import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Exit, TestClock } from "effect"
import { make } from "../../../../interfaces/http/middleware/rate-limit.ts"

const admitted = (limit: ReturnType<typeof make>, tenant: string, times: number) =>
  Effect.map(
    Effect.forEach(Array.from({ length: times }), () => Effect.exit(limit(tenant))),
    (exits) => exits.filter(Exit.isSuccess).length
  )

describe("the rate limit", () => {
  it.effect("admits a burst, then as many as refill, each tenant for itself", () =>
    Effect.gen(function* () {
      const limit = make({ perSecond: 2, burst: 5 })
      assert.strictEqual(yield* admitted(limit, "a", 10), 5)
      assert.strictEqual(yield* admitted(limit, "b", 10), 5)
      yield* TestClock.adjust(Duration.seconds(1))
      assert.strictEqual(yield* admitted(limit, "a", 10), 2)
      yield* TestClock.adjust(Duration.hours(1))
      assert.strictEqual(yield* admitted(limit, "a", 10), 5)
    })
  )

  it.effect("says when to come back", () =>
    Effect.gen(function* () {
      const limit = make({ perSecond: 0.1, burst: 1 })
      yield* limit("a")
      const refused = yield* Effect.flip(limit("a"))
      assert.deepStrictEqual([refused.code, refused.headers?.["retry-after"]], ["too_many_requests", "10"])
      yield* TestClock.adjust(Duration.seconds(10))
      yield* limit("a")
    })
  )

  it.effect("a clock that jumps back gives nothing away and takes nothing", () =>
    Effect.gen(function* () {
      const limit = make({ perSecond: 1, burst: 2 })
      yield* TestClock.adjust(Duration.hours(2))
      assert.strictEqual(yield* admitted(limit, "a", 3), 2)
      yield* TestClock.setTime(0)
      assert.strictEqual(yield* admitted(limit, "a", 3), 0)
      yield* TestClock.adjust(Duration.seconds(2))
      assert.strictEqual(yield* admitted(limit, "a", 3), 2)
    })
  )
})
