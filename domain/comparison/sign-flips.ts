/**
 * How often differences without a direction would sum to as little as these: every sign is as likely as the other. All sign patterns of few
 * differences, else draws from a fixed seed. Items that belong together turn together. Reference: comparison-and-gates.md, "p values".
 */
import { normalAbove } from "../../values/distributions.ts"
import { sfc32 } from "../../values/sfc32.ts"

const allOf = 16
const draws = 10_000
/** always the same, so that a comparison made again has the same figures */
const seed = [0x9e3779b9, 0x243f6a88, 0xb7e15162] as const
/** beyond so many values a sum is normal to more digits than the draws have */
const mostDrawn = 50_000

/** sums of the 256 sign patterns of each eight values */
const tables = (values: ReadonlyArray<number>): ReadonlyArray<Float64Array> =>
  Array.from({ length: Math.ceil(values.length / 8) }, (_, part) => {
    const eight = values.slice(part * 8, part * 8 + 8)
    return Float64Array.from({ length: 256 }, (_unused, signs) =>
      eight.reduce((sum, value, bit) => sum + ((signs >> bit) & 1 ? value : -value), 0)
    )
  })

const sumOf = (parts: ReadonlyArray<Float64Array>, bits: () => number): number => {
  let [sum, word] = [0, 0]
  for (let at = 0; at < parts.length; at++) {
    word = at % 4 === 0 ? bits() : word >>> 8
    sum += parts[at]?.[word & 255] ?? 0
  }
  return sum
}

const bySum = (values: ReadonlyArray<number>, clusters: ReadonlyArray<number>): ReadonlyArray<number> => {
  const sums = new Map<number, number>()
  for (const [at, value] of values.entries()) {
    const cluster = clusters[at] ?? 0
    sums.set(cluster, (sums.get(cluster) ?? 0) + value)
  }
  return [...sums.values()]
}

/** one-sided p that the differences are as low as these by chance */
export const pSignFlips = (differences: ReadonlyArray<number>, clusters?: ReadonlyArray<number>): number => {
  const values = (clusters === undefined ? differences : bySum(differences, clusters)).filter((value) => value !== 0)
  const observed = values.reduce((sum, value) => sum + value, 0)
  const scale = values.reduce((sum, value) => sum + Math.abs(value), 0)
  // sums in another order may miss each other by a hair
  const limit = observed + 1e-12 * scale
  if (values.length === 0) return 1
  if (values.length > mostDrawn)
    return normalAbove(-observed / Math.sqrt(values.reduce((sum, value) => sum + value * value, 0)))
  const parts = tables(values)
  if (values.length <= allOf) {
    const patterns = 2 ** values.length
    let low = 0
    for (let signs = 0; signs < patterns; signs++) if (sumOf(parts, () => signs) <= limit) low += 1
    return low / patterns
  }
  const bits = sfc32(...seed)
  let low = 0
  for (let draw = 0; draw < draws; draw++) if (sumOf(parts, bits) <= limit) low += 1
  return (1 + low) / (1 + draws)
}
