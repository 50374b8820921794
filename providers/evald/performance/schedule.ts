/** When open-loop requests are due. Times in milliseconds after the start of the run, ascending, all before its end. */
import type { SeededRandom } from "../random.ts"

/** one request every 1/rate seconds, the first at once */
export const constantSchedule = (
  ratePerSecond: number,
  durationMs: number,
  maxRequests = Number.POSITIVE_INFINITY
): ReadonlyArray<number> => {
  const gap = 1000 / ratePerSecond
  const count = Math.min(maxRequests, Math.ceil(durationMs / gap))
  // multiplied, not summed, so that the last request is as exactly on time as the first
  return Array.from({ length: count }, (_, index) => index * gap)
}

/** exponential gaps with mean 1/rate: arrivals that know nothing of each other */
export const poissonSchedule = (
  random: SeededRandom,
  ratePerSecond: number,
  durationMs: number,
  maxRequests = Number.POSITIVE_INFINITY
): ReadonlyArray<number> => {
  const due: Array<number> = []
  const gap = () => (-Math.log(1 - random.next()) * 1000) / ratePerSecond
  for (let at = gap(); at < durationMs && due.length < maxRequests; at += gap()) due.push(at)
  return due
}
