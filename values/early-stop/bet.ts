/**
 * One bet of a betting martingale without replacement (Waudby-Smith and Ramdas 2020): against "the total of all items is below an edge", over
 * values from 0 to 1 that come in an order drawn before the first. Reference: early-stop.md, "Rule".
 */

export interface Bet {
  readonly take: (value: number) => void
  /** with at most this chance although the total is below the edge; 0: it can not be any more */
  readonly chance: () => number
}

/** what one value is taken to scatter by: as right-or-wrong ones with their mean would, or as those before it did */
export type Spread = "most" | "observed"

const leastSpread = 0.01
const mostStaked = 0.8

export const betBelow = (items: number, edge: number, spread: Spread = "most"): Bet => {
  let [asked, sum, wealth, most, squares] = [0, 0, 0, 0, 0.25]
  return {
    take: (value) => {
      const share = (0.5 + sum) / (asked + 1)
      // of the items that are left, were the total at the edge; at the ends nothing is bet
      const mean = (edge - sum) / (items - asked)
      if (mean > 0 && mean < 1) {
        const apart = share - mean
        if (apart > 0) {
          const variance = spread === "most" ? share * (1 - share) : squares / (asked + 1)
          const wanted = apart / (Math.max(variance, leastSpread) + apart * apart)
          wealth += Math.log1p(Math.min(wanted, mostStaked / mean) * (value - mean))
          if (wealth > most) most = wealth
        }
      }
      asked += 1
      sum += value
      squares += (value - share) ** 2
    },
    chance: () => (sum >= edge ? 0 : Math.exp(-most))
  }
}

/** edges that are looked at for an interval; the same whatever the items show, or its level would not hold */
const mostEdges = 256

/** the least that the total of all items is, given those that were asked first; more than it with at most `tail`, whenever asking was stopped */
export const leastTotal = (
  values: ReadonlyArray<number>,
  items: number,
  tail: number,
  spread: Spread = "most"
): number => {
  const step = Math.ceil(items / mostEdges)
  const sum = values.reduce((total, value) => total + value, 0)
  let least = sum
  // from below to the first that may be: only the first edge above the true total can err
  for (let edge = step * (Math.floor(sum / step) + 1); edge <= items; edge += step) {
    const bet = betBelow(items, edge, spread)
    for (const value of values) bet.take(value)
    if (bet.chance() > tail) break
    least = edge
  }
  return least
}

export interface Watch {
  /** the next item in the drawn order; undefined: no value came of it */
  readonly take: (value: number | undefined) => void
  /** chances of being wrong about all items, were it said now that they pass, and that they breach; 1 where no total does */
  readonly chances: () => { readonly pass: number; readonly breach: number }
}

/** the least for which it holds from here on: of whole numbers from `low` to `high`, the last of which is taken to hold */
export const leastThat = (holds: (total: number) => boolean, from: number, to: number): number => {
  let [low, high] = [from, to]
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    if (holds(middle)) high = middle
    else low = middle + 1
  }
  return low
}
