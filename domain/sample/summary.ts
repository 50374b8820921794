/**
 * Figures over the samples of one benchmark, from which bounds and verdicts are made: counts, sums, and, where samples belong together,
 * one entry for each cluster. x of a sample is its `score` when every scored sample has one, else 1 when it is correct and 0 when not;
 * repeats of an item are averaged first. Reference: samples.md, "Summary".
 */

import { sampleVerdicts } from "../../values/benchmark/sample-verdicts.ts"
import { defined } from "../../values/defined.ts"
import type { ValueSums } from "../../values/mean-limits.ts"
import type { SampleVerdict } from "./sample.ts"

export interface ClusterSum {
  readonly items: number
  /** of x over the items of the cluster */
  readonly sum: number
}

/** what was stored, told by its hash: SHA-256 (hex) over the digests of the records in the order of their keys */
export interface SampleSeal {
  readonly count: number
  readonly sha256: string
}

export interface SampleSummary {
  readonly stored: number
  readonly byVerdict: { readonly [Verdict in SampleVerdict]: number }
  /** distinct items with at least one scored sample */
  readonly items: number
  /** `score`: every scored sample has one; `verdict`: x is made from the verdicts */
  readonly basis: "score" | "verdict"
  /** every x is 0 or 1, and no item was repeated */
  readonly binary: boolean
  /** largest number of times an item was asked */
  readonly repeats: number
  /** sums over the items: x and its square */
  readonly sum: number
  readonly sumOfSquares: number
  /** of the items with x = 1 when `binary` */
  readonly successes: number
  readonly min: number
  readonly max: number
  /** absent where no sample names a cluster; items without one are clusters of their own */
  readonly clusters?: ReadonlyArray<ClusterSum>
}

/** running figures over the scored samples of one kind; what is added is never taken back */
export interface KindSums {
  readonly verdict: SampleVerdict
  readonly stored: number
  /** samples with a score; the sums are over them */
  readonly withScore: number
  readonly scoreSum: number
  readonly scoreSquares: number
  readonly scoreMin: number
  readonly scoreMax: number
  /** scores other than 0 and 1 */
  readonly fractions: number
}

/** figures of items whose samples had to be put together: by repeat or by cluster */
export interface GroupedFigures {
  readonly items: number
  readonly sum: number
  readonly sumOfSquares: number
  readonly min: number
  readonly max: number
  readonly clusters?: ReadonlyArray<ClusterSum>
}

const add = (values: ReadonlyArray<number>): number => values.reduce((sum, value) => sum + value, 0)

const scoredOf = (kinds: ReadonlyArray<KindSums>) =>
  kinds.filter(({ verdict }) => verdict === "correct" || verdict === "incorrect" || verdict === "invalid")

/** whether x is the score */
export const basisOf = (kinds: ReadonlyArray<KindSums>): SampleSummary["basis"] => {
  const scored = scoredOf(kinds)
  return scored.some(({ stored }) => stored > 0) && scored.every(({ stored, withScore }) => stored === withScore)
    ? "score"
    : "verdict"
}

/** `repeats`: from 1; `grouped`: needed with repeats or clusters */
export const summaryOf = (
  kinds: ReadonlyArray<KindSums>,
  repeats: number,
  grouped: GroupedFigures | undefined
): SampleSummary => {
  const scored = scoredOf(kinds)
  const basis = basisOf(kinds)
  const correct = add(scored.map(({ verdict, stored }) => (verdict === "correct" ? stored : 0)))
  const count = add(scored.map(({ stored }) => stored))
  const byScore = basis === "score"
  const fractions = byScore ? add(scored.map((kind) => kind.fractions)) : 0
  const plain: GroupedFigures = byScore
    ? {
        items: count,
        sum: add(scored.map(({ scoreSum }) => scoreSum)),
        sumOfSquares: add(scored.map(({ scoreSquares }) => scoreSquares)),
        min: Math.min(...scored.flatMap(({ withScore, scoreMin }) => (withScore === 0 ? [] : [scoreMin]))),
        max: Math.max(...scored.flatMap(({ withScore, scoreMax }) => (withScore === 0 ? [] : [scoreMax])))
      }
    : {
        items: count,
        sum: correct,
        sumOfSquares: correct,
        min: correct === count && count > 0 ? 1 : 0,
        max: correct > 0 ? 1 : 0
      }
  const { items, sum, sumOfSquares, min, max, clusters } = grouped ?? plain
  const binary = items > 0 && fractions === 0 && repeats <= 1
  return {
    stored: add(kinds.map(({ stored }) => stored)),
    byVerdict: Object.fromEntries(
      sampleVerdicts.map((verdict) => [verdict, add(kinds.map((kind) => (kind.verdict === verdict ? kind.stored : 0)))])
    ) as SampleSummary["byVerdict"],
    ...{ items, basis, binary, repeats, sum, sumOfSquares, min, max },
    successes: binary ? sum : 0,
    ...defined({ clusters })
  }
}

/** what limits of the mean are made of; undefined without a scored item */
export const sumsOf = ({ items, sum, sumOfSquares, clusters }: SampleSummary): ValueSums | undefined =>
  items === 0
    ? undefined
    : {
        ...{ n: items, sum, sumOfSquares },
        ...(clusters === undefined
          ? {}
          : { groups: clusters.map((cluster) => ({ n: cluster.items, sum: cluster.sum })) })
      }
