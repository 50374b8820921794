/**
 * What each benchmark of a job is watched for when the job may stop early, or why it may not: every gating criterion must be about a mean of items
 * that come in an order of the adapter's own drawing, by itself or against a baseline that asked all of them. Reference: early-stop.md, "Asking for it".
 */
import { Either } from "effect"
import type { Side } from "../comparison/compare-benchmark.ts"
import { alphaProblem } from "../comparison/comparison.ts"
import type { Benchmark, Job } from "../job/job.ts"
import { scaleOf } from "../job/scoring.ts"
import { given, type Path } from "../path.ts"
import { rangeOf } from "../score/scale.ts"
import { member, say } from "../sentence.ts"
import { type Violation, violation } from "../violation.ts"
import type { Criterion } from "./criteria.ts"
import type { StopPlan } from "./early-stop.ts"
import { alphaAt } from "./judge-gate.ts"
import { benchmarksOf } from "./policy.ts"
import { stopBaseline } from "./stop-baseline.ts"

const code = "early_stop_unsupported"
const stop = member(["earlyStop"])
const wayOut = say`leave out ${stop}, or make the criterion advisory`

const namedBenchmark = (benchmark: Benchmark) => ({
  ...{ id: benchmark.entry.id, providerId: benchmark.entry.providerId },
  benchmark
})

const isGating = ({ tier }: Criterion): boolean => tier === "gating"

const problemOf = (
  criterion: Criterion,
  { entry, snapshot }: Benchmark
): readonly [member: string, why: string] | undefined => {
  const { metric } = criterion
  const name = `'${entry.providerId}/${entry.id}'`
  if (snapshot.requirements?.flags?.includes("stoppable") !== true)
    return [
      "benchmark",
      `benchmark ${name} can not stop early: the order of its items is not drawn by its adapter, or its primary metric is no mean of them`
    ]
  if (metric !== undefined && metric !== snapshot.primaryScore?.metric)
    return ["metric", `an early stop watches the primary metric of ${name}, which is ${snapshot.primaryScore?.metric}`]
  return rangeOf(scaleOf(snapshot)) === undefined
    ? ["metric", `the primary metric of ${name} has no scale with two ends`]
    : undefined
}

const otherBaseline = say`; name one that serves, make the criteria on it advisory, or leave out ${stop}`

/** a benchmark of the baseline, as far as it has it */
export type BaselineOf = (benchmark: Benchmark) => Side | undefined

const baselinePath: Path = [given("gate"), given("baseline"), given("job")]

/** benchmarks of which a gating criterion holds the job against its baseline, those that ran in another job left out */
export const pairedBenchmarks = ({ benchmarks, request: { gate } }: Pick<Job, "benchmarks" | "request">) => {
  const named = benchmarks.map(namedBenchmark)
  const paired = (gate?.policy.criteria ?? []).flatMap((criterion) => {
    const [found] = isGating(criterion) && criterion.kind !== "absolute" ? benchmarksOf(criterion, named) : []
    return found === undefined || found.benchmark.carried !== undefined ? [] : [found.benchmark]
  })
  return [...new Set(paired)]
}

const watchedFor = (criterion: Criterion, look: number): StopPlan["criteria"][number] => {
  const { kind, threshold = Number.NaN, tolerance = 0 } = criterion
  const alpha = alphaAt(criterion.alpha, look)
  return kind === "absolute" ? { threshold, alpha } : { kind, tolerance, alpha }
}

/** of the benchmarks that run in this job; the policy is known to fit them. `look`: which it will be. */
export const planEarlyStop = (
  job: Job,
  look: number,
  baselineOf: BaselineOf = () => undefined
): Either.Either<Job, ReadonlyArray<Violation>> => {
  const { earlyStop, gate } = job.request
  if (earlyStop === undefined) return Either.right(job)
  const alpha = alphaProblem(earlyStop.alpha, ["earlyStop", given("alpha")])
  if (gate === undefined)
    return Either.left([
      violation(
        ["earlyStop"],
        say`${stop} ends asking when the outcome of the job's gate is certain enough, and the job has none; give it a gate, or leave ${stop} out`,
        code
      )
    ])
  const named = job.benchmarks.map(namedBenchmark)
  const at = (number: number, name: string): Path => [
    ...[given("gate"), given("policy"), given("criteria"), number, given(name)]
  ]
  const gating = gate.policy.criteria.filter(isGating).length
  const problems: Array<Violation> = alpha === undefined ? [] : [alpha]
  const plans = new Map<Benchmark, StopPlan>()
  for (const [number, criterion] of gate.policy.criteria.entries()) {
    if (!isGating(criterion)) continue
    // the gate judges the first of a name
    const [found] = benchmarksOf(criterion, named)
    if (found === undefined || found.benchmark.carried !== undefined) continue
    const problem = problemOf(criterion, found.benchmark)
    if (problem !== undefined) {
      problems.push(violation(at(number, problem[0]), say`${problem[1]}; ${wayOut}`, code))
      continue
    }
    const plan = plans.get(found.benchmark) ?? { alpha: earlyStop.alpha, gating, criteria: [] }
    plans.set(found.benchmark, { ...plan, criteria: [...plan.criteria, watchedFor(criterion, look)] })
  }
  for (const benchmark of problems.length > 0 ? [] : pairedBenchmarks(job)) {
    const plan = plans.get(benchmark)
    const baseline = stopBaseline(baselineOf(benchmark), benchmark)
    const name = `${benchmark.entry.providerId}/${benchmark.entry.id}`
    if (Either.isLeft(baseline))
      problems.push(
        violation(
          baselinePath,
          say`the job pairs no items for an early stop: '${name}' ${baseline.left}${otherBaseline}`,
          code
        )
      )
    else if (plan !== undefined) plans.set(benchmark, { ...plan, baseline: baseline.right })
  }
  if (problems.length > 0) return Either.left(problems)
  return Either.right({
    ...job,
    benchmarks: job.benchmarks.map((benchmark) => {
      const plan = plans.get(benchmark)
      return plan === undefined ? benchmark : { ...benchmark, snapshot: { ...benchmark.snapshot, earlyStop: plan } }
    })
  })
}
