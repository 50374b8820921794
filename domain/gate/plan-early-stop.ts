/**
 * What each benchmark of a job is watched for when the job may stop early, or why it may not: every gating criterion must be a threshold for a
 * mean of items that come in an order of the adapter's own drawing. Reference: early-stop.md, "Asking for it".
 */
import { Either } from "effect"
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

const code = "early_stop_unsupported"
const stop = member(["earlyStop"])
const wayOut = say`leave out ${stop}, or make the criterion advisory`

const problemOf = (
  criterion: Criterion,
  { entry, snapshot }: Benchmark
): readonly [member: string, why: string] | undefined => {
  const { kind, metric } = criterion
  const name = `'${entry.providerId}/${entry.id}'`
  if (snapshot.requirements?.flags?.includes("stoppable") !== true)
    return [
      "benchmark",
      `benchmark ${name} can not stop early: the order of its items is not drawn by its adapter, or its primary metric is no mean of them`
    ]
  if (kind !== "absolute")
    return [
      "kind",
      "an early stop predicts thresholds, not differences to a baseline, which take the items of both runs"
    ]
  if (metric !== undefined && metric !== snapshot.primaryScore?.metric)
    return ["metric", `an early stop watches the primary metric of ${name}, which is ${snapshot.primaryScore?.metric}`]
  return rangeOf(scaleOf(snapshot)) === undefined
    ? ["metric", `the primary metric of ${name} has no scale with two ends`]
    : undefined
}

/** of the benchmarks that run in this job; the policy is known to fit them. `look`: which it will be. */
export const planEarlyStop = (job: Job, look: number): Either.Either<Job, ReadonlyArray<Violation>> => {
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
  const named = job.benchmarks.map((benchmark) => ({
    ...{ id: benchmark.entry.id, providerId: benchmark.entry.providerId },
    benchmark
  }))
  const at = (number: number, name: string): Path => [
    ...[given("gate"), given("policy"), given("criteria"), number, given(name)]
  ]
  const gating = gate.policy.criteria.filter(({ tier }) => tier === "gating").length
  const problems: Array<Violation> = alpha === undefined ? [] : [alpha]
  const plans = new Map<Benchmark, StopPlan>()
  for (const [number, criterion] of gate.policy.criteria.entries()) {
    if (criterion.tier !== "gating") continue
    // the gate judges the first of a name
    const [found] = benchmarksOf(criterion, named)
    if (found === undefined || found.benchmark.carried !== undefined) continue
    const problem = problemOf(criterion, found.benchmark)
    if (problem !== undefined) {
      problems.push(violation(at(number, problem[0]), say`${problem[1]}; ${wayOut}`, code))
      continue
    }
    const { threshold = Number.NaN } = criterion
    const plan = plans.get(found.benchmark) ?? { alpha: earlyStop.alpha, gating, criteria: [] }
    const criteria = [...plan.criteria, { threshold, alpha: alphaAt(criterion.alpha, look) }]
    plans.set(found.benchmark, { ...plan, criteria })
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
