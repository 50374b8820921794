/**
 * Jobs at rest. One implementation per database and one in memory; all pass the same contract suite.
 * Every write is one transaction that also appends to the change log and stores the tasks it causes, so that a crash
 * at any point loses nothing. `decide` functions are pure, run under the row lock, and may run more than once.
 */
import { Context, type Effect, type Either } from "effect"
import type { Benchmark, Job, JobHead, JobState, JobTest } from "../../../domain/job/job.ts"
import type { JobQuery } from "../../../domain/job/job-query.ts"
import type { TenantLimits } from "../../../domain/tenant/limits.ts"
import type { NotFound, TenantFull, Unavailable } from "../../errors.ts"
import type { NewTask } from "../task-queue.ts"
import type { IdempotencyClaim, InsertOutcome } from "./idempotency.ts"

/** a record as it goes out: wire JSON text assembled from stored parts, and its entity tag (quoted) */
export interface Rendered {
  readonly json: string
  readonly etag: string
}

export interface RenderedPage {
  readonly items: ReadonlyArray<string>
  /** exact */
  readonly total: number
  /** one line (id and reason) per record that could not be read and is left out */
  readonly errors: ReadonlyArray<string>
  /** places of the list that the page takes: items and errors */
  readonly taken: number
  /** opaque keyset position after the last item; present when more exist */
  readonly next?: string
}

/** how an event or a runtime fact names its benchmark: `index` is the identity, the pair is accepted when unique in the job */
export type BenchmarkSelector =
  | { readonly index: number }
  | { readonly benchmarkId: string; readonly providerId?: string }

export type SelectorProblem = { readonly _tag: "UnknownBenchmark" } | { readonly _tag: "AmbiguousBenchmark" }

/**
 * Result of deciding about one benchmark: nothing to do; a note that callers do not see, so that neither the record's tag nor the change
 * log says anything; or the next record and head. Both with the tasks they cause.
 */
export type BenchmarkDecision =
  | { readonly _tag: "Unchanged" }
  | { readonly _tag: "Noted"; readonly benchmark: Benchmark; readonly tasks: ReadonlyArray<NewTask> }
  | {
      readonly _tag: "Changed"
      readonly benchmark: Benchmark
      /** counts, state and message already recomputed (domain/job/job-state.ts) */
      readonly head: JobHead
      readonly tasks: ReadonlyArray<NewTask>
    }

export interface BenchmarkChanged {
  readonly applied: boolean
  readonly head: JobHead
  readonly benchmark: Benchmark
}

/** result of deciding about the whole job (cancel): only the benchmarks that differ are written */
export interface JobDecision {
  readonly head: JobHead
  readonly benchmarks: ReadonlyArray<Benchmark>
  readonly tasks: ReadonlyArray<NewTask>
}

export interface LiveBenchmark {
  readonly tenant: string
  readonly jobId: string
  readonly benchmark: Benchmark
  readonly jobState: JobState
}

export class JobStore extends Context.Tag("evald/application/ports/JobStore")<
  JobStore,
  {
    /**
     * one transaction: job, benchmarks, tasks, change; answers the record as it was stored. A repeated id is a defect. With `limits` the tenant's
     * unfinished benchmarks are counted in the same transaction, one submission of it after the other, so that the limit holds exactly.
     */
    readonly insert: (
      job: Job,
      tasks: ReadonlyArray<NewTask>,
      limits?: TenantLimits
    ) => Effect.Effect<Rendered, TenantFull | Unavailable>
    /** like `insert`, with the key and the record's text as its answer in the same transaction, or nothing of it */
    readonly insertOnce: (
      job: Job,
      tasks: ReadonlyArray<NewTask>,
      claim: IdempotencyClaim,
      limits?: TenantLimits
    ) => Effect.Effect<InsertOutcome, TenantFull | Unavailable>
    /** the whole aggregate; cost grows with the number of benchmarks */
    readonly load: (tenant: string, id: string) => Effect.Effect<Job, NotFound | Unavailable>
    /** head and one benchmark; cost does not depend on the size of the job: of the request's `benchmarks` only that one is there */
    readonly loadBenchmark: (
      jobId: string,
      index: number
    ) => Effect.Effect<
      { readonly head: JobHead; readonly benchmark: Benchmark; readonly job: Job["request"] },
      NotFound | Unavailable
    >
    /** where the one benchmark that is meant stands; undefined when the job, or the benchmark in it, is not there or several are meant */
    readonly indexOf: (jobId: string, select: BenchmarkSelector) => Effect.Effect<number | undefined, Unavailable>
    readonly render: (tenant: string, id: string) => Effect.Effect<Rendered, NotFound | Unavailable>
    /** at most `query.limit` records and about `maxPageBytes` bytes, at least one record; `fields`: only these members of each, and only what they need is read */
    readonly page: (
      tenant: string,
      query: JobQuery,
      fields?: ReadonlySet<string>
    ) => Effect.Effect<RenderedPage, Unavailable>
    /**
     * Locks the job, runs `decide` on its head and the selected benchmark, writes both when changed. When the decision makes
     * the job terminal, `score` is called once with all benchmarks and its answer stored, in the same transaction.
     * `tenant` undefined: the caller was authorised for this very job by other means (runtime, callback secret).
     */
    readonly changeBenchmark: <E>(
      target: { readonly tenant?: string; readonly jobId: string; readonly select: BenchmarkSelector },
      decide: (head: JobHead, benchmark: Benchmark) => Either.Either<BenchmarkDecision, E>,
      score: (head: JobHead, benchmarks: ReadonlyArray<Benchmark>) => JobTest | undefined
    ) => Effect.Effect<BenchmarkChanged, E | NotFound | SelectorProblem | Unavailable>
    /** like `changeBenchmark` for decisions about the whole job; loads every benchmark under the lock. `etag`: the record's tag at this moment */
    readonly changeJob: <E>(
      tenant: string,
      id: string,
      decide: (job: Job, etag: string) => Either.Either<JobDecision, E>
    ) => Effect.Effect<JobHead, E | NotFound | Unavailable>
    /**
     * hard delete: the record disappears at once, a tombstone stays until the clean-up task is done. `decide` runs under the lock and
     * yields the tasks, or refuses; `used`: a live benchmark with what is known of its usage by now, which stays with the tenant
     */
    readonly remove: <E>(
      tenant: string,
      id: string,
      decide: (job: Job, etag: string) => Either.Either<ReadonlyArray<NewTask>, E>,
      used?: (benchmark: Benchmark) => Benchmark
    ) => Effect.Effect<void, E | NotFound | Unavailable>
    /** forgets the tombstone of a removed job once its runtime objects are gone; idempotent */
    readonly forget: (jobId: string) => Effect.Effect<void, Unavailable>
    /** benchmarks that are not terminal, ordered by (jobId, index), after the given position; for reconcile and deadlines */
    readonly live: (
      after: { readonly jobId: string; readonly index: number } | undefined,
      limit: number
    ) => Effect.Effect<ReadonlyArray<LiveBenchmark>, Unavailable>
    /** for readiness: the store answers and takes writes, and what it writes stays; asked at most once a second */
    readonly ping: Effect.Effect<void, Unavailable>
  }
>() {}
