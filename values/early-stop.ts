/**
 * When what all items would show is certain enough to stop asking: betting martingales without replacement (Waudby-Smith and Ramdas 2020) over
 * items in an order that was drawn before the first was asked. An item is worth 0 (worst) to 1 (best); one without a value counts as the
 * worse end of either question. Reference: early-stop.md, "Rule".
 */
import { type Limits, meanLimits, shareLimits } from "./mean-limits.ts"

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
  const least = (holds: (total: number) => boolean): number => {
    let [low, high] = [0, items + 1]
    while (low < high) {
      const middle = Math.floor((low + high) / 2)
      if (holds(middle)) high = middle
      else low = middle + 1
    }
    return low
  }
  return {
    passes: least((total) => limitsOfTotal(total, items, tails.pass).low >= threshold),
    breaches: least((total) => limitsOfTotal(total, items, tails.breach).high >= threshold) - 1
  }
}

/** a bet against "the total of all items is below `edge`" */
interface Bet {
  readonly take: (value: number) => void
  /** with at most this chance although the total is below it; 0: it can not be any more */
  readonly chance: () => number
}

const leastSpread = 0.01
const mostStaked = 0.8

const betBelow = (items: number, edge: number): Bet => {
  let [asked, sum, wealth, most] = [0, 0, 0, 0]
  return {
    take: (value) => {
      // of the items that are left, were the total at the edge; at the ends nothing is bet
      const mean = (edge - sum) / (items - asked)
      if (mean > 0 && mean < 1) {
        const share = (0.5 + sum) / (asked + 1)
        const apart = share - mean
        const wanted = apart / (Math.max(share * (1 - share), leastSpread) + apart * apart)
        wealth += Math.log1p(Math.min(Math.max(wanted, 0), mostStaked / mean) * (value - mean))
        if (wealth > most) most = wealth
      }
      asked += 1
      sum += value
    },
    chance: () => (sum >= edge ? 0 : Math.exp(-most))
  }
}

export interface Watch {
  /** the next item in the drawn order; undefined: no value came of it */
  readonly take: (value: number | undefined) => void
  /** chances of being wrong about all items, were it said now that they pass, and that they breach; 1 where no total does */
  readonly chances: () => { readonly pass: number; readonly breach: number }
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

/** edges that are looked at for an interval; the same whatever the items show, or its level would not hold */
const mostEdges = 256

const leastTotal = (values: ReadonlyArray<number>, items: number, tail: number): number => {
  const step = Math.ceil(items / mostEdges)
  const sum = values.reduce((total, value) => total + value, 0)
  let least = sum
  // from below to the first that may be: only the first edge above the true total can err
  for (let edge = step * (Math.floor(sum / step) + 1); edge <= items; edge += step) {
    const bet = betBelow(items, edge)
    for (const value of values) bet.take(value)
    if (bet.chance() > tail) break
    least = edge
  }
  return least
}

/** the least total that all items do not exceed, as one that was fixed before would be told; wrong with at most `tail` */
export const mostTotal = (values: ReadonlyArray<number | undefined>, items: number, tail: number): number => {
  let [low, high] = [0, items]
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    const watch = watchFor(items, { passes: items + 1, breaches: middle })
    for (const value of values) watch.take(value)
    if (watch.chances().breach <= tail) high = middle
    else low = middle + 1
  }
  return low
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
