/** chrF2: F-score of character n-grams of orders 1 to 6 without white space, recall weighted four times, over a whole set. 0..1. */
import { bagSize, ngramCounts, shared } from "./ngrams.ts"

const ORDERS = 6
const BETA_SQUARED = 4

/** per order: n-grams of the answer, of the reference, and shared */
export interface ChrfCounts {
  readonly given: ReadonlyArray<number>
  readonly wanted: ReadonlyArray<number>
  readonly common: ReadonlyArray<number>
}

const against = (answer: string, reference: string): ChrfCounts => {
  const [a, b] = [answer, reference].map((text) => [...text.replace(/\s/g, "")]) as [Array<string>, Array<string>]
  const bags = Array.from(
    { length: ORDERS },
    (_, index) => [ngramCounts(a, index + 1), ngramCounts(b, index + 1)] as const
  )
  return {
    given: bags.map(([one]) => bagSize(one)),
    wanted: bags.map(([, other]) => bagSize(other)),
    common: bags.map(([one, other]) => shared(one, other))
  }
}

const sumsOf = (rows: ReadonlyArray<ChrfCounts>, part: keyof ChrfCounts) =>
  Array.from({ length: ORDERS }, (_, order) => rows.reduce((sum, row) => sum + (row[part][order] as number), 0))

/** chrF2 of a set of answers; orders for which one side is too short are left out */
export const chrfOf = (rows: ReadonlyArray<ChrfCounts>): number => {
  const [given, wanted, common] = [sumsOf(rows, "given"), sumsOf(rows, "wanted"), sumsOf(rows, "common")]
  const usable = common.flatMap((match, order) => {
    const [own, other] = [given[order] as number, wanted[order] as number]
    return own > 0 && other > 0 ? [{ precision: match / own, recall: match / other }] : []
  })
  if (usable.length === 0) return 0
  const precision = usable.reduce((sum, one) => sum + one.precision, 0) / usable.length
  const recall = usable.reduce((sum, one) => sum + one.recall, 0) / usable.length
  return precision + recall === 0 ? 0 : ((1 + BETA_SQUARED) * precision * recall) / (BETA_SQUARED * precision + recall)
}

/** what one answer adds, against the reference it fits best; `references` not empty */
export const chrfCounts = (answer: string, references: ReadonlyArray<string>): ChrfCounts =>
  references
    .map((reference) => against(answer, reference))
    .reduce((best, counts) => (chrfOf([counts]) > chrfOf([best]) ? counts : best))
