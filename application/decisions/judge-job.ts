/**
 * Judges a job by a policy and keeps the answer. Asked again over the same inputs it is answered again; over others it is a further look,
 * for which less of alpha is left. Reference: comparison-and-gates.md, "Gates", "Looks".
 */

import { Effect } from "effect"
import type { Side } from "../../domain/comparison/compare-benchmark.ts"
import { matchBenchmarks } from "../../domain/comparison/compare-jobs.ts"
import type { NamedJob } from "../../domain/comparison/comparison.ts"
import type { Criterion, Policy } from "../../domain/gate/criteria.ts"
import type { Gate } from "../../domain/gate/gate.ts"
import { isAbout } from "../../domain/gate/judge-criterion.ts"
import { alphaAt, judgeGate } from "../../domain/gate/judge-gate.ts"
import type { CriterionEvidence } from "../../domain/gate/measured.ts"
import { benchmarksOf, checkPolicy, checkPolicyAgainst, type KnownBenchmark } from "../../domain/gate/policy.ts"
import type { Benchmark, Job } from "../../domain/job/job.ts"
import { scaleOf } from "../../domain/job/scoring.ts"
import { given, type Path } from "../../domain/path.ts"
import { shown, type Violation, violation } from "../../domain/violation.ts"
import { defined } from "../../values/defined.ts"
import type { Caller } from "../access/caller.ts"
import { Invalid } from "../errors.ts"
import { isoNow } from "../iso-now.ts"
import { Identifiers } from "../ports/identifiers.ts"
import { DecisionStore } from "../ports/stores/decision-store.ts"
import { JobStore } from "../ports/stores/job-store.ts"
import { type Kept, storedComparison } from "./compare-jobs.ts"
import { comparedJob, jobInputs, namedJob, samplesOfMetric, sideOf } from "./job-evidence.ts"

export interface GateRequest {
  readonly policy: Policy
  readonly baseline?: NamedJob
}

export const knownOf = (benchmark: Benchmark): KnownBenchmark => {
  const { entry, snapshot, result } = benchmark
  return {
    id: entry.id,
    providerId: entry.providerId,
    scale: scaleOf(snapshot),
    ...defined({
      primary: snapshot.primaryScore,
      metrics: result === undefined ? undefined : Object.keys(result.metrics)
    })
  }
}

/** below the member of the body that holds the policy */
const below =
  (path: Path) =>
  (one: Violation): Violation => ({ ...one, path: [...path, ...one.path] })

const needsBaseline = ({ criteria }: Policy): boolean => criteria.some(({ kind }) => kind !== "absolute")

const policyPath: Path = [given("policy")]

/** everything that is wrong with a policy for these benchmarks */
export const policyProblems = (
  { policy, baseline }: GateRequest,
  benchmarks: ReadonlyArray<KnownBenchmark>
): ReadonlyArray<Violation> => [
  ...[...checkPolicy(policy), ...checkPolicyAgainst(policy, benchmarks)].map(below(policyPath)),
  ...(needsBaseline(policy) && baseline === undefined
    ? [
        violation(
          [given("baseline")],
          "the policy has criteria relative to a baseline; name a finished job in baseline",
          "policy_invalid"
        )
      ]
    : [])
]

/** sides that were read for earlier criteria of one gate, by job, benchmark and metric */
type Sides = Map<string, Side>

/** the side of a criterion: primary metrics are in the narrow rows, others in the records */
const sideFor = (job: Job, benchmark: Benchmark | undefined, { metric }: Criterion, sides: Sides) =>
  Effect.gen(function* () {
    if (benchmark === undefined) return undefined
    const isPrimary = metric === undefined || metric === benchmark.snapshot.primaryScore?.metric
    const key = JSON.stringify([job.id, benchmark.index, isPrimary ? null : metric])
    const known = sides.get(key)
    if (known !== undefined) return known
    const side: Side = isPrimary
      ? yield* sideOf(job, benchmark)
      : { benchmark, samples: yield* samplesOfMetric(job, benchmark, metric) }
    sides.set(key, side)
    return side
  })

const named = (benchmark: Benchmark) => ({ id: benchmark.entry.id, providerId: benchmark.entry.providerId, benchmark })

type Compared = Effect.Effect.Success<ReturnType<typeof storedComparison>>

/** the stored comparison of two benchmarks, where it tells all that a criterion asks */
const knownFor = (compared: Compared, criterion: Criterion, before: Benchmark | undefined, after: Benchmark) => {
  const known = compared?.benchmarks.find(
    ({ baselineIndex, candidateIndex }) => baselineIndex === before?.index && candidateIndex === after.index
  )
  return known !== undefined && before !== undefined && isAbout(known, criterion) ? known : undefined
}

const evidenceFor = (
  criterion: Criterion,
  alpha: number,
  [job, baseline]: readonly [Job, Job | undefined],
  compared: Compared,
  sides: Sides
) =>
  Effect.gen(function* () {
    const [found] = benchmarksOf(criterion, job.benchmarks.map(named))
    const pair =
      found === undefined || baseline === undefined
        ? undefined
        : matchBenchmarks(baseline.benchmarks, job.benchmarks).find(({ candidate }) => candidate === found.benchmark)
    const other = criterion.kind === "absolute" ? undefined : pair?.baseline
    const known = found === undefined ? undefined : knownFor(compared, criterion, other, found.benchmark)
    if (known !== undefined && found !== undefined && other !== undefined) {
      const [candidate, before] = [found.benchmark, other].map((benchmark): Side => ({ benchmark, samples: undefined }))
      return { criterion, alpha, candidate, baseline: before, known } satisfies CriterionEvidence
    }
    const evidence: CriterionEvidence = {
      criterion,
      alpha,
      candidate: yield* sideFor(job, found?.benchmark, criterion, sides),
      baseline: baseline === undefined ? undefined : yield* sideFor(baseline, other, criterion, sides)
    }
    return evidence
  })

/** the benchmarks that a policy looks at */
export const lookedAt = ({ criteria }: Policy, job: Job): ReadonlyArray<Benchmark> =>
  job.benchmarks.filter((benchmark) => criteria.some((one) => benchmarksOf(one, [named(benchmark)]).length > 0))

/** decisions of this policy on this model and baseline; their number is kept when jobs are gone. `inputs`: those of one that may have been made. */
export const earlierDecisions = (job: Job, policy: string, baseline: string | undefined, inputs = "") =>
  Effect.gen(function* () {
    const store = yield* DecisionStore
    const { url, name } = job.model
    const series = store.digest({ policy, model: { url, name }, baseline: baseline ?? "" })
    return { series, ...(yield* store.earlier(job.tenant, "gate", series, inputs)) }
  })

/** the answer for a job that exists and a policy that fits it */
export const judge = Effect.fnUntraced(function* (caller: Caller, job: Job, policy: Policy, baseline: Job | undefined) {
  const { tenant, owner } = caller
  const store = yield* DecisionStore
  const policyDigest = store.digest(policy)
  const jobs = baseline === undefined ? [job] : [job, baseline]
  const found = yield* Effect.forEach(jobs, (one) => jobInputs(one, lookedAt(policy, one)))
  const inputs = store.digest({ kind: "gate", policy: policyDigest, jobs: found })
  const id = yield* (yield* Identifiers).next
  const createdAt = yield* isoNow
  for (;;) {
    const { series, looks, same } = yield* earlierDecisions(job, policyDigest, baseline?.id, inputs)
    if (same !== undefined) return { ...same, isNew: false } satisfies Kept
    const look = looks + 1
    const compared = baseline === undefined ? undefined : yield* storedComparison(tenant, baseline, job)
    const sides: Sides = new Map()
    const evidence = yield* Effect.forEach(policy.criteria, (criterion) =>
      evidenceFor(criterion, alphaAt(criterion.alpha, look), [job, baseline], compared, sides)
    )
    const made: Gate = {
      ...{ id, tenant, owner, createdAt, policyDigest, inputs, look, policy, job: comparedJob(job) },
      ...defined({ baseline: baseline === undefined ? undefined : comparedJob(baseline) }),
      ...judgeGate(evidence)
    }
    const record = JSON.stringify(made)
    const outcome = yield* Effect.uninterruptible(
      store.add({
        ...{ tenant, kind: "gate", id, series, look, inputs, createdAt, record },
        jobs: jobs.map((one) => one.id)
      })
    )
    if (outcome === "added") return { id, record, isNew: true } satisfies Kept
  }
})

/** held against itself every job passes */
const selfProblems = (jobId: string, baseline: NamedJob | undefined): ReadonlyArray<Violation> =>
  baseline?.id === jobId
    ? [violation(baseline.path, `job ${shown(jobId)} is the one that is judged; name another one as its baseline`)]
    : []

export const createGate = Effect.fnUntraced(function* (caller: Caller, jobId: string, request: GateRequest) {
  const job = yield* (yield* JobStore).load(caller.tenant, jobId)
  const [first, ...rest] = [
    ...policyProblems(request, job.benchmarks.map(knownOf)),
    ...selfProblems(jobId, request.baseline)
  ]
  if (first !== undefined) return yield* new Invalid({ violations: [first, ...rest] })
  const baseline = request.baseline === undefined ? undefined : yield* namedJob(caller.tenant, request.baseline)
  return yield* judge(caller, job, request.policy, baseline)
})
