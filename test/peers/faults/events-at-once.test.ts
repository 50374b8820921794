/** On PostgreSQL: two servers, each with its own connections, hear contradictions at the same moment. */
import { assert, it } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { checkDatabase } from "../../../infrastructure/sql/connection/check.ts"
import * as OpenDatabase from "../../../infrastructure/sql/connection/open.ts"
import { eventsAtOnce } from "../../support/events-at-once.ts"
import { layer as app, HttpApp } from "../../support/http-app.ts"
import { configOf, freshSchema, postgresAt } from "../../support/postgres.ts"

it.scopedLive(
  "of contradicting events one is taken on PostgreSQL, whichever server hears it",
  () =>
    Effect.gen(function* () {
      const url = yield* freshSchema
      const server = Effect.map(Layer.build(app({ storage: postgresAt(url) })), (context) =>
        Context.get(context, HttpApp)
      )
      yield* eventsAtOnce([yield* server, yield* server])
      assert.deepStrictEqual(yield* Effect.provide(checkDatabase, OpenDatabase.layer(configOf(url))), [])
    }),
  120_000
)
