/**
 * What is known of a benchmark for one criterion, and how the criterion may be judged from it: the metric that can be believed, or the step
 * that fails. Reference: comparison-and-gates.md, "Criteria".
 */

import type { Range } from "../../values/mean-limits.ts"
import type { Ends } from "../../values/paired-estimate.ts"
import type { BenchmarkComparison, Side } from "../comparison/compare-benchmark.ts"
import type { NotPaired, Run } from "../comparison/pair-samples.ts"
import { resolveMetric, scaleOf } from "../job/scoring.ts"
import { rangeOf, type Scale } from "../score/scale.ts"
import type { Criterion, Direction } from "./criteria.ts"
import type { EarlyStopped } from "./early-stop.ts"

export const openReasons = ["invalid", "missing", "incomplete", "few_items", "few_clusters", "interval"] as const
export type OpenReason = (typeof openReasons)[number]

export const criterionOutcomes = ["PASS", "BREACH", "INCONCLUSIVE"] as const

export interface Judged {
  readonly outcome: (typeof criterionOutcomes)[number]
  readonly reason?: OpenReason
  readonly message?: string
  readonly metric?: string
  readonly direction?: Direction
  /** as it was reported */
  readonly value?: number
  readonly baselineValue?: number
  readonly n?: number
  /** against the baseline, positive is worse; of a share that must be kept: what is missing of it */
  readonly loss?: number
  /** one-sided: of the value, or of the loss against the baseline */
  readonly bounds?: Ends
  /** one-sided, of "it is not broken" */
  readonly p?: number
  /** fewer items were asked than there are; outcome, bounds and p say what the gate on all of them would, wrong with at most `alpha` besides */
  readonly earlyStopped?: EarlyStopped & { readonly alpha: number }
}

export interface CriterionEvidence {
  readonly criterion: Criterion
  /** after the correction for earlier looks */
  readonly alpha: number
  readonly candidate: Side | undefined
  readonly baseline: Side | undefined
  /** gating criteria of the policy, of which one wrong BREACH is enough for a wrong NO-GO; absent: it stands alone */
  readonly gating?: number
  /** what a comparison of these very runs found; then no samples are needed */
  readonly known?: BenchmarkComparison
}

export const fewest = 10

export const open = (reason: OpenReason, message: string, known: Partial<Judged> = {}): Judged => ({
  outcome: "INCONCLUSIVE",
  reason,
  message,
  ...known
})

export interface Measured {
  readonly metric: string
  readonly value: number
  readonly direction: Direction
  readonly range: Range | undefined
  readonly run: Run | undefined
  readonly side: Side
}

/** a metric that is not the primary one has no scale of its own: shares lie between 0 and 1 */
const scaleFor = ({ benchmark }: Side, isPrimary: boolean, value: number): Scale =>
  isPrimary ? scaleOf(benchmark.snapshot) : value >= 0 && value <= 1 ? "unit" : "unbounded"

/** the metric of a run that can be believed, or why there is none */
export const measuredOf = (criterion: Criterion, side: Side | undefined, who: string): Measured | Judged => {
  const { benchmark } = side ?? {}
  if (side === undefined || benchmark?.state !== "completed" || benchmark.result === undefined)
    return open("missing", `the ${who} has no finished benchmark ${criterion.benchmark}`)
  if (benchmark.result.validity?.status === "invalid")
    return open("invalid", `the result of the ${who} is invalid: its flags say why`)
  const primary = benchmark.snapshot.primaryScore
  const name = criterion.metric ?? primary?.metric
  const match = name === undefined ? undefined : resolveMetric(benchmark.result.metrics, name)
  if (match === undefined || match._tag === "Missing")
    return open("missing", match?.note ?? `the benchmark of the ${who} has no primary metric`)
  const isPrimary = name === primary?.metric
  const direction = criterion.direction ?? (isPrimary && primary?.lowerIsBetter === true ? "lower" : "higher")
  return {
    metric: match.name,
    value: match.value,
    direction,
    range: rangeOf(scaleFor(side, isPrimary, match.value)),
    run: side.samples === undefined ? undefined : { samples: side.samples, reported: match.value },
    side
  }
}

export const isJudged = (found: Measured | Judged): found is Judged => "outcome" in found

export const shownOf = ({ metric, value, direction }: Measured, before: Measured) => ({
  ...{ metric, direction, value, baselineValue: before.value }
})

export const notPaired = ({ reason, message }: NotPaired, known: Partial<Judged>): Judged =>
  open(reason === "samples_missing" ? "missing" : "interval", message, known)

export const missingPairs = (dropped: number, union: number, known: Partial<Judged>): Judged =>
  open("incomplete", `${dropped} of ${union} items are not scored in both runs`, known)
