/**
 * Compares jobs with a baseline and keeps the answer; asked again over the same results it is answered again.
 * Reference: comparison-and-gates.md, "Comparing jobs".
 */

import { Effect } from "effect"
import { compareBenchmark } from "../../domain/comparison/compare-benchmark.ts"
import { concludeJobs, isNamed, matchBenchmarks } from "../../domain/comparison/compare-jobs.ts"
import {
  type Comparison,
  type ComparisonRequest,
  checkComparison,
  statisticsVersion
} from "../../domain/comparison/comparison.ts"
import type { Benchmark, Job } from "../../domain/job/job.ts"
import { shown, violation } from "../../domain/violation.ts"
import { defined } from "../../values/defined.ts"
import type { Caller } from "../access/caller.ts"
import { Invalid, NotFound } from "../errors.ts"
import { isoNow } from "../iso-now.ts"
import { Identifiers } from "../ports/identifiers.ts"
import { type DecisionKind, DecisionStore } from "../ports/stores/decision-store.ts"
import { JobStore } from "../ports/stores/job-store.ts"
import { comparedJob, jobInputs, namedJob, sideOf } from "./job-evidence.ts"

export interface Kept {
  /** JSON of the `Comparison` */
  readonly record: string
  readonly id: string
  /** false: it was there already */
  readonly isNew: boolean
}

interface Chosen {
  readonly job: Job
  readonly benchmarks: ReadonlyArray<Benchmark>
}

const inputsOf = (
  request: Pick<ComparisonRequest, "alpha" | "tolerance" | "benchmarks">,
  chosen: ReadonlyArray<Chosen>
) =>
  Effect.gen(function* () {
    const jobs = yield* Effect.forEach(chosen, ({ job, benchmarks }) => jobInputs(job, benchmarks))
    const { alpha, tolerance, benchmarks } = request
    return (yield* DecisionStore).digest({
      kind: "comparison",
      statistics: statisticsVersion,
      ...{ alpha, tolerance, benchmarks, jobs }
    })
  })

const choose = (job: Job, names: ComparisonRequest["benchmarks"]): Chosen => ({
  job,
  benchmarks: job.benchmarks.filter(isNamed(names))
})

/** of a job that was compared with many, only so many of the last are looked through */
const lastOnes = 5

/** what the last comparison of these two found, when nothing that it was made of has changed since */
export const storedComparison = Effect.fnUntraced(function* (tenant: string, baseline: Job, candidate: Job) {
  const page = { limit: lastOnes, offset: 0 }
  const { items } = yield* (yield* DecisionStore).ofJob(tenant, "comparison", candidate.id, page)
  const last = items
    .map((text) => JSON.parse(text) as Comparison)
    .find(
      ({ baseline: { id }, candidates: [first, ...more] }) =>
        id === baseline.id && first?.job.id === candidate.id && more.length === 0
    )
  if (last === undefined) return undefined
  const inputs = yield* inputsOf(last, [choose(baseline, last.benchmarks), choose(candidate, last.benchmarks)])
  return inputs === last.inputs ? last.candidates[0] : undefined
})

/** one benchmark after the other, so that no more than two runs of one are in memory */
const compared = (baseline: Chosen, candidate: Chosen, request: ComparisonRequest) =>
  Effect.gen(function* () {
    const asked = { alpha: request.alpha, ...defined({ tolerance: request.tolerance }) }
    const pairs = yield* Effect.forEach(matchBenchmarks(baseline.benchmarks, candidate.benchmarks), (pair) =>
      Effect.gen(function* () {
        const one = pair.baseline === undefined ? undefined : yield* sideOf(baseline.job, pair.baseline)
        const other = pair.candidate === undefined ? undefined : yield* sideOf(candidate.job, pair.candidate)
        const weighing = pair.candidate ?? pair.baseline
        return weighing === undefined ? [] : [{ weighing, comparison: compareBenchmark(one, other, asked) }]
      })
    )
    return concludeJobs(pairs.flat(), asked)
  })

const unknownNames = ({ benchmarks = [] }: ComparisonRequest, jobs: ReadonlyArray<Job>) =>
  benchmarks.flatMap((name, at) =>
    jobs.some((job) => job.benchmarks.some(isNamed([name])))
      ? []
      : [
          violation(
            ["benchmarks", at, "id"],
            `none of the jobs has a benchmark ${shown(name.id)}; they have ${[...new Set(jobs.flatMap((job) => job.benchmarks.map(({ entry }) => shown(entry.id))))].slice(0, 20).join(", ")}`,
            "resource_does_not_exist"
          )
        ]
  )

const refuse = (violations: ReadonlyArray<ReturnType<typeof violation>>) => {
  const [first, ...rest] = violations
  return first === undefined ? Effect.void : Effect.fail(new Invalid({ violations: [first, ...rest] }))
}

export const createComparison = Effect.fnUntraced(function* (caller: Caller, request: ComparisonRequest) {
  yield* refuse(checkComparison(request))
  const { tenant, owner } = caller
  const jobs = yield* Effect.forEach([request.baseline, ...request.candidates], (named) => namedJob(tenant, named))
  yield* refuse(unknownNames(request, jobs))
  const chosen = jobs.map((job) => choose(job, request.benchmarks))
  const [baseline, ...candidates] = chosen
  if (baseline === undefined) return yield* Effect.dieMessage("a comparison has a baseline")
  const store = yield* DecisionStore
  const inputs = yield* inputsOf(request, chosen)
  const { same } = yield* store.earlier(tenant, "comparison", inputs, inputs)
  if (same !== undefined) return { ...same, isNew: false } satisfies Kept
  const { alpha, tolerance, benchmarks } = request
  const id = yield* (yield* Identifiers).next
  const made: Comparison = {
    id,
    tenant,
    owner,
    createdAt: yield* isoNow,
    inputs,
    alpha,
    ...defined({ tolerance, benchmarks }),
    baseline: comparedJob(baseline.job),
    candidates: yield* Effect.forEach(candidates, (candidate) =>
      Effect.map(compared(baseline, candidate, request), (found) => ({ job: comparedJob(candidate.job), ...found }))
    )
  }
  const record = JSON.stringify(made)
  const outcome = yield* Effect.uninterruptible(
    store.add({
      ...{ tenant, kind: "comparison", id, series: inputs, look: 1, inputs, record },
      createdAt: made.createdAt,
      jobs: jobs.map((job) => job.id)
    })
  )
  if (outcome === "added") return { id, record, isNew: true } satisfies Kept
  // somebody else asked the same at the same moment
  const first = (yield* store.earlier(tenant, "comparison", inputs, inputs)).same
  return first === undefined
    ? yield* Effect.dieMessage("a look that is taken has an answer")
    : ({ ...first, isNew: false } satisfies Kept)
})

/** the record of a comparison or a gate as it was stored */
export const getDecision = Effect.fnUntraced(function* ({ tenant }: Caller, kind: DecisionKind, id: string) {
  const record = yield* (yield* DecisionStore).find(tenant, kind, id)
  return record ?? (yield* new NotFound({ kind, id }))
})

/** those that a job takes part in, newest first */
export const listDecisions = Effect.fnUntraced(function* (
  { tenant }: Caller,
  kind: DecisionKind,
  jobId: string,
  page: { readonly limit: number; readonly offset: number }
) {
  const { head } = yield* (yield* JobStore).loadBenchmark(jobId, 0)
  if (head.tenant !== tenant) return yield* new NotFound({ kind: "job", id: jobId })
  return yield* (yield* DecisionStore).ofJob(tenant, kind, jobId, page)
})
