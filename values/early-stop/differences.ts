/**
 * An early stop of pairs: every item is worth what it gained against a run that asked all of them before. How precise a mean gain is depends on how
 * much the pairs differ, which is not known either: two martingales run side by side, on the sum of the gains and on that of their squares.
 * A pair without a value counts as the greatest loss against passing and as the greatest gain against a breach. Reference: early-stop.md, "Pairs".
 */
import type { Range } from "../mean-limits.ts"
import { type Ends, type Estimate, limitsOf, tangoLimits } from "../paired-estimate.ts"
import { betBelow, leastThat, leastTotal, type Watch } from "./bet.ts"

/** what may be lost against the baseline, and how much of it */
export interface Tolerated {
  readonly kind: "relative_to_baseline" | "relative_fraction"
  /** in units of the metric, or a share of the baseline's value */
  readonly tolerance: number
}

export interface Scale {
  /** of the metric; of a share it begins at 0 */
  readonly range: Range
  readonly isLower: boolean
}

/** gains of −1 to 1, and the mean gain that must be reached */
export interface Gains {
  readonly of: (before: number, after: number) => number
  readonly least: number
  /** in units of the metric: the loss that a gain of −1 stands for */
  readonly unit: number
  /** limits move with the skewness of the single values, as the gate's of a share do */
  readonly isSkewed: boolean
}

export const gainsOf = ({ kind, tolerance }: Tolerated, { range, isLower }: Scale): Gains => {
  const sign = isLower ? -1 : 1
  if (kind === "relative_to_baseline") {
    const unit = range.max - range.min
    const of = (before: number, after: number) => (sign * (after - before)) / unit
    return { of, least: -tolerance / unit, unit, isSkewed: false }
  }
  const kept = 1 - sign * tolerance
  const unit = Math.max(1, kept) * range.max
  const of = (before: number, after: number) => (sign * (after - kept * before)) / unit
  return { of, least: 0, unit, isSkewed: true }
}

export interface GainTotals {
  readonly sum: number
  readonly squares: number
}

/** the skewness of a mean of values from −1 to 1 moves its limits at most so far (see `lean` of an estimate) */
const mostLean = (mean: number, items: number): number => (1 + Math.abs(mean)) / (6 * items)

/** limits of the mean gain at least as wide as those of any pairs with these totals: yes-or-no pairs are given others than scores */
export const limitsOfGains = (
  items: number,
  { sum, squares }: GainTotals,
  tail: number,
  { isSkewed }: Pick<Gains, "isSkewed">
): Ends => {
  const mean = sum / items
  const centre = sum / (items + 2)
  const around = squares - 2 * centre * sum + items * centre ** 2 + (1 - centre) ** 2 + (1 + centre) ** 2
  const error = Math.sqrt(Math.max(0, around) / ((items + 1) * (items + 2)))
  const student = { _tag: "Measured", n: items, mean, centre, error, degrees: items + 1, most: 1 } as const
  const lean = mostLean(mean, items)
  const estimates: ReadonlyArray<Estimate> = isSkewed
    ? [-lean, lean].map((each) => ({ ...student, lean: each }))
    : [student]
  const all = estimates.flatMap((estimate) => limitsOf(estimate, tail) ?? [])
  if (!isSkewed && squares >= Math.abs(sum)) {
    const width = 1
    const counted = { _tag: "Counted", n: items, down: (squares - sum) / 2, up: (squares + sum) / 2, width } as const
    all.push(...[limitsOf(counted, tail) ?? [], tangoLimits(counted, tail)].flat())
  }
  return { low: Math.min(...all.map(({ low }) => low)), high: Math.max(...all.map(({ high }) => high)) }
}

/** when the sum of all gains decides, if their squares add up to more than `above` and at most `upTo` */
interface Cell {
  readonly above: number
  readonly upTo: number
  /** the least whole sum that passes; one more than there are items: none does */
  readonly passes: number
  /** the greatest that breaches; one below the least there can be: none does */
  readonly breaches: number
}

export interface DecidingGains {
  readonly items: number
  readonly cells: ReadonlyArray<Cell>
}

const cellCount = 24

/** finer where little differs: limits grow with the root of the squares */
export const decidingGains = (
  items: number,
  gains: Pick<Gains, "least" | "isSkewed">,
  tails: { readonly pass: number; readonly breach: number }
): DecidingGains => {
  const edges = Array.from({ length: cellCount + 1 }, (_, at) => Math.floor(items * (at / cellCount) ** 2))
  const cells = [...new Set(edges.slice(1))].map((upTo, at, all): Cell => {
    const above = all[at - 1] ?? -1
    // a sum needs squares, of yes-or-no pairs as many
    const limits = (sum: number, tail: number) =>
      limitsOfGains(items, { sum, squares: Math.max(upTo, Math.abs(sum)) }, tail, gains)
    return {
      ...{ above, upTo },
      passes: leastThat((sum) => limits(sum, tails.pass).low >= gains.least, -items, items + 1),
      breaches: leastThat((sum) => limits(sum, tails.breach).high >= gains.least, -items, items + 1) - 1
    }
  })
  return { items, cells }
}

/** of the chance of being wrong about a cell: that the squares add up to more than they seem to */
const forSquares = 0.1

/** less is not told apart */
const negligible = 1e-9

const placeOf = (gain: number): number => (gain + 1) / 2

/**
 * What is known of these sums while pairs come in, each as its gain. A cell is out when its squares or its sum can hardly be; only the one that
 * holds the truth can err.
 */
export const watchGains = ({ items, cells }: DecidingGains): Watch => {
  let [live, seen] = [
    cells.map(({ above, upTo, passes, breaches }) => ({
      upTo,
      squares: above < 0 ? undefined : betBelow(items, items - above),
      up: passes > items ? undefined : betBelow(items, (passes + items) / 2, "observed"),
      down: breaches < -items ? undefined : betBelow(items, (items - breaches) / 2, "observed")
    })),
    0
  ]
  const chanceOf = (side: "up" | "down") =>
    live.reduce((most, cell) => {
      const [squares, sum] = [cell.squares?.chance() ?? 1, cell[side]?.chance() ?? 1]
      return Math.max(most, Math.min(1, squares / forSquares, sum / (1 - forSquares)))
    }, negligible)
  return {
    take: (gain) => {
      const [least, most] = gain === undefined ? [-1, 1] : [gain, gain]
      const square = gain === undefined ? 1 : gain * gain
      seen += square
      for (const { squares, up, down } of live) {
        squares?.take(1 - square)
        up?.take(placeOf(least))
        down?.take(1 - placeOf(most))
      }
    },
    chances: () => {
      // those that the squares rule out need no bets any more
      live = live.filter(
        ({ upTo, squares }) => seen <= upTo + 1e-9 && (squares?.chance() ?? 1) > negligible * forSquares
      )
      return { pass: chanceOf("up"), breach: chanceOf("down") }
    }
  }
}

/** ends of the totals of all gains, given those that were asked first: for passing, and for a breach; each wrong with at most its tail */
export const gainsLeft = (
  gains: ReadonlyArray<number | undefined>,
  items: number,
  tails: { readonly pass: number; readonly breach: number }
): { readonly least: GainTotals; readonly most: GainTotals } => {
  const rest = gains.map((gain) => 1 - (gain === undefined ? 1 : gain * gain))
  const squares = (tail: number) => items - leastTotal(rest, items, tail * forSquares)
  const sum = (places: ReadonlyArray<number>, tail: number) =>
    2 * leastTotal(places, items, tail * (1 - forSquares), "observed") - items
  const [up, down] = [gains.map((gain) => placeOf(gain ?? -1)), gains.map((gain) => 1 - placeOf(gain ?? 1))]
  return {
    least: { sum: sum(up, tails.pass), squares: squares(tails.pass) },
    most: { sum: -sum(down, tails.breach), squares: squares(tails.breach) }
  }
}
