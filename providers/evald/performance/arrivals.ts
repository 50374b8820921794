/**
 * When tokens arrived, over a whole measurement, whichever request they belong to: what was streamed inside the counted window is its
 * throughput, also of requests that began before it or end behind it. Kept in bins, so that the memory does not grow with the load.
 */

export interface Window {
  readonly fromMs: number
  readonly toMs: number
}

const BIN_MS = 10

/** an answer's tokens, and the times of its pieces */
export interface Arrived {
  readonly times: ReadonlyArray<number>
  /** undefined while the request was not finished: its pieces weigh as much as those of the others on average */
  readonly tokens: number | undefined
}

export interface Arrivals {
  readonly add: (arrived: Arrived) => void
  /** tokens that arrived in a window */
  readonly within: (window: Window) => number
}

/** share of each bin that lies in the window, times its content */
const sumWithin = (bins: Float64Array, startedAtMs: number, { fromMs, toMs }: Window): number => {
  const [from, to] = [(fromMs - startedAtMs) / BIN_MS, (toMs - startedAtMs) / BIN_MS]
  let sum = 0
  for (let bin = Math.max(0, Math.floor(from)); bin < Math.min(bins.length, Math.ceil(to)); bin++) {
    sum += (bins[bin] ?? 0) * Math.max(0, Math.min(bin + 1, to) - Math.max(bin, from))
  }
  return sum
}

export const makeArrivals = (startedAtMs: number, durationMs: number): Arrivals => {
  const size = Math.ceil(durationMs / BIN_MS) + 1
  const [tokens, pieces] = [new Float64Array(size), new Float64Array(size)]
  const counted = { tokens: 0, pieces: 0 }
  return {
    add: (arrived) => {
      const count = arrived.times.length
      if (count === 0) return
      const [bins, weight] = arrived.tokens === undefined ? [pieces, 1] : [tokens, arrived.tokens / count]
      if (arrived.tokens !== undefined) {
        counted.tokens += arrived.tokens
        counted.pieces += count
      }
      for (const time of arrived.times) {
        const bin = Math.floor((time - startedAtMs) / BIN_MS)
        if (bin >= 0 && bin < size) bins[bin] = (bins[bin] ?? 0) + weight
      }
    },
    within: (window) =>
      sumWithin(tokens, startedAtMs, window) +
      sumWithin(pieces, startedAtMs, window) * (counted.pieces === 0 ? 1 : counted.tokens / counted.pieces)
  }
}
