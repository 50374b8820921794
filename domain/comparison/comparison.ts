/** A comparison of jobs as it was asked for and as it is kept. Reference: comparison-and-gates.md, "Comparing jobs". */
import { given, type Path } from "../path.ts"
import { shown, type Violation, violation } from "../violation.ts"
import type { BenchmarkName, JobComparison } from "./compare-jobs.ts"

/** a job that a request names, and where */
export interface NamedJob {
  readonly id: string
  readonly path: Path
}

export interface ComparisonRequest {
  readonly baseline: NamedJob
  readonly candidates: ReadonlyArray<NamedJob>
  readonly alpha: number
  readonly tolerance?: number
  /** only these; absent: all */
  readonly benchmarks?: ReadonlyArray<BenchmarkName>
}

/** the job as far as a comparison shows it */
export interface ComparedJob {
  readonly id: string
  readonly name: string
  readonly model: { readonly url: string; readonly name: string }
}

export interface Comparison {
  readonly id: string
  readonly tenant: string
  readonly owner: string
  readonly createdAt: string
  /** digest of the jobs' results and samples and of what was asked: equal inputs have one comparison */
  readonly inputs: string
  readonly alpha: number
  readonly tolerance?: number
  readonly benchmarks?: ReadonlyArray<BenchmarkName>
  readonly baseline: ComparedJob
  readonly candidates: ReadonlyArray<JobComparison & { readonly job: ComparedJob }>
}

/**
 * Of the statistics, a part of the inputs: raised whenever the same samples lead to another answer, so that what older rules concluded is
 * neither answered again nor taken for a gate.
 */
export const statisticsVersion = 1

export const defaultAlpha = 0.05
export const largestAlpha = 0.2
export const mostCandidates = 7

/** undefined: fine */
export const alphaProblem = (alpha: number, path: Path): Violation | undefined =>
  alpha > 0 && alpha <= largestAlpha
    ? undefined
    : violation(
        path,
        `alpha is ${shown(alpha)}; it must be above 0 and at most ${largestAlpha}: the chance of a wrong outcome`
      )

const toleranceProblem = (tolerance: number | undefined, path: Path): Violation | undefined =>
  tolerance === undefined || (Number.isFinite(tolerance) && tolerance >= 0)
    ? undefined
    : violation(path, `tolerance is ${shown(tolerance)}; it must be a loss of at least 0 in the units of the metric`)

/** rules that need no job */
export const checkComparison = ({
  baseline,
  benchmarks,
  candidates,
  alpha,
  tolerance
}: ComparisonRequest): ReadonlyArray<Violation> => {
  const seen = new Set([baseline.id])
  const repeated = candidates.flatMap(({ id, path }) => {
    const isKnown = seen.has(id)
    seen.add(id)
    return isKnown ? [violation(path, `job ${shown(id)} is named twice; a job is compared with other ones`)] : []
  })
  const count =
    candidates.length >= 1 && candidates.length <= mostCandidates
      ? undefined
      : violation(
          [given("candidates")],
          `there are ${candidates.length} candidates; name 1 to ${mostCandidates} jobs in candidates, or one in candidate`
        )
  return [
    count,
    alphaProblem(alpha, [given("alpha")]),
    toleranceProblem(tolerance, [given("tolerance")]),
    benchmarks?.length === 0
      ? violation([given("benchmarks")], "benchmarks is empty; name at least one, or leave it out to compare all")
      : undefined,
    ...repeated
  ].filter((problem) => problem !== undefined)
}
