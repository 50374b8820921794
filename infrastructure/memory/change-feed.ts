/** Watching changes of the stores in memory. */
import { Effect, Layer } from "effect"
import { ChangeFeed } from "../../application/ports/change-feed.ts"
import { ChangeHub } from "../in-process/change-hub.ts"
import { type ChangeLog, followChanges } from "../in-process/follow-changes.ts"
import { Tables } from "./tables.ts"

const make = Effect.gen(function* () {
  const { changes } = yield* Tables
  const hub = yield* ChangeHub
  const log: ChangeLog = {
    read: ({ tenant, jobId }, after, page) =>
      Effect.sync(() =>
        changes
          .filter(
            (change) =>
              change.sequence > after && change.tenant === tenant && (jobId === undefined || change.jobId === jobId)
          )
          .slice(0, page)
      ),
    latest: Effect.sync(() => changes.at(-1)?.sequence ?? 0),
    bounds: Effect.sync(() => ({ forgotten: (changes[0]?.sequence ?? 1) - 1, newest: changes.at(-1)?.sequence ?? 0 }))
  }
  return ChangeFeed.of({
    subscribe: (filter, after) => followChanges(hub, log, filter, after),
    latest: log.latest,
    forgetAllBut: (kept) => Effect.sync(() => void changes.splice(0, changes.length - kept))
  })
})

export const layer: Layer.Layer<ChangeFeed, never, Tables | ChangeHub> = Layer.effect(ChangeFeed, make)
