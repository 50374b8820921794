/** Why results count as they do: what cannot be believed, has no value, misses its threshold, or shows too little. Reference: explain.md, "Verdicts". */
import type { Gate } from "../gate/gate.ts"
import type { Benchmark, BenchmarkTest, Job } from "../job/job.ts"
import type { ValidityFlag } from "../score/validity.ts"
import { say, unquoted } from "../sentence.ts"
import { knownCause } from "./explain-failures.ts"
import { type Cause, type Evidence, nameOf, placeOf } from "./finding.ts"
import { remedyOfFlag } from "./remedies.ts"

const shown = (value: number): string => String(Number(value.toPrecision(4)))

const endedAt = (benchmark: Benchmark, job: Job): string => benchmark.completedAt ?? job.updatedAt

const flagCause = (job: Job, benchmark: Benchmark, flag: ValidityFlag): Cause => ({
  code: flag.code,
  says:
    flag.level === "blocking"
      ? `the result of ${nameOf(benchmark)} can not be believed: ${flag.message}`
      : `the result of ${nameOf(benchmark)} has a remark: ${flag.message}`,
  remedy: remedyOfFlag(flag.code),
  since: endedAt(benchmark, job),
  evidence: [
    {
      kind: "flag",
      ref: placeOf(benchmark),
      text: `${flag.code}: ${flag.count} of ${flag.of}, tolerated are ${shown(flag.limit * 100)} %`
    }
  ]
})

const completed = (job: Job): ReadonlyArray<Benchmark> => job.benchmarks.filter(({ state }) => state === "completed")

/** flags of one level over all benchmarks */
export const explainFlags = (job: Job, level: ValidityFlag["level"]): ReadonlyArray<Cause> =>
  completed(job).flatMap((benchmark) =>
    (benchmark.result?.validity?.flags ?? [])
      .filter((flag) => flag.level === level)
      .map((flag) => flagCause(job, benchmark, flag))
  )

/** benchmarks that ended well and have no value to be judged by */
export const explainMissing = (job: Job): ReadonlyArray<Cause> =>
  completed(job).flatMap((benchmark): ReadonlyArray<Cause> => {
    const { result, snapshot } = benchmark
    if (snapshot.weight === 0 || result?.test !== undefined) return []
    const named = snapshot.primaryScore !== undefined
    return [
      {
        code: named ? "primary_metric_missing" : "no_primary_metric",
        says: `${nameOf(benchmark)} has no score: ${named ? knownCause("primary_metric_missing").says : "no primary metric is defined for it"}`,
        remedy: named
          ? knownCause("primary_metric_missing").remedy
          : say`Give the benchmark a ${unquoted(["primaryScore"])}, in the job or its collection, and submit again.`,
        since: endedAt(benchmark, job),
        evidence: (result?.notes ?? [])
          .slice(0, 3)
          .map((text): Evidence => ({ kind: "message", ref: placeOf(benchmark), text }))
      }
    ]
  })

/** how far a value lies on the wrong side of its threshold, as a share of it; 0 when it does not */
const shortfall = ({ primaryScore, threshold, lowerIsBetter }: BenchmarkTest): number => {
  if (threshold === undefined) return 0
  const missing = lowerIsBetter ? primaryScore - threshold : threshold - primaryScore
  return Math.max(0, missing) / Math.max(Math.abs(threshold), 1e-9)
}

interface Tested {
  readonly benchmark: Benchmark
  readonly test: BenchmarkTest
}

const tested = (job: Job): ReadonlyArray<Tested> =>
  completed(job).flatMap((benchmark) => {
    const test = benchmark.result?.test
    const believed = benchmark.result?.validity?.status !== "invalid"
    return test !== undefined && believed && benchmark.snapshot.weight !== 0 ? [{ benchmark, test }] : []
  })

const verdictEvidence = ({ benchmark, test }: Tested): Evidence => {
  const { metric, primaryScore, threshold, lowerIsBetter, bounds, interval } = test
  const wanted =
    threshold === undefined ? "" : `, wanted is ${lowerIsBetter ? "at most" : "at least"} ${shown(threshold)}`
  const range = bounds === undefined ? "" : ` (${shown(bounds.low)} to ${shown(bounds.high)})`
  const items = interval === undefined ? "" : ` over ${interval.n} items`
  return {
    kind: "verdict",
    ref: placeOf(benchmark),
    text: `${nameOf(benchmark)}: ${metric} is ${shown(primaryScore)}${range}${items}${wanted}`
  }
}

const jobEvidence = ({ test }: Job): ReadonlyArray<Evidence> =>
  test === undefined
    ? []
    : [
        {
          kind: "verdict",
          ref: "job",
          text: `score ${shown(test.score)}, threshold ${shown(test.threshold)}, coverage ${shown(test.coverage)}`
        }
      ]

const byThreshold = (job: Job): ReadonlyArray<Cause> => {
  const all = tested(job)
  const missed = all.filter(({ test }) => test.pass === false).toSorted((a, b) => shortfall(b.test) - shortfall(a.test))
  const jobMissed = job.test !== undefined && job.test.score < job.test.threshold
  if (missed.length === 0 && !jobMissed) return []
  const [worst] = missed
  return [
    {
      code: "below_threshold",
      says:
        worst === undefined
          ? "the score of the job is below its threshold"
          : `${missed.length} of ${all.length} benchmarks miss their threshold, ${nameOf(worst.benchmark)} by most`,
      remedy:
        "Read the samples that are wrong there; the measurement stands, so that the model or the threshold has to change.",
      since: job.updatedAt,
      evidence: [...(missed.length > 0 ? missed : all).slice(0, 5).map(verdictEvidence), ...jobEvidence(job)]
    }
  ]
}

const byPrecision = (job: Job): ReadonlyArray<Cause> => {
  const all = tested(job)
  const open = all.filter(({ test }) => test.decided === "inconclusive")
  if (open.length === 0) return []
  const blind = open.filter(({ test }) => test.bounds === undefined)
  const code = blind.length > 0 ? "no_bounds" : "too_few_items"
  const told = blind.length > 0 ? blind : open
  return [
    {
      code,
      says:
        code === "no_bounds"
          ? "nothing tells how far a value may lie from the true one, so that its verdict is open"
          : "the items are too few to tell on which side of the threshold the true value lies",
      remedy:
        code === "no_bounds"
          ? "Let the adapter upload its samples, or report n and stderr of the metric (metrics_schema)."
          : "Ask more items (num_examples) or more repeats, and submit again.",
      since: job.updatedAt,
      evidence: [...told.slice(0, 5).map(verdictEvidence), ...jobEvidence(job)]
    }
  ]
}

/** below the threshold, and what cannot be told from so few items */
export const explainVerdicts = (job: Job): ReadonlyArray<Cause> => {
  const missed = byThreshold(job)
  const open = byPrecision(job)
  // a value on the wrong side within its own limits of error: the number of items is what has to change
  const certain = tested(job).some(({ test }) => test.pass === false && test.decided !== "inconclusive")
  return certain || open.length === 0 ? [...missed, ...open] : [...open, ...missed]
}

const gateWords = { BREACH: "is broken", INCONCLUSIVE: "can not be told", PASS: "passes" } as const

/** a decision other than GO, with the criteria that stand in its way */
export const explainGate = (gate: Gate | undefined): ReadonlyArray<Cause> => {
  if (gate === undefined || gate.outcome === "GO") return []
  const wanted = gate.outcome === "NO-GO" ? "BREACH" : "INCONCLUSIVE"
  const criteria = gate.criteria.filter(({ criterion, outcome }) => criterion.tier === "gating" && outcome === wanted)
  return [
    {
      code: gate.outcome === "NO-GO" ? "gate_no_go" : "gate_inconclusive",
      says: `the policy${gate.policy.name === undefined ? "" : ` ${gate.policy.name}`} says ${gate.outcome}`,
      remedy:
        gate.outcome === "NO-GO"
          ? "Do not ship this model; its samples of the broken criteria show what became worse."
          : "Mend what the criteria name (more items, a valid run, a baseline), and judge the new run.",
      since: gate.createdAt,
      evidence: criteria.slice(0, 10).map(({ criterion, outcome, reason, message, value, loss }): Evidence => {
        const figures = [
          ...(value === undefined ? [] : [`value ${shown(value)}`]),
          ...(loss === undefined ? [] : [`loss ${shown(loss)}`]),
          ...(criterion.threshold === undefined ? [] : [`threshold ${shown(criterion.threshold)}`]),
          ...(criterion.tolerance === undefined ? [] : [`tolerance ${shown(criterion.tolerance)}`]),
          ...(reason === undefined ? [] : [reason]),
          ...(message === undefined ? [] : [message])
        ].join(", ")
        return {
          kind: "gate",
          ref: `gates/${gate.id}`,
          text: `${criterion.benchmark} ${gateWords[outcome]}${figures === "" ? "" : `: ${figures}`}`
        }
      })
    }
  ]
}

/** results that went nowhere: the benchmark itself ended well */
export const explainWarnings = (job: Job): ReadonlyArray<Cause> =>
  completed(job).flatMap((benchmark): ReadonlyArray<Cause> => {
    const { warning } = benchmark
    if (warning === undefined) return []
    const { says, remedy } = knownCause(warning.code)
    return [
      {
        code: warning.code,
        says: `${nameOf(benchmark)} completed with a warning: ${says}`,
        remedy,
        since: endedAt(benchmark, job),
        evidence: [{ kind: "message", ref: placeOf(benchmark), text: warning.message.slice(0, 400) }]
      }
    ]
  })
