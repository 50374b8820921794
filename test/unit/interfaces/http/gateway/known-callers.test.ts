import { assert, describe, it } from "@effect/vitest"
import { Effect, TestClock } from "effect"
import { Unavailable } from "../../../../../application/errors.ts"
import { makeKnownCallers } from "../../../../../interfaces/http/gateway/known-callers.ts"

const unit = { tenant: "t", jobId: "j", index: 0, attempt: 1 }

describe("callers of the model gateway", () => {
  it.effect("are looked up once a minute, and stay known while the database is away (a benchmark failed for it)", () =>
    Effect.gen(function* () {
      const callers = makeKnownCallers()
      let asked = 0
      let away = false
      let known = true
      const lookUp = Effect.suspend(() => {
        asked += 1
        return away
          ? Effect.fail(new Unavailable({ peer: "database", operation: "identify" }))
          : Effect.succeed(known ? unit : undefined)
      })
      const identify = callers.identify("secret", lookUp)
      assert.deepStrictEqual([yield* identify, yield* identify, asked], [unit, unit, 1])
      away = true
      yield* TestClock.adjust("2 minutes")
      assert.deepStrictEqual([yield* identify, asked], [unit, 2])
      away = false
      known = false
      assert.strictEqual(yield* identify, undefined)
      away = true
      assert.strictEqual((yield* Effect.flip(identify))._tag, "Unavailable")
    })
  )
})
