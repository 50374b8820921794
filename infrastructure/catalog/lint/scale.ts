/** The scale of a primary metric: as declared, else told by its name: rates lie in 0..1, the rest is unbounded. Reference: providers-and-collections.md, "Linter". */
import type { PrimaryScore } from "../../../domain/job/job.ts"
import { placeOn, rangeOf, type Scale, shownRange } from "../../../domain/score/scale.ts"

const unbounded = /(_per_second|_ms|perplexity|bits_per_byte|\/mean)$|^(total_|n_)/

export const isRate = (metric: string): boolean => !unbounded.test(metric)

/** a threshold without a metric is one of a rate */
const scaleOf = (primary: PrimaryScore | undefined): Scale =>
  primary?.scale ?? (primary === undefined || isRate(primary.metric) ? "unit" : "unbounded")

export const isBounded = (primary: PrimaryScore): boolean => rangeOf(scaleOf(primary)) !== undefined

/** what a threshold is worth between 0 and 1; 1 on an unbounded scale, where only the verdict counts */
export const worth = (primary: PrimaryScore, threshold: number): number => {
  const range = rangeOf(scaleOf(primary))
  const place = range === undefined ? undefined : placeOn(range, threshold)
  if (place === undefined) return 1
  return primary.lowerIsBetter ? 1 - place : place
}

/** why the threshold can decide nothing; undefined when it lies on the metric's scale */
export const offScale = (primary: PrimaryScore | undefined, threshold: number | undefined): string | undefined => {
  const range = rangeOf(scaleOf(primary))
  return threshold === undefined || range === undefined || placeOn(range, threshold) !== undefined
    ? undefined
    : `${threshold} is outside ${shownRange(range)}, the scale of ${primary?.metric ?? "a rate"}`
}

/** `a-b`, `a`, `a+`, `<a`, `<=a`, `>a`, `>=a` as an interval; undefined when it is none of them */
export const interval = (range: string): { readonly low: number; readonly high: number } | undefined => {
  const between = /^(-?\d+(?:\.\d+)?)\s*-\s*(-?\d+(?:\.\d+)?)$/.exec(range)
  if (between !== null) return { low: Number(between[1]), high: Number(between[2]) }
  const bound = /^(<=?|>=?)\s*(-?\d+(?:\.\d+)?)$/.exec(range)
  if (bound !== null) {
    const value = Number(bound[2])
    return bound[1]?.startsWith("<") === true
      ? { low: Number.NEGATIVE_INFINITY, high: value }
      : { low: value, high: Number.POSITIVE_INFINITY }
  }
  const single = /^(-?\d+(?:\.\d+)?)(\+?)$/.exec(range)
  if (single === null) return undefined
  const value = Number(single[1])
  return { low: value, high: single[2] === "+" ? Number.POSITIVE_INFINITY : value }
}
