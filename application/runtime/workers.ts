/**
 * The background work of a server: launching, cleaning up, observing, reconciling, and forgetting what is out of date, each
 * supervised. Several servers on one database share the tasks; every one of them runs all six where there is a runtime.
 */
import { Effect, Layer } from "effect"
import type { Timeouts } from "../../domain/job/deadline.ts"
import { gateKeeper } from "../decisions/job-gate.ts"
import { messenger } from "../notifications/notify.ts"
import { Identifiers } from "../ports/identifiers.ts"
import type { Runtime } from "../ports/runtime.ts"
import type { DecisionStore } from "../ports/stores/decision-store.ts"
import type { FinishedJobs } from "../ports/stores/finished-jobs.ts"
import type { Idempotency } from "../ports/stores/idempotency.ts"
import type { JobStore } from "../ports/stores/job-store.ts"
import type { NotificationStore } from "../ports/stores/notification-store.ts"
import type { SampleStore } from "../ports/stores/sample-store.ts"
import type { UnitSecrets } from "../ports/stores/unit-secrets.ts"
import type { TaskQueue } from "../ports/task-queue.ts"
import { sampleCloser } from "../samples/close-samples.ts"
import { sampleRemoval } from "../samples/remove-samples.ts"
import { cleaner } from "./cleaner.ts"
import { launcher } from "./launcher.ts"
import { observer } from "./observer.ts"
import { reconciler } from "./reconcile.ts"
import { retention } from "./retention.ts"
import { supervised } from "./supervise.ts"

/** what is done once more a minute later may be a few seconds later still */
const closingPollMillis = 5000
/** gates and messages that are due without a hint */
const gatePollMillis = 2000

export interface WorkersOptions {
  /** deadlines of benchmarks (`timeouts.*`) */
  readonly timeouts: Timeouts
  /** `compat.defer_tracker_failure`, for events found in a spool */
  readonly deferTrackerFailure: boolean
  /** default 30,000 */
  readonly leaseMillis?: number
  /** longest wait for a hint; default 1,000 */
  readonly pollMillis?: number
  /** default 6 */
  readonly launchAttempts?: number
  /** benchmarks of one tenant that may be launched and unfinished; absent: any number */
  readonly maxRunningOfTenant?: number | undefined
  /** wait for a late terminal event; default 10,000 */
  readonly graceMillis?: number
  /** longest time between two reconcile passes; default 15,000 */
  readonly reconcileMillis?: number
  /** days that finished jobs are kept; absent: for good */
  readonly retainJobsDays?: number
  /** days that samples are kept after the last of their benchmark; absent: as long as their job */
  readonly retainSamplesDays?: number
  /** `absent`: nothing can be launched, ended or looked at here, so that its tasks are left to a server where it can */
  readonly runtime?: "absent"
}

/** what they work with */
type Needed =
  | JobStore
  | SampleStore
  | DecisionStore
  | NotificationStore
  | Runtime
  | TaskQueue
  | UnitSecrets
  | Identifiers
  | FinishedJobs
  | Idempotency

/** starts the workers; they stop, and let go of nothing half done, when the layer's scope closes */
export const layer = (options: WorkersOptions): Layer.Layer<never, never, Needed> =>
  Layer.scopedDiscard(
    Effect.gen(function* () {
      const holder = yield* (yield* Identifiers).next
      const lease = { holder, leaseMillis: options.leaseMillis ?? 30_000, pollMillis: options.pollMillis ?? 1000 }
      const aboutUnits: ReadonlyArray<
        Effect.Effect<never, never, JobStore | SampleStore | Runtime | TaskQueue | UnitSecrets>
      > = [
        supervised(
          "observer",
          observer({ graceMillis: options.graceMillis ?? 10_000, deferTrackerFailure: options.deferTrackerFailure })
        ),
        supervised(
          "launcher",
          launcher({
            ...lease,
            launchAttempts: options.launchAttempts ?? 6,
            mostLaunched: options.maxRunningOfTenant
          })
        ),
        supervised("cleaner", cleaner(lease)),
        supervised(
          "reconciler",
          reconciler({ timeouts: options.timeouts, everyMillis: options.reconcileMillis ?? 15_000 })
        )
      ]
      const workers: ReadonlyArray<Effect.Effect<never, never, Needed>> = [
        ...(options.runtime === "absent" ? [] : aboutUnits),
        supervised("retention", retention({ jobsDays: options.retainJobsDays })),
        supervised(
          "late samples",
          sampleCloser({ ...lease, pollMillis: Math.max(lease.pollMillis, closingPollMillis) })
        ),
        supervised("gates", gateKeeper({ ...lease, pollMillis: Math.max(lease.pollMillis, gatePollMillis) })),
        supervised("messages", messenger({ ...lease, pollMillis: Math.max(lease.pollMillis, gatePollMillis) })),
        supervised("sample removal", sampleRemoval(options.retainSamplesDays))
      ]
      yield* Effect.forEach(workers, Effect.forkScoped, { discard: true })
    })
  )
