/**
 * Durations of which some are known only as "longer than": requests that were not finished, and requests that began before the window and would
 * not be seen there had they been shorter. The product-limit estimate (Kaplan and Meier, with delayed entry) uses both; leaving them out would
 * describe the survivors.
 */

import { binomialAtMost } from "../../../values/distributions.ts"

export interface Observed {
  /** milliseconds after its start from which on it was watched: 0, or what passed before the window */
  readonly entry: number
  /** how long it took, or how long it was seen to take at least */
  readonly duration: number
  readonly isFinished: boolean
}

export interface Weighted {
  readonly value: number
  readonly weight: number
}

/** the share that ended by a time, and as how many independent values it is known */
interface Ended {
  readonly value: number
  readonly share: number
  readonly worth: number
}

export interface Durations {
  /** ascending; weights sum to 1 */
  readonly values: ReadonlyArray<Weighted>
  /** of each distinct finished value, ascending */
  readonly ended: ReadonlyArray<Ended>
  /** share that is known as a lower bound only: it took longer than everything that was finished */
  readonly unknown: number
  /** finished ones */
  readonly n: number
}

const ascending = (one: number, other: number) => one - other

/** without unfinished and late ones every value weighs the same */
export const durationsOf = (all: ReadonlyArray<Observed>): Durations => {
  const seen = all.filter(({ entry, duration }) => duration > entry || (entry === 0 && duration === 0))
  const entries = seen.map(({ entry }) => entry).sort(ascending)
  const exits = seen.map(({ duration }) => duration).sort(ascending)
  const events = seen
    .filter(({ isFinished }) => isFinished)
    .map(({ duration }) => duration)
    .sort(ascending)
  const values: Array<Weighted> = []
  const ended: Array<Ended> = []
  let [surviving, entered, left, spread] = [1, 0, 0, 0]
  for (let at = 0; at < events.length; ) {
    const value = events[at] as number
    let same = 1
    while (events[at + same] === value) same++
    while (entered < entries.length && ((entries[entered] as number) < value || value === 0)) entered++
    while (left < exits.length && (exits[left] as number) < value) left++
    const watched = Math.max(same, entered - left)
    const share = same / watched
    for (let one = 0; one < same; one++) values.push({ value, weight: (surviving * share) / same })
    surviving *= 1 - share
    // variance of the estimate (Greenwood 1926), as that of a share of so many
    if (watched > same) spread += same / (watched * (watched - same))
    const worth = surviving > 1e-12 ? (1 - surviving) / (surviving * spread) : (ended.at(-1)?.worth ?? same)
    ended.push({ value, share: 1 - surviving, worth })
    at += same
  }
  const longest = exits.at(-1)
  const unknown = events.length === 0 ? 1 : surviving
  // what is left took longer than anything that was seen to end: at least as long as the longest that was seen
  if (unknown > 1e-12 && longest !== undefined) values.push({ value: longest, weight: unknown })
  return { values, ended, unknown: unknown > 1e-12 ? unknown : 0, n: events.length }
}

/** beyond an interval on either side */
const TAIL = 0.025
/** so many times what percentiles of known values need: what the estimate is worth is itself an estimate */
const ROOM = 1.5

/**
 * 95 % interval of a percentile 0..100: the times by which fewer, and by which more than its share are shown to have ended, by the exact limits of
 * a share of as many values as the estimate is worth. Without lower bounds among the values these are their order statistics. Undefined where
 * they are too few.
 */
export const percentileLimits = (
  { ended, n }: Pick<Durations, "ended" | "n">,
  percent: number
): { readonly low: number; readonly high: number } | undefined => {
  const wanted = percent / 100
  if (n < (ROOM * Math.log(TAIL)) / Math.log(Math.max(wanted, 1 - wanted))) return undefined
  let low: number | undefined
  let before: Ended | undefined
  for (const one of ended) {
    // nobody ended before the first one: a share of none of as many as it is known by
    const { share, worth } = before ?? { share: 0, worth: one.worth }
    if (binomialAtMost(share * worth, worth, wanted) <= TAIL) low = one.value
    if (binomialAtMost(one.share * one.worth - 1, one.worth, wanted) >= 1 - TAIL)
      return low === undefined ? undefined : { low, high: one.value }
    before = one
  }
  return undefined
}

/** percentile 0..100; equal weights give the usual interpolation between the two nearest ranks. `values` not empty */
export const weightedPercentile = (values: ReadonlyArray<Weighted>, percent: number): number => {
  const first = values[0] as Weighted
  const places = [0]
  for (let at = 1; at < values.length; at++)
    places.push(
      (places[at - 1] as number) + ((values[at - 1] as Weighted).weight + (values[at] as Weighted).weight) / 2
    )
  const wanted = ((places.at(-1) as number) * percent) / 100
  const above = places.findIndex((place) => place >= wanted - 1e-12)
  if (above <= 0) return first.value
  const [low, high] = [places[above - 1] as number, places[above] as number]
  const [from, to] = [(values[above - 1] as Weighted).value, (values[above] as Weighted).value]
  return high === low ? to : from + ((to - from) * (wanted - low)) / (high - low)
}

export const weightedMean = (values: ReadonlyArray<Weighted>): number =>
  values.reduce((sum, { value, weight }) => sum + value * weight, 0)
