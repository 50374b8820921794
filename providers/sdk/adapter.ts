/** What an adapter is: a name and one function from the job specification to results. Reference: adapter-contract.md, "Delivery". */
import { Data, type Effect, type Scope } from "effect"
import type { MetricFacts } from "../../values/benchmark/metric-facts.ts"
import type { Phase } from "../../values/benchmark/phases.ts"
import type { JobSpec } from "../contract/job-spec.ts"

/** a failure the adapter understands; becomes the `failed` event with this code. Anything else becomes `adapter_internal_error`. */
export class AdapterError extends Data.TaggedError("AdapterError")<{
  readonly code: string
  readonly message: string
  readonly retryable: boolean
}> {}

type MetricValue = number | string | boolean

/** value of one metric with what is known about its precision */
export interface Metric extends MetricFacts {
  readonly value: MetricValue
}

export interface Results {
  readonly metrics: ReadonlyArray<Metric>
  readonly artifacts?: { readonly [name: string]: unknown }
  /** what an adapter says about its run beside the metrics */
  readonly additionalInfo?: { readonly [name: string]: unknown }
}

export type ReportedPhase = Exclude<Phase, "completed">

export interface Callbacks {
  /** never blocks the evaluation and never fails: latest wins, rate-limited */
  readonly status: (report: {
    readonly phase: ReportedPhase
    readonly message?: string
    readonly completed?: number
    readonly total?: number
  }) => Effect.Effect<void>
  readonly warn: (warning: { readonly code: string; readonly message: string }) => Effect.Effect<void>
}

export interface Adapter {
  readonly name: string
  /** of the adapter, for `environment.json` */
  readonly version?: string
  readonly run: (job: JobSpec, callbacks: Callbacks) => Effect.Effect<Results, AdapterError, Scope.Scope>
}
