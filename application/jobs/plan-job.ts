/** The dry run of a submission: what would run, with the source of every value; stores nothing. Reference: api.md, "Submitting a job". */
import { Effect } from "effect"
import type { Benchmark, JobRequest } from "../../domain/job/job.ts"
import type { Sentence } from "../../domain/sentence.ts"
import { defined } from "../../values/defined.ts"
import type { Caller } from "../access/caller.ts"
import { Runtime } from "../ports/runtime.ts"
import { type Estimate, estimateUsage } from "../usage/estimate-usage.ts"
import { JobPolicy } from "./job-policy.ts"
import { prepareJob } from "./prepare-job.ts"

export interface Plan {
  readonly runtime: "local" | "cluster"
  readonly threshold: number
  readonly benchmarks: ReadonlyArray<Benchmark & { readonly estimate?: Estimate }>
  readonly serviceAccount?: string
  readonly warnings: ReadonlyArray<Sentence>
}

export const planJob = Effect.fn("jobs.plan")(function* (
  caller: Caller,
  request: JobRequest,
  notes: ReadonlyArray<string> = []
) {
  const { job, warnings } = yield* prepareJob(caller, request, notes)
  const { kind } = yield* Runtime
  const { serviceAccount } = yield* JobPolicy
  const plan: Plan = {
    runtime: kind,
    threshold: job.threshold,
    benchmarks: yield* Effect.forEach(job.benchmarks, (benchmark) =>
      Effect.map(estimateUsage(caller.tenant, benchmark), (estimate) => ({ ...benchmark, ...defined({ estimate }) }))
    ),
    ...defined({ serviceAccount }),
    warnings: warnings.map(({ message }) => message)
  }
  return plan
})
