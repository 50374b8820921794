/** The scale of a metric, told by its name: rates lie in 0..1, the rest is unbounded. Reference: providers-and-collections.md, "Linter". */

const unbounded = /(_per_second|_ms|perplexity|bits_per_byte|\/mean)$|^(total_|n_)/

export const isRate = (metric: string): boolean => !unbounded.test(metric)

/** `a-b`, `a`, `a+`, `<a`, `<=a`, `>a`, `>=a` as an interval; undefined when it is none of them */
export const interval = (range: string): { readonly low: number; readonly high: number } | undefined => {
  const between = /^(-?\d+(?:\.\d+)?)\s*-\s*(-?\d+(?:\.\d+)?)$/.exec(range)
  if (between !== null) return { low: Number(between[1]), high: Number(between[2]) }
  const bound = /^(<=?|>=?)\s*(-?\d+(?:\.\d+)?)$/.exec(range)
  if (bound !== null) {
    const value = Number(bound[2])
    return bound[1]?.startsWith("<") === true ? { low: Number.NEGATIVE_INFINITY, high: value } : { low: value, high: Number.POSITIVE_INFINITY }
  }
  const single = /^(-?\d+(?:\.\d+)?)(\+?)$/.exec(range)
  if (single === null) return undefined
  const value = Number(single[1])
  return { low: value, high: single[2] === "+" ? Number.POSITIVE_INFINITY : value }
}
