/** What the server's settings say about jobs. The defaults are those of a server without configuration. */
import { Context } from "effect"

export class JobPolicy extends Context.Reference<JobPolicy>()("evald/application/jobs/JobPolicy", {
  defaultValue: (): {
    /** a tracking server is configured, so that jobs may name an experiment */
    readonly trackerConfigured: boolean
    /** hold a reported tracker failure until the adapter's next event or exit (`compat.defer_tracker_failure`) */
    readonly deferTrackerFailure: boolean
    /** service account of the pods of a tenant; undefined where there are none */
    readonly serviceAccount?: string
  } => ({ trackerConfigured: false, deferTrackerFailure: true })
}) {}
