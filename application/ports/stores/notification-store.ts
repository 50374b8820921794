/**
 * What became of the messages about jobs. They go with their job. One implementation per database and one in memory; all pass the same
 * contract suite.
 */
import { Context, type Effect } from "effect"
import type { Delivery } from "../../../domain/notification/notification.ts"
import type { Unavailable } from "../../errors.ts"

export class NotificationStore extends Context.Tag("evald/application/ports/NotificationStore")<
  NotificationStore,
  {
    /** in place of what was known of the same event to the same address; nothing is kept of a job that is not there (any more) */
    readonly put: (delivery: Delivery) => Effect.Effect<void, Unavailable>
    /** the oldest first */
    readonly ofJob: (tenant: string, jobId: string) => Effect.Effect<ReadonlyArray<Delivery>, Unavailable>
  }
>() {}
