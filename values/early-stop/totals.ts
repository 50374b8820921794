/**
 * When what all items would show is certain enough to stop asking: betting martingales without replacement (Waudby-Smith and Ramdas 2020) over
 * items in an order that was drawn before the first was asked. An item is worth 0 (worst) to 1 (best); one without a value counts as the
 * worse end of either question. Reference: early-stop.md, "Rule".
 */
import { type Limits, meanLimits, shareLimits } from "../mean-limits.ts"
import { betBelow, leastThat, leastTotal, type Watch } from "./bet.ts"

/** fewer decide no gate */
export const fewestAsked = 10

type Ends = Pick<Limits, "low" | "high">

/**
 * Limits of the true mean at least as wide as those of any values with this total: right-or-wrong ones have the most spread, but are given exact
 * limits, others Student's. `items` from `fewestAsked`; `tail`: beyond either limit.
 */
export const limitsOfTotal = (total: number, items: number, tail: number): Ends => {
  const mean = total / items
  const standardError = Math.sqrt((mean * (1 - mean)) / (items - 1))
  const exact = shareLimits(total, items, tail)
  const student = meanLimits({ n: items, mean, standardError, range: { min: 0, max: 1 } }, tail) ?? exact
  return { low: Math.min(exact.low, student.low), high: Math.max(exact.high, student.high) }
}

/** a threshold that the true mean must reach, from 0 to 1, and the tails at which it counts as reached and as missed */
export interface Question {
  readonly threshold: number
  readonly tails: { readonly pass: number; readonly breach: number }
}

export interface DecidingTotals {
  /** the least whole total of all items that passes; one more than there are: none does */
  readonly passes: number
  /** the greatest that breaches; -1: none does */
  readonly breaches: number
}

export const decidingTotals = (items: number, { threshold, tails }: Question): DecidingTotals => {
  // limits grow with the total
  const least = (holds: (total: number) => boolean) => leastThat(holds, 0, items + 1)
  return {
    passes: least((total) => limitsOfTotal(total, items, tails.pass).low >= threshold),
    breaches: least((total) => limitsOfTotal(total, items, tails.breach).high >= threshold) - 1
  }
}

/** what is known of these totals while items are asked */
export const watchFor = (items: number, { passes, breaches }: DecidingTotals): Watch => {
  const [up, down] = [betBelow(items, passes), betBelow(items, items - breaches)]
  return {
    take: (value) => {
      up.take(value ?? 0)
      // seen from the other end
      down.take(1 - (value ?? 1))
    },
    chances: () => ({ pass: passes > items ? 1 : up.chance(), breach: breaches < 0 ? 1 : down.chance() })
  }
}

/** the least total that all items do not exceed, as one that was fixed before would be told; wrong with at most `tail` */
export const mostTotal = (values: ReadonlyArray<number | undefined>, items: number, tail: number): number => {
  const isExceeded = (total: number) => {
    const watch = watchFor(items, { passes: items + 1, breaches: total })
    for (const value of values) watch.take(value)
    return watch.chances().breach > tail
  }
  return leastThat((total) => !isExceeded(total), 0, items)
}

/** between which the total of all items lies, given those that were asked first; wrong with at most the tail of either end, whenever asking was stopped */
export const totalsLeft = (
  values: ReadonlyArray<number | undefined>,
  items: number,
  tails: { readonly low: number; readonly high: number }
): Ends => ({
  low: leastTotal(
    values.map((value) => value ?? 0),
    items,
    tails.low
  ),
  high:
    items -
    leastTotal(
      values.map((value) => 1 - (value ?? 1)),
      items,
      tails.high
    )
})
