/**
 * Requests and tokens per second inside the counted window, with an interval from ten equal parts of it, in a closed loop at least the one of its requests. A closed loop moves in waves when its
 * answers take long: counting only what ends inside the window loses or gains whole waves, so each request counts with the share of its time
 * that lies inside. In an open loop the answers come when the schedule says, and the time between the first and the last one is the measure.
 */
import { tQuantile } from "../../../values/distributions.ts"
import type { Window } from "./arrivals.ts"
import { endedWithin, type FinishedRequest, type LoadRequest, type LoadRun } from "./timeline.ts"

export interface Rate {
  readonly perSecond: number
  /** 95 % interval; absent when nothing was counted, and with few requests */
  readonly interval?: readonly [low: number, high: number]
}

const PARTS = 10
const SURE = 0.975
/** fewer requests of a closed loop say nothing about how different they are */
const MIN_REQUESTS = 5
/** fewer of an open one may have come in waves by chance */
const MIN_OPEN = 10

const partsOf = ({ fromMs, toMs }: Window): ReadonlyArray<Window> => {
  const width = (toMs - fromMs) / PARTS
  return Array.from({ length: PARTS }, (_, part) => ({
    fromMs: fromMs + part * width,
    toMs: fromMs + (part + 1) * width
  }))
}

/** times are known to about this: no interval is narrower */
const RESOLUTION_MS = 10

/**
 * How far the rate of a closed loop may be off by its requests, as a share of the rate: one that takes long lies in several parts of the
 * window, which then err alike. Of a ratio of sums, amount by time. Infinite where the requests are too few.
 */
const offByRequests = (
  requests: ReadonlyArray<LoadRequest>,
  window: Window,
  amountOf: (request: FinishedRequest) => number
): number => {
  const rows = endedWithin(requests, window).flatMap((request) =>
    request.outcome === "successful" ? [{ amount: amountOf(request), time: request.endMs - request.startMs }] : []
  )
  if (rows.length < MIN_REQUESTS) return Number.POSITIVE_INFINITY
  const [amount, time] = [rows.reduce((sum, row) => sum + row.amount, 0), rows.reduce((sum, row) => sum + row.time, 0)]
  const squares = rows.reduce((sum, row) => sum + (row.amount / amount - row.time / time) ** 2, 0)
  return amount === 0 || time === 0
    ? Number.POSITIVE_INFINITY
    : tQuantile(SURE, rows.length - 1) * Math.sqrt((squares * rows.length) / (rows.length - 1))
}

const rateOf = (perSecond: number, inParts: ReadonlyArray<number>, window: Window, offBy = 0): Rate => {
  const mean = inParts.reduce((sum, one) => sum + one, 0) / PARTS
  const squares = inParts.reduce((sum, one) => sum + (one - mean) ** 2, 0)
  const half = Math.max(
    tQuantile(SURE, PARTS - 1) * Math.sqrt(squares / (PARTS - 1) / PARTS),
    (perSecond * RESOLUTION_MS) / (window.toMs - window.fromMs),
    perSecond * offBy
  )
  return perSecond === 0 || !Number.isFinite(half)
    ? { perSecond }
    : { perSecond, interval: [Math.max(0, perSecond - half), perSecond + half] }
}

const secondsOf = ({ fromMs, toMs }: Window) => (toMs - fromMs) / 1000

export const tokenRate = (
  { requests, arrivals, loop }: Pick<LoadRun, "requests" | "arrivals" | "loop">,
  window: Window
): Rate => {
  const per = (part: Window) => arrivals.within(part) / secondsOf(part)
  const offBy = loop === "closed" ? offByRequests(requests, window, ({ outputTokens }) => outputTokens) : 0
  return rateOf(per(window), partsOf(window).map(per), window, offBy)
}

/** beyond this many times the longest finished one a request hangs: nobody knows whether it would have ended */
const HANGING = 1.5

/** how long a request takes in all: known, or for one that is still under way the mean of those that took longer than it has so far */
const wholeDuration = (requests: ReadonlyArray<LoadRequest>): ((request: LoadRequest) => number) => {
  const known = requests
    .filter(({ outcome }) => outcome === "successful")
    .map(({ startMs, endMs }) => endMs - startMs)
    .sort((one, other) => one - other)
  const sums = new Float64Array(known.length + 1)
  for (let at = known.length - 1; at >= 0; at--) sums[at] = (sums[at + 1] as number) + (known[at] as number)
  const longest = known.at(-1) ?? 0
  const firstAbove = (value: number): number => {
    let [low, high] = [0, known.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((known[middle] as number) > value) high = middle
      else low = middle + 1
    }
    return low
  }
  return ({ outcome, startMs, endMs }) => {
    const elapsed = endMs - startMs
    if (outcome === "successful") return elapsed
    const at = firstAbove(elapsed)
    if (at < known.length) return (sums[at] as number) / (known.length - at)
    return elapsed <= HANGING * longest ? elapsed : Number.POSITIVE_INFINITY
  }
}

const overlap = ({ startMs, endMs }: LoadRequest, { fromMs, toMs }: Window): number =>
  Math.max(0, Math.min(endMs, toMs) - Math.max(startMs, fromMs))

const closedRate = (requests: ReadonlyArray<LoadRequest>, window: Window): Rate => {
  const whole = wholeDuration(requests)
  const counted = requests
    .filter((request) => request.outcome !== "errored" && overlap(request, window) > 0)
    .map((request) => ({ request, whole: whole(request) }))
  const per = (part: Window) =>
    counted.reduce((sum, one) => sum + overlap(one.request, part) / one.whole, 0) / secondsOf(part)
  return rateOf(
    per(window),
    partsOf(window).map(per),
    window,
    offByRequests(requests, window, () => 1)
  )
}

/** silence of so many usual gaps at an edge of the window belongs to the rate */
const LONG_GAP = 3

const openRate = (requests: ReadonlyArray<LoadRequest>, window: Window): Rate => {
  const ends = requests.flatMap(({ outcome, endMs }) =>
    outcome === "successful" && endMs >= window.fromMs && endMs <= window.toMs ? [endMs] : []
  )
  ends.sort((one, other) => one - other)
  const per = (part: Window) => ends.filter((end) => end >= part.fromMs && end < part.toMs).length / secondsOf(part)
  const [first, last] = [ends[0], ends.at(-1)]
  const parts = partsOf(window).map(per)
  if (first === undefined || last === undefined || ends.length < 3 || last === first)
    return { perSecond: ends.length / secondsOf(window) }
  const gap = (last - first) / (ends.length - 1)
  const isSteady = first - window.fromMs <= LONG_GAP * gap && window.toMs - last <= LONG_GAP * gap
  const offBy = ends.length < MIN_OPEN ? Number.POSITIVE_INFINITY : 0
  return rateOf(isSteady ? 1000 / gap : ends.length / secondsOf(window), parts, window, offBy)
}

export const requestRate = (requests: ReadonlyArray<LoadRequest>, window: Window, loop: LoadRun["loop"]): Rate =>
  loop === "closed" ? closedRate(requests, window) : openRate(requests, window)
