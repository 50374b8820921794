/** The answer of a dry run: what would be run and where every value comes from. Nothing is stored. Decisions 2, `dry_run`. */
import type { QueueChoice } from "../hardware/resolve-queue.ts"
import type { ResolvedResources } from "../hardware/resolve-resources.ts"
import type { Mode } from "./check-runnable.ts"
import type { BenchmarkSnapshot, FreeForm } from "./job.ts"
import type { Submission, SubmissionWarning } from "./submission.ts"

export interface PlannedBenchmark {
  readonly index: number
  readonly providerId: string
  readonly id: string
  readonly weight: number
  readonly primaryScore?: NonNullable<BenchmarkSnapshot["primaryScore"]>
  readonly threshold?: NonNullable<BenchmarkSnapshot["threshold"]>
  readonly parameters?: FreeForm
  /** cluster: container image and entry point; absent image = the server's own */
  readonly image?: string
  readonly entrypoint?: ReadonlyArray<string>
  readonly resources?: ResolvedResources
  readonly queue?: QueueChoice
  /** local: the command */
  readonly command?: string
}

export interface SubmissionPlan {
  readonly mode: Mode
  readonly name: string
  readonly threshold: { readonly value: number; readonly source: "job" | "collection" | "default" }
  readonly serviceAccount?: string
  readonly benchmarks: ReadonlyArray<PlannedBenchmark>
  readonly warnings: ReadonlyArray<SubmissionWarning>
}

const whereItRuns = (
  { runtime, resources, queue }: BenchmarkSnapshot,
  mode: Mode
): Pick<PlannedBenchmark, "image" | "entrypoint" | "resources" | "queue" | "command"> => {
  if (mode === "local") return runtime.local === undefined ? {} : { command: runtime.local.command }
  const { image, entrypoint } = runtime.k8s ?? {}
  return {
    ...(image === undefined ? {} : { image }),
    ...(entrypoint === undefined ? {} : { entrypoint }),
    resources,
    ...(queue === undefined ? {} : { queue })
  }
}

/** `serviceAccount`: the account the pods would run under; cluster only */
export const planOf = ({ job, thresholdSource, warnings }: Submission, mode: Mode, serviceAccount?: string): SubmissionPlan => ({
  mode,
  name: job.name,
  threshold: { value: job.threshold, source: thresholdSource },
  ...(serviceAccount === undefined ? {} : { serviceAccount }),
  benchmarks: job.benchmarks.map(({ index, entry, snapshot }) => ({
    index,
    providerId: entry.providerId,
    id: entry.id,
    weight: snapshot.weight,
    ...(snapshot.primaryScore === undefined ? {} : { primaryScore: snapshot.primaryScore }),
    ...(snapshot.threshold === undefined ? {} : { threshold: snapshot.threshold }),
    ...(entry.parameters === undefined ? {} : { parameters: entry.parameters }),
    ...whereItRuns(snapshot, mode)
  })),
  warnings
})
