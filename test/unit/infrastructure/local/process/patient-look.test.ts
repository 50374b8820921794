import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, TestClock } from "effect"
import { within } from "../../../../../infrastructure/local/process/patient-look.ts"

describe("the search for what a unit left", () => {
  it.effect("is rare (it was made every 50 ms): soon at first, once a second later, and over in time", () =>
    Effect.gen(function* () {
      let looks = 0
      const searching = yield* Effect.fork(
        within(10_000, async () => {
          looks += 1
          return false
        })
      )
      const advance = (steps: number) =>
        Effect.forEach(
          Array.from({ length: steps }),
          () =>
            Effect.zipRight(
              TestClock.adjust("20 millis"),
              Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
            ),
          { discard: true }
        )
      yield* advance(50)
      assert.isAtLeast(looks, 5)
      yield* advance(500)
      assert.isFalse(yield* Fiber.join(searching))
      assert.isAtMost(looks, 17)
    })
  )
  it.effect("ends with the first look that finds nothing", () =>
    Effect.gen(function* () {
      assert.isTrue(yield* within(1000, async () => true))
    })
  )
})
