/** How long a call of samples waits for others, by a clock that only moves when it is told. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, TestClock } from "effect"
import { breath } from "../../../../../infrastructure/in-process/in-steps.ts"
import { givingWay } from "../../../../../infrastructure/sql/connection/giving-way.ts"

/** milliseconds that the effect waits, at most as many as are given */
const waited = (effect: Effect.Effect<void>, most = 1000) =>
  Effect.gen(function* () {
    const fiber = yield* Effect.fork(effect)
    for (let millis = 0; millis <= most; millis++) {
      // a pause goes through the platform's event loop, which no clock of a test moves
      for (let turn = 0; turn < 3; turn++) yield* breath
      if ((yield* Fiber.poll(fiber))._tag === "Some") return millis
      yield* TestClock.adjust("1 millis")
    }
    return Number.POSITIVE_INFINITY
  })

describe("a pause of a call that is made ready", () => {
  it.effect("lasts until what was under way is written", () =>
    Effect.gen(function* () {
      yield* TestClock.adjust("1 hour")
      let looked = 0
      const { pause } = givingWay(() => ++looked <= 4)
      assert.strictEqual(yield* waited(pause), 4)
    })
  )

  it.effect("ends at once when nothing is under way", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* waited(givingWay(() => false).pause), 0)
    })
  )

  it.effect("lasts ten milliseconds at most, however long others are busy", () =>
    Effect.gen(function* () {
      yield* TestClock.adjust("1 hour")
      assert.strictEqual(yield* waited(givingWay(() => true).pause), 10)
    })
  )

  it.effect(
    "is as long as the work before it where others are busy all the time: a call takes twice its time at most",
    () =>
      Effect.gen(function* () {
        yield* TestClock.adjust("1 hour")
        const { pause } = givingWay(() => true)
        yield* waited(pause)
        const each: Array<number> = []
        for (const work of [1, 3, 0, 2, 40, 1]) {
          yield* TestClock.adjust(work)
          each.push(yield* waited(pause))
        }
        assert.deepStrictEqual(each, [1, 3, 0, 2, 10, 1])
      })
  )
})

it.effect("a long write waits twenty milliseconds at most before a statement", () =>
  Effect.gen(function* () {
    assert.strictEqual(yield* waited(givingWay(() => true).giveWay), 20)
    assert.strictEqual(yield* waited(givingWay(() => false).giveWay), 0)
  })
)
