/**
 * Removes the samples of jobs that are gone, and those that are older than they are kept (`samples.retention_days`): in small steps with
 * pauses, so that nobody waits for a million rows. Several servers may do it at once. Reference: samples.md, "Storage".
 */
import { DateTime, Effect } from "effect"
import type { Unavailable } from "../errors.ts"
import { SampleStore } from "../ports/stores/sample-store.ts"
import { reasonOf } from "../runtime/task-worker.ts"

const rowsAtOnce = 500
const pause = "20 millis"
const everyMillis = 60_000

/** one pass; `days` undefined: samples are kept as long as their job */
export const removeOldSamples = (days: number | undefined): Effect.Effect<void, Unavailable, SampleStore> =>
  Effect.gen(function* () {
    const store = yield* SampleStore
    if (days !== undefined) yield* store.expire(DateTime.formatIso(DateTime.subtract(yield* DateTime.now, { days })))
    while (yield* store.purge(rowsAtOnce)) yield* Effect.sleep(pause)
  })

/** never ends */
export const sampleRemoval = (days: number | undefined): Effect.Effect<never, never, SampleStore> =>
  removeOldSamples(days).pipe(
    Effect.catchTag("Unavailable", (error) => Effect.logWarning(`removal of samples: ${reasonOf(error)}`)),
    Effect.zipRight(Effect.sleep(everyMillis)),
    Effect.forever
  )
