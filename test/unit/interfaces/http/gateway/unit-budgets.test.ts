import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Unavailable } from "../../../../../application/errors.ts"
import { JobStore } from "../../../../../application/ports/stores/job-store.ts"
import { makeWitness } from "../../../../../interfaces/gateway/witness/witness.ts"
import { makeUnitBudgets } from "../../../../../interfaces/http/gateway/unit-budgets.ts"
import { sampleJob } from "../../../../support/sample-job.ts"

describe("the budget of a job", () => {
  it.effect(
    "is read again when the store could not be reached (every request of its benchmark failed from then on)",
    () => {
      let asked = 0
      const store = Layer.mock(JobStore, {
        load: () =>
          Effect.suspend(() => {
            asked += 1
            return asked === 1
              ? Effect.fail(new Unavailable({ peer: "database", operation: "load" }))
              : Effect.succeed(sampleJob())
          })
      })
      return Effect.gen(function* () {
        const budgets = yield* makeUnitBudgets
        const unit = { tenant: "t", jobId: "j", index: 0, attempt: 1 }
        const held = { own: undefined, job: { requests: 1 }, price: undefined }
        const of = budgets.of(
          unit,
          held,
          makeWitness(() => 0)
        )
        yield* Effect.exit(of)
        const budget = yield* of
        assert.isDefined(budget)
      }).pipe(Effect.provide(store))
    }
  )
})
