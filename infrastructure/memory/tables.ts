/**
 * What the stores in memory share. Every operation on it is one synchronous step, so that nothing is ever seen half done; a step that
 * fails has written nothing. For tests and as a second opinion on the contract suites; a server uses a database.
 */
import { Clock, Context, Effect, Layer } from "effect"
import type { Change } from "../../application/ports/change-feed.ts"
import type { UnitId } from "../../application/ports/runtime.ts"
import type { StoredDecision } from "../../application/ports/stores/decision-store.ts"
import type { KeptAnswer } from "../../application/ports/stores/idempotency.ts"
import type { NewTask, TaskKind } from "../../application/ports/task-queue.ts"
import type { Usage } from "../../domain/budget/usage.ts"
import type { Collection } from "../../domain/collection/collection.ts"
import type { BenchmarkState, Job } from "../../domain/job/job.ts"
import type { Delivery } from "../../domain/notification/notification.ts"
import type { Provider } from "../../domain/provider/provider.ts"
import type { Sample } from "../../domain/sample/sample.ts"

export interface StoredJob {
  readonly job: Job
  readonly version: number
}

export interface StoredTask extends NewTask {
  readonly rank: number
  readonly due: number
  readonly leaseUntil: number
  readonly holder: string | undefined
  readonly term: number
  readonly attempts: number
  readonly buried: boolean
}

export interface StoredSecret {
  readonly unit: UnitId
  /** milliseconds */
  readonly expiresAt: number
}

/** the samples of one benchmark */
export interface StoredSamples {
  readonly tenant: string
  readonly jobId: string
  readonly index: number
  readonly updatedAt: string
  /** by their key */
  readonly rows: ReadonlyMap<
    string,
    { readonly row: number; readonly sample: Sample; readonly digest: string; readonly text: string }
  >
}

/** what a benchmark used of its model */
export interface StoredUsage {
  readonly tenant: string
  readonly endedAt: string
  readonly model: string
  readonly providerId: string
  readonly id: string
  readonly state: BenchmarkState
  readonly usage: Usage
}

export interface StoredAnswer extends KeptAnswer {
  readonly expiresAt: string
}

/** `tenant/id` */
export const recordKey = (tenant: string, id: string): string => `${tenant}/${id}`

export class Tables extends Context.Tag("evald/infrastructure/memory/Tables")<
  Tables,
  {
    readonly jobs: Map<string, StoredJob>
    readonly tombstones: Set<string>
    /** by `kind/key` */
    readonly tasks: Map<string, StoredTask>
    /** highest rank claimed, and the tenant served last */
    readonly clocks: Map<TaskKind, { readonly rank: number; readonly tenant: string }>
    readonly changes: Array<Change>
    /** by secret */
    readonly secrets: Map<string, StoredSecret>
    /** by `recordKey` */
    readonly providers: Map<string, Provider>
    readonly collections: Map<string, Collection>
    /** by scope and key */
    readonly answers: Map<string, StoredAnswer>
    /** by job and index */
    readonly samples: Map<string, StoredSamples>
    /** in the order in which they were made */
    readonly decisions: Array<StoredDecision>
    /** by job, address and event */
    readonly deliveries: Map<string, Delivery>
    /** in the order in which benchmarks ended */
    /** by `job/index` */
    readonly usage: Map<string, StoredUsage>
  }
>() {}

export const layer: Layer.Layer<Tables> = Layer.sync(Tables, () =>
  Tables.of({
    jobs: new Map(),
    tombstones: new Set(),
    tasks: new Map(),
    clocks: new Map(),
    changes: [],
    secrets: new Map(),
    providers: new Map(),
    collections: new Map(),
    answers: new Map(),
    samples: new Map(),
    decisions: [],
    deliveries: new Map(),
    usage: new Map()
  })
)

/** one step that may look at the time and may fail */
export const step = <A, E>(body: (now: number) => Effect.Effect<A, E>): Effect.Effect<A, E> =>
  Effect.flatMap(Clock.currentTimeMillis, body)
