/**
 * The job aggregate: what was asked (`JobRequest`), what was copied from providers and collections when it was created
 * (`BenchmarkSnapshot`), and what happened since. Only types live here; the rules are in the neighbouring files.
 * Reference: api.md, "Submitting a job"; states-and-scores.md, "Transitions".
 */

import type { MetricFacts } from "../../values/benchmark/metric-facts.ts"
import type { Phase } from "../../values/benchmark/phases.ts"
import type { Budget, Price } from "../budget/budget.ts"
import type { CountedSpent, Usage } from "../budget/usage.ts"
import type { FreeForm } from "../free-form.ts"
import type { JobGate } from "../gate/criteria.ts"
import type { EarlyStop, EarlyStopped, StopPlan } from "../gate/early-stop.ts"
import type { HardwareConfig } from "../hardware/hardware-config.ts"
import type { Queue } from "../hardware/queue.ts"
import type { QueueChoice } from "../hardware/resolve-queue.ts"
import type { ResolvedResources } from "../hardware/resolve-resources.ts"
import type { Notification } from "../notification/notification.ts"
import type { ProviderRuntime, Requirements } from "../provider/runtime.ts"
import type { SampleSeal } from "../sample/summary.ts"
import type { Scale } from "../score/scale.ts"
import type { Validity } from "../score/validity.ts"
import type { Bounds, Decided, Interval } from "../score/verdict.ts"
import type { OwnLimits } from "../validity/limits.ts"
import type { WireCounts } from "../validity/wire-counts.ts"

export const benchmarkStates = ["pending", "running", "completed", "failed", "cancelled"] as const
export type BenchmarkState = (typeof benchmarkStates)[number]

export const jobStates = ["pending", "running", "completed", "failed", "partially_failed", "cancelled"] as const
export type JobState = (typeof jobStates)[number]

export const origins = ["server", "runtime", "adapter", "sdk"] as const
export type Origin = (typeof origins)[number]

export interface Message {
  readonly message: string
  readonly code: string
  readonly origin: Origin
}

export interface PrimaryScore {
  readonly metric: string
  readonly lowerIsBetter: boolean
  /** of the metric's values; absent: told from the threshold (`inferredScale`) */
  readonly scale?: Scale
}

export interface ModelRef {
  readonly url: string
  readonly name: string
  readonly parameters?: FreeForm
  readonly auth?: { readonly secretRef: string }
}

export interface S3Reference {
  readonly bucket: string
  readonly key: string
  /** absent: a folder of the server's machine stands for the bucket, which needs none */
  readonly secretRef?: string
}

/** one entry of `benchmarks`, from the job itself or copied from its collection */
export interface BenchmarkEntry {
  readonly id: string
  readonly providerId: string
  readonly url?: string
  readonly weight?: number
  readonly primaryScore?: PrimaryScore
  /** `pass_criteria.threshold` */
  readonly threshold?: number
  readonly parameters?: FreeForm
  readonly testData?: { readonly s3: S3Reference }
  readonly hardware?: HardwareConfig
  /** of its own, beside that of the job */
  readonly budget?: Budget
}

export interface Tag {
  readonly key: string
  readonly value: string
}

export interface Experiment {
  readonly name: string
  readonly tags?: ReadonlyArray<Tag>
  readonly artifactLocation?: string
}

export interface OciExport {
  readonly coordinates: {
    readonly host: string
    readonly repository: string
    readonly tag?: string
    readonly subject?: string
    readonly annotations?: { readonly [key: string]: string }
  }
  /** `k8s.connection`: name of the registry-credentials secret */
  readonly connection?: string
}

export const rerunChoices = ["failed", "invalid", "all"] as const
/** which benchmarks of a job run again: failed or cancelled ones, those with an invalid result, every one */
export type RerunChoice = (typeof rerunChoices)[number]

/** where a job comes from that runs another one again */
interface RerunOf {
  /** its id */
  readonly job: string
  readonly which: RerunChoice
  /** the results of the others were taken over */
  readonly reuse: boolean
}

/** a decoded POST body: shapes are right, rules are not checked yet (`submission.ts` does) */
export interface JobRequest {
  readonly name: string
  readonly description?: string
  readonly tags?: ReadonlyArray<string>
  readonly model: ModelRef
  readonly benchmarks?: ReadonlyArray<BenchmarkEntry>
  /** `parameters`: given to every entry whose provider declares them */
  readonly collection?: { readonly id: string; readonly parameters?: FreeForm }
  /** `pass_criteria.threshold` */
  readonly threshold?: number
  readonly experiment?: Experiment
  readonly exports?: { readonly oci: OciExport }
  /** deprecated in favour of `hardware.queue` */
  readonly queue?: Queue
  readonly hardware?: HardwareConfig
  /** where they differ from the tenant's and the server's */
  readonly validityLimits?: OwnLimits
  readonly custom?: FreeForm
  /** judges the job when it has ended */
  readonly gate?: JobGate
  /** its benchmarks are asked until what the gate would say is certain enough */
  readonly earlyStop?: EarlyStop
  /** what all its benchmarks may use of the model together */
  readonly budget?: Budget
  /** answers of the model are kept, so that a rerun of what failed need not ask for them again */
  readonly resume?: boolean
  /** of a rerun; never of the caller's making */
  readonly rerunOf?: RerunOf
  /** who is told when it has ended and was judged */
  readonly notifications?: ReadonlyArray<Notification>
  /** addresses of its tenant, as they were when it was submitted; records do not show them */
  readonly tenantNotifications?: ReadonlyArray<Notification>
  /** trace of the submission (W3C), never of the caller's making: its units continue it, records do not show it */
  readonly traceparent?: string
  /** workspace of the tracking server in which the experiment was found or made: its units must use the same; records do not show it */
  readonly trackerWorkspace?: string
}

export type Source = "job" | "collection" | "provider" | "default"

/** everything about a benchmark that must not change after the job was created, whoever edits provider or collection later */
export interface BenchmarkSnapshot {
  readonly primaryScore?: PrimaryScore & { readonly source: Source }
  readonly threshold?: { readonly value: number; readonly source: Source }
  /** default 1; 0 excludes from the job's score */
  readonly weight: number
  readonly runtime: ProviderRuntime
  readonly requirements?: Requirements
  /** what the provider's row says; a parameter of the benchmark goes before it */
  readonly numFewShot?: number
  readonly resources: ResolvedResources
  readonly queue?: QueueChoice
  /** of the job, else of its tenant, where they differ from the server's */
  readonly validityLimits?: OwnLimits
  /** its own; in a cluster, where no gateway sees the whole job, with its share of the job's */
  readonly budget?: Budget
  /** of the model's tokens */
  readonly price?: Price
  /** what it is watched for, so that it may stop early */
  readonly earlyStop?: StopPlan
}

/** finite numbers, and strings and booleans as reported; "NaN", "Infinity", "-Infinity" stand for what JSON cannot say */
export type MetricValue = number | string | boolean
export type Metrics = { readonly [name: string]: MetricValue }

export interface MetricDescription extends MetricFacts {
  readonly type?: string
}

/** `results.benchmarks[].test`: the verdict of one benchmark */
export interface BenchmarkTest {
  readonly primaryScore: number
  readonly metric: string
  readonly lowerIsBetter: boolean
  readonly threshold?: number
  /** absent without a threshold, and when the value can not be believed or lies outside its scale */
  readonly pass?: boolean
  /** what the items show; absent without a threshold */
  readonly decided?: Decided
  readonly interval?: Interval
  readonly bounds?: Bounds
}

export interface BenchmarkResult {
  readonly metrics: Metrics
  readonly metricsSchema?: ReadonlyArray<MetricDescription>
  readonly artifacts?: FreeForm
  readonly additionalInfo?: FreeForm
  readonly trackerRunId?: string
  readonly logsPath?: string
  readonly validity?: Validity
  /** asked until the gate's outcome was certain enough; absent: all items were */
  readonly earlyStopped?: EarlyStopped
  /** the stored samples at the end, and once more when no more are taken */
  readonly samples?: SampleSeal
  /** what was seen of the model's traffic; kept for judging again, shown to nobody */
  readonly wire?: WireCounts
  readonly test?: BenchmarkTest
  readonly notes?: ReadonlyArray<string>
}

export interface Progress {
  readonly message?: string
  readonly completed?: number
  readonly total?: number
}

/** what a runtime makes for one launch, so that a change of settings or a restart never loses it (cluster-objects.md, "Names", "Launching") */
export interface Backing {
  readonly name: string
  /** identity of the object that was made; present once the launch is complete: from then on its absence is a loss, not a launch to come */
  readonly uid?: string
}

/** one benchmark of a job; `index` is its identity */
export interface Benchmark {
  readonly index: number
  readonly entry: BenchmarkEntry
  readonly snapshot: BenchmarkSnapshot
  /** launch number of the runtime unit, from 1; raised only when an earlier launch never started */
  readonly attempt: number
  /** of this attempt; absent where the runtime keeps nothing */
  readonly backing?: Backing
  readonly state: BenchmarkState
  readonly phase?: Phase
  readonly progress?: Progress
  readonly error?: Message
  readonly warning?: Message
  /** ISO 8601 UTC with milliseconds, as all times of the domain's records */
  readonly startedAt?: string
  readonly completedAt?: string
  /** by the server's clock, where `completedAt` is by the adapter's */
  readonly endedAt?: string
  /** runtime fact: when the unit's process or pod started; fallback of `startedAt` */
  readonly spawnedAt?: string
  /** runtime fact: since when the unit is taken off its node, to start again later; no time runs meanwhile */
  readonly interruptedAt?: string
  /** runtime fact: when it last came back; the deadline counts from here */
  readonly resumedAt?: string
  readonly result?: BenchmarkResult
  /** digest of the accepted terminal event, so that its replay is recognised */
  readonly terminalDigest?: string
  /** a tracker failure reported by an adapter that may still complete (states-and-scores.md, "Never stuck") */
  readonly heldFailure?: Message
  /** goes on where an earlier one that failed ended: the benchmark under which the answers of both are kept */
  readonly resumes?: { readonly job: string; readonly index: number }
  /** of the model, as far as it was told; also what is told after the end */
  readonly usage?: Usage
  /** what the last counter told, which is part of `usage` */
  readonly counted?: CountedSpent
  /** taken over as it ended from the benchmark that ran in an earlier job, whose samples are its samples */
  readonly carried?: { readonly job: string; readonly index: number }
}

/** how many benchmarks are in each state; the job's state is a function of it */
export type StateCounts = { readonly [State in BenchmarkState]: number }

/** `results.test`: score and verdict of the whole job */
export interface JobTest {
  readonly score: number
  readonly threshold: number
  readonly pass: boolean
  /** share of the total weight that counts in the score, 0..1 */
  readonly coverage: number
  /** absent in records of before it was decided */
  readonly decided?: Decided
  /** of the score; absent when a benchmark has none, is left out, or shares its items with another one */
  readonly bounds?: Bounds
  readonly notes?: ReadonlyArray<string>
}

/** the part of a job whose size does not depend on the number of benchmarks */
export interface JobHead {
  readonly id: string
  readonly tenant: string
  readonly owner?: string
  readonly createdAt: string
  readonly updatedAt: string
  readonly name: string
  readonly state: JobState
  readonly message: Message
  /** benchmarks in the job, and of them how many in each state */
  readonly counts: StateCounts
  readonly model: ModelRef
  /** effective job threshold: the job's, else the collection's, else 0.5 */
  readonly threshold: number
  readonly trackerExperimentId?: string
  readonly trackerExperimentUrl?: string
  readonly test?: JobTest
  /** of all its own benchmarks, as far as it was told */
  readonly usage?: Usage
}

/** the whole aggregate */
export interface Job extends JobHead {
  /** as given, with `benchmarks` replaced by the effective entries when a collection was named */
  readonly request: JobRequest & { readonly benchmarks: ReadonlyArray<BenchmarkEntry> }
  readonly benchmarks: ReadonlyArray<Benchmark>
}
