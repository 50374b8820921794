/** On SQLite: the same moment is the same group commit there. */
import { it } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { eventsAtOnce } from "../../../support/events-at-once.ts"
import { layer as app, HttpApp } from "../../../support/http-app.ts"
import { sqliteFile } from "../../../support/storage.ts"

it.scopedLive("of contradicting events one is taken", () =>
  Effect.gen(function* () {
    const http = Context.get(yield* Layer.build(app({ storage: sqliteFile })), HttpApp)
    yield* eventsAtOnce([http, http])
  })
)
