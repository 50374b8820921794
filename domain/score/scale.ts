/** On which scale a metric's values lie, and what a value is worth between 0 (worst) and 1 (best). Reference: states-and-scores.md, "Scales". */
import type { Range } from "../../values/mean-limits.ts"

export const namedScales = ["unit", "percent", "unbounded"] as const
/** `unit`: 0 to 1, `percent`: 0 to 100, a range of its own, or `unbounded` */
export type Scale = (typeof namedScales)[number] | Range

/** the ends of a scale; undefined for an unbounded one */
export const rangeOf = (scale: Scale): Range | undefined => {
  if (scale === "unbounded") return undefined
  if (scale === "unit") return { min: 0, max: 1 }
  return scale === "percent" ? { min: 0, max: 100 } : scale
}

/** what a definition means that names no scale: never told by a value */
export const inferredScale = (threshold: number | undefined): Scale =>
  threshold !== undefined && (threshold < 0 || threshold > 1) ? "unbounded" : "unit"

/** sums of doubles may miss an end by a hair */
const slack = 1e-9

/** where the value lies between the ends, 0 to 1; undefined outside them. Of a bounded scale. */
export const placeOn = ({ min, max }: Range, value: number): number | undefined => {
  const place = (value - min) / (max - min)
  return place >= -slack && place <= 1 + slack ? Math.min(1, Math.max(0, place)) : undefined
}

export const isOutside = (scale: Scale, value: number): boolean => {
  const range = rangeOf(scale)
  return range !== undefined && placeOn(range, value) === undefined
}

/** `0..1` and the like, for people */
export const shownRange = ({ min, max }: Range): string => `${min}..${max}`
