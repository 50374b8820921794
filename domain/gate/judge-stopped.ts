/**
 * A criterion on a benchmark that stopped early: what the gate on all its items would say, as far as those that were asked make it
 * certain. Holds for any threshold or tolerance and whenever asking was stopped. Reference: early-stop.md, "What is decided".
 */
import { decidingGains, type Gains, gainsLeft, limitsOfGains, watchGains } from "../../values/early-stop/differences.ts"
import {
  decidingTotals,
  fewestAsked,
  limitsOfTotal,
  mostTotal,
  totalsLeft,
  watchFor
} from "../../values/early-stop/totals.ts"
import type { Range } from "../../values/mean-limits.ts"
import type { Ends } from "../../values/paired-estimate.ts"
import { type AskedItems, type EarlyStopped, type StopPlan, stopTails } from "./early-stop.ts"

interface Stopped {
  readonly values: AskedItems["values"]
  readonly stopped: EarlyStopped
  /** chance of being wrong, and over how many gating criteria */
  readonly plan: Pick<StopPlan, "alpha" | "gating">
  readonly range: Range
  readonly isLower: boolean
}

interface Prediction {
  readonly outcome: "PASS" | "BREACH" | "INCONCLUSIVE"
  readonly bounds: Ends
  readonly p: number
}

/** the least tail at which it is broken; between 0 and a half, else 1 */
const leastTail = (isBroken: (tail: number) => boolean): number => {
  if (!isBroken(0.5)) return 1
  let [low, high] = [Math.log(1e-12), Math.log(0.5)]
  for (let step = 0; step < 40; step++) {
    const middle = (low + high) / 2
    if (isBroken(Math.exp(middle))) high = middle
    else low = middle
  }
  return Math.exp(high)
}

/** undefined: fewer items than any gate decides on. `alpha`: of the gate, to which that of stopping is added. */
export const predict = (
  { values, stopped: { of }, plan, range, isLower }: Stopped,
  threshold: number,
  alpha: number
): Prediction | undefined => {
  if (values.length < fewestAsked) return undefined
  const width = range.max - range.min
  const place = (value: number) => (isLower ? (range.max - value) / width : (value - range.min) / width)
  const places = values.map((value) => (value === undefined ? undefined : place(value)))
  const tails = stopTails(plan)
  const least = place(threshold)
  const deciding = decidingTotals(of, { threshold: least, tails: { pass: alpha, breach: alpha } })
  const watch = watchFor(of, deciding)
  for (const value of places) watch.take(value)
  const found = watch.chances()
  const outcome = found.pass <= tails.pass ? "PASS" : found.breach <= tails.breach ? "BREACH" : "INCONCLUSIVE"
  const totals = totalsLeft(places, of, { low: tails.pass, high: tails.breach })
  const low = limitsOfTotal(totals.low, of, alpha).low
  const high = limitsOfTotal(totals.high, of, alpha).high
  // the totals of an interval are looked at in steps, that of the threshold by itself
  const ends = {
    low: outcome === "PASS" ? Math.max(low, least) : low,
    high: outcome === "BREACH" ? Math.min(high, limitsOfTotal(deciding.breaches, of, alpha).high) : high
  }
  const back = (at: number) => (isLower ? range.max - at * width : range.min + at * width)
  const bounds = isLower
    ? { low: back(ends.high), high: back(ends.low) }
    : { low: back(ends.low), high: back(ends.high) }
  const most = mostTotal(places, of, tails.breach)
  const total = outcome === "BREACH" ? Math.min(most, deciding.breaches) : Math.max(most, deciding.breaches + 1)
  const p = total > of ? 1 : leastTail((tail) => limitsOfTotal(total, of, tail).high < least)
  return { outcome, bounds, p: outcome === "BREACH" ? Math.min(p, alpha) : p }
}

/** the same of a criterion against a baseline. `values`: gains of the pairs in the drawn order; `bounds`: of the mean gain. */
export const predictPairs = (
  { values, stopped: { of }, plan }: Pick<Stopped, "values" | "stopped" | "plan">,
  gains: Pick<Gains, "least" | "isSkewed">,
  alpha: number
): Prediction | undefined => {
  if (values.length < fewestAsked) return undefined
  const tails = stopTails(plan)
  const chancesAt = (breach: number) => {
    const watch = watchGains(decidingGains(of, gains, { pass: alpha, breach }))
    for (const value of values) watch.take(value)
    return watch.chances()
  }
  const found = chancesAt(alpha)
  const outcome = found.pass <= tails.pass ? "PASS" : found.breach <= tails.breach ? "BREACH" : "INCONCLUSIVE"
  const { least, most } = gainsLeft(values, of, tails)
  const low = limitsOfGains(of, least, alpha, gains).low
  const high = limitsOfGains(of, most, alpha, gains).high
  const bounds = {
    low: outcome === "PASS" ? Math.max(low, gains.least) : low,
    high: outcome === "BREACH" ? Math.min(high, gains.least) : high
  }
  const p = leastTail((tail) => limitsOfGains(of, most, tail, gains).high < gains.least)
  if (outcome !== "BREACH") return { outcome, bounds, p: Math.max(p, alpha + Number.EPSILON) }
  // what an adapter stops for: a breach that survives the correction for the number of criteria
  const corrected = alpha / plan.gating
  return { outcome, bounds, p: Math.min(p, chancesAt(corrected).breach <= tails.breach ? corrected : alpha) }
}
