import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, TestClock } from "effect"
import type { Plan } from "../../../../application/jobs/plan-job.ts"
import { issuePlanToken, planKey } from "../../../../application/jobs/plan-token.ts"
import * as Identifiers from "../../../../infrastructure/in-process/identifiers.ts"
import * as PlanSeals from "../../../../infrastructure/memory/plan-seals.ts"

const caller = { tenant: "t", owner: "anna" }
const plan: Plan = { runtime: "local", threshold: 0.5, benchmarks: [], warnings: [] }
const seals = Layer.provideMerge(PlanSeals.layer, Identifiers.layer)

describe("a plan's token", () => {
  it.effect(
    "holds ten minutes for its caller, tenant and body, always under one key, and no other token has that",
    () =>
      Effect.gen(function* () {
        const { value, expiresAt } = yield* issuePlanToken(caller, "body", plan)
        const key = yield* planKey(caller, "body", value)
        assert.match(key.key, /^plan [A-Za-z0-9_-]{43}$/)
        assert.strictEqual(key.bodyDigest, "body")
        const other = yield* issuePlanToken(caller, "body", plan)
        assert.notStrictEqual((yield* planKey(caller, "body", other.value)).key, key.key)
        const refusal = (who: typeof caller, body: string, token: string) =>
          Effect.map(Effect.flip(planKey(who, body, token)), ({ code, message }) => `${code}: ${message}`)
        for (const [who, body, token] of [
          [{ ...caller, owner: "ben" }, "body", value],
          [{ ...caller, tenant: "u" }, "body", value],
          [caller, "bodies", value],
          // decodes to the same bytes
          [caller, "body", `${value}=`],
          [caller, "body", `${value}.`],
          [caller, "body", value.slice(0, -1)],
          [caller, "body", ""]
        ] as const)
          assert.match(yield* refusal(who, body, token), /^plan_token_invalid: .*plan the job again/, token)
        yield* TestClock.adjust("599999 millis")
        assert.deepStrictEqual(yield* planKey(caller, "body", value), key)
        yield* TestClock.adjust("1 millis")
        assert.include(yield* refusal(caller, "body", value), `has expired at ${expiresAt}`)
      }).pipe(Effect.provide(seals))
  )

  it.effect("of another database is nobody's", () =>
    Effect.gen(function* () {
      const { value } = yield* Effect.provide(issuePlanToken(caller, "body", plan), Layer.fresh(seals))
      assert.strictEqual(
        (yield* Effect.flip(Effect.provide(planKey(caller, "body", value), Layer.fresh(seals)))).code,
        "plan_token_invalid"
      )
    })
  )
})
