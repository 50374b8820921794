/** A criterion on a benchmark of which only a part was asked: what its gate would say on all items. Reference: early-stop.md, "What is decided". */
import { gainsOf } from "../../values/early-stop/differences.ts"
import type { Range } from "../../values/mean-limits.ts"
import { areMissing } from "../comparison/compare-benchmark.ts"
import { askedPairs, wholeRun } from "../comparison/pair-samples.ts"
import { type AskedItems, type EarlyStopped, type StopPlan, stoppedText } from "./early-stop.ts"
import { predict, predictPairs } from "./judge-stopped.ts"
import {
  type CriterionEvidence,
  fewest,
  type Judged,
  type Measured,
  missingPairs,
  notPaired,
  open,
  shownOf
} from "./measured.ts"

/** of a benchmark that stopped early */
interface AskedPart {
  readonly stopped: EarlyStopped
  readonly asked: AskedItems
  readonly range: Range
  /** as the policy has it, which may be another one than that it stopped for */
  readonly plan: Pick<StopPlan, "alpha" | "gating">
}

/** what was asked of it, or why nothing is told from that */
const askedPart = ({ metric, range, side }: Measured, stopped: EarlyStopped, gating = 1): AskedPart | string => {
  const { primaryScore, earlyStop: plan } = side.benchmark.snapshot
  const { asked } = side
  return asked === undefined ||
    range === undefined ||
    plan === undefined ||
    side.benchmark.result?.test?.metric !== metric
    ? `the benchmark ${stoppedText(stopped)}, which says nothing about any metric but ${primaryScore?.metric}`
    : { stopped, asked, range, plan: { alpha: plan.alpha, gating: Math.max(plan.gating, gating) } }
}

const ofStopped = (
  prediction: ReturnType<typeof predict>,
  n: number,
  { stopped, plan }: AskedPart,
  known: Partial<Judged>
): Judged =>
  prediction === undefined
    ? open("few_items", `${n} items are fewer than ${fewest}`, { ...known, n })
    : { ...known, n, ...prediction, earlyStopped: { ...stopped, alpha: plan.alpha } }

/** what all items would show, where fewer were asked */
export const predicted = (
  found: Measured,
  threshold: number,
  { alpha, gating }: CriterionEvidence,
  stopped: EarlyStopped
): Judged => {
  const { metric, value, direction, side } = found
  const known = { metric, direction, value, n: side.asked?.values.length ?? 0 }
  const part = askedPart(found, stopped, gating)
  if (typeof part === "string") return open("incomplete", part, known)
  const { values, unscored } = part.asked
  if (areMissing(unscored, values.length))
    return open("incomplete", `${unscored} of ${values.length} items have no scored sample`, known)
  const prediction = predict({ ...part, values, isLower: direction === "lower" }, threshold, alpha)
  return ofStopped(prediction, values.length, part, known)
}

/** the same against a baseline that asked all of them */
export const predictedPairs = (
  found: Measured,
  before: Measured,
  { criterion, alpha, gating }: CriterionEvidence,
  stopped: EarlyStopped
): Judged => {
  const known = shownOf(found, before)
  const part = askedPart(found, stopped, gating)
  if (typeof part === "string") return open("incomplete", part, known)
  if (before.run === undefined || found.side.samples === undefined)
    return open("interval", "a run has more samples than a comparison takes", known)
  const whole = wholeRun(before.run, part.range)
  if (whole._tag === "NotPaired") return notPaired(whole, known)
  const { kind, tolerance = 0 } = criterion
  const gains = gainsOf(
    { kind: kind === "absolute" ? "relative_to_baseline" : kind, tolerance },
    { range: part.range, isLower: found.direction === "lower" }
  )
  const pairs = askedPairs(whole, part.asked, found.side.samples)
  if (pairs.differing > 0)
    return open("interval", `${pairs.differing} of ${pairs.values.length} items were asked in other words`, known)
  const values = pairs.values.map((pair) => (pair === undefined ? undefined : gains.of(pair.before, pair.after)))
  const dropped = values.filter((value) => value === undefined).length
  if (areMissing(dropped, values.length)) return missingPairs(dropped, values.length, known)
  // of items that were not asked nothing is known but their number
  const [apart, all] = [Math.abs(whole.items - stopped.of), Math.max(whole.items, stopped.of)]
  if (areMissing(apart, all)) return missingPairs(apart, all, known)
  const scored = values.filter((value) => value !== undefined)
  const prediction = predictPairs({ ...part, values }, gains, alpha)
  const loss = (gain: number) => -gain * gains.unit
  const told =
    prediction === undefined
      ? undefined
      : { ...prediction, bounds: { low: loss(prediction.bounds.high), high: loss(prediction.bounds.low) } }
  const mean = scored.reduce((sum, value) => sum + value, 0) / scored.length
  return ofStopped(told, values.length, part, { ...known, ...(scored.length === 0 ? {} : { loss: loss(mean) }) })
}
