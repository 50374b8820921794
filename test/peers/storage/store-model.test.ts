/** On PostgreSQL: random histories agree with a model after every step, restarts included. */
import { describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as OpenDatabase from "../../../infrastructure/sql/connection/open.ts"
import { configOf, freshSchema, postgresAt } from "../../support/postgres.ts"
import { history, play } from "../../support/store-model.ts"

describe("a job store on PostgreSQL", () => {
  it.effect.prop(
    "agrees with the model after every step, restarts included",
    [history],
    ([steps]) =>
      Effect.asVoid(
        Effect.scoped(
          Effect.flatMap(freshSchema, (url) =>
            play({ storage: postgresAt(url), database: OpenDatabase.layer(configOf(url)) }, steps)
          )
        )
      ),
    { fastCheck: { numRuns: 12 } }
  )
})
