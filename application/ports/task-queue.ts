/**
 * Durable work caused by changes: launching, cleaning up, and later tracker, lifecycle and retention work. A task is stored in the
 * transaction that causes it (see `JobStore`), claimed under a lease, and completed, retried or buried. At most one live holder per
 * task: a holder that loses its lease is fenced by `term`. Tasks are unique per (kind, key): storing one again makes it due again,
 * takes it from its holder and digs it up when it was buried. Leases and due times go by the database's clock where servers share one.
 */
import { Context, type Effect } from "effect"
import type { Unavailable } from "../errors.ts"

export type TaskKind = "launch" | "cleanup" | "samples" | "gate" | "notify"

/** no task waits longer for its time, and no lease lasts longer: a time further away was written before the clock was set back, and counts as over */
export const farthestMillis = 600_000

export interface NewTask {
  readonly kind: TaskKind
  /** unique within the kind, e.g. `<job id>/<index>/<attempt>` */
  readonly key: string
  readonly jobId: string
  readonly tenant: string
  /** benchmark index; absent for a task about the whole job */
  readonly index?: number
  /** position among the tasks of the same job; the store turns it into a rank so that the jobs of a tenant share the workers fairly */
  readonly order: number
  /** due so many milliseconds after it is stored, at most `farthestMillis`; default at once */
  readonly delayMillis?: number
}

export interface Task extends Omit<NewTask, "order" | "delayMillis"> {
  /** fencing token: raised by every claim */
  readonly term: number
  /** claims so far, this one included */
  readonly attempts: number
}

export class TaskQueue extends Context.Tag("evald/application/ports/TaskQueue")<
  TaskQueue,
  {
    /**
     * Up to `limit` due tasks of the kind, leased to `holder`: one of each tenant in turn, beginning after the tenant served last, until
     * the limit is full; of one tenant the lowest rank first (fair between its jobs). Tenants without due tasks have no turn.
     * `mostLaunched`, of launches: a tenant gets no more than make so many of its benchmarks launched and unfinished, those of other servers
     * included; without room it has no turn.
     */
    readonly claim: (
      kind: TaskKind,
      holder: string,
      limit: number,
      leaseMillis: number,
      mostLaunched?: number
    ) => Effect.Effect<ReadonlyArray<Task>, Unavailable>
    /** false when the lease was lost meanwhile: stop working on it */
    readonly renew: (task: Task, holder: string, leaseMillis: number) => Effect.Effect<boolean, Unavailable>
    /** removes it; a no-op when the lease was lost */
    readonly complete: (task: Task, holder: string) => Effect.Effect<void, Unavailable>
    /** releases it for another try after so many milliseconds, at most `farthestMillis` */
    readonly retry: (
      task: Task,
      holder: string,
      delayMillis: number,
      reason: string
    ) => Effect.Effect<void, Unavailable>
    /** gives up: kept for inspection, counted, never claimed again */
    readonly bury: (task: Task, holder: string, reason: string) => Effect.Effect<void, Unavailable>
    /** tasks per kind: waiting, leased, buried, and the age in seconds of the oldest due one */
    readonly stats: Effect.Effect<
      ReadonlyArray<{
        readonly kind: TaskKind
        readonly waiting: number
        readonly leased: number
        readonly buried: number
        readonly lagSeconds: number
      }>,
      Unavailable
    >
    /** tasks of the kind that wait or are leased; costs a small part of what `stats` does */
    readonly count: (kind: TaskKind) => Effect.Effect<number, Unavailable>
    /** resolves when tasks of the kind may have become due (a hint; callers also poll) */
    readonly awaitWork: (kind: TaskKind) => Effect.Effect<void>
  }
>() {}
