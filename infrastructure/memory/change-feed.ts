/** Watching changes of the stores in memory. */
import { Effect, Layer } from "effect"
import { ChangeFeed } from "../../application/ports/change-feed.ts"
import { ChangeHub } from "./change-hub.ts"
import { type ChangeLog, followChanges } from "./follow-changes.ts"
import { Tables } from "./tables.ts"

const make = Effect.gen(function* () {
  const { changes } = yield* Tables
  const hub = yield* ChangeHub
  const log: ChangeLog = {
    read: ({ tenant, jobId }, after, page) =>
      Effect.sync(() =>
        changes.filter((change) => change.sequence > after && change.tenant === tenant && (jobId === undefined || change.jobId === jobId)).slice(0, page)
      ),
    latest: Effect.sync(() => changes.at(-1)?.sequence ?? 0)
  }
  return ChangeFeed.of({ subscribe: (filter, after) => followChanges(hub, log, filter, after), latest: log.latest })
})

export const layer: Layer.Layer<ChangeFeed, never, Tables | ChangeHub> = Layer.effect(ChangeFeed, make)
