/**
 * Records of jobs as of their latest changes, rendered once however many watchers see the change. A record may be newer than its change,
 * never older. Reference: api.md, "Change stream".
 */
import { Cache, Context, Effect, Exit, Layer } from "effect"
import type { Unavailable } from "../errors.ts"
import type { Change } from "../ports/change-feed.ts"
import { JobStore } from "../ports/stores/job-store.ts"

/** changes remembered: enough for watchers that are a moment behind */
const capacity = 512

export class RecentRecords extends Context.Tag("evald/application/jobs/RecentRecords")<
  RecentRecords,
  {
    /** wire text of the job's record at or after the change; undefined when the job is gone */
    readonly after: (change: Change) => Effect.Effect<string | undefined, Unavailable>
  }
>() {}

export const layer: Layer.Layer<RecentRecords, never, JobStore> = Layer.effect(
  RecentRecords,
  Effect.gen(function* () {
    const store = yield* JobStore
    const cache = yield* Cache.makeWith({
      capacity,
      timeToLive: (exit) => (Exit.isSuccess(exit) ? "10 seconds" : "0 millis"),
      lookup: (key: string) => {
        const [tenant = "", jobId = ""] = key.split(" ")
        return store.render(tenant, jobId).pipe(
          Effect.map(({ json }): string | undefined => json),
          Effect.catchTag("NotFound", () => Effect.sync(() => undefined))
        )
      }
    })
    return { after: ({ tenant, jobId, sequence }: Change) => cache.get(`${tenant} ${jobId} ${sequence}`) }
  })
)
