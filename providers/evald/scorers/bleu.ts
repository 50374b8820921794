/**
 * BLEU with up to four-grams over a whole set: clipped n-gram matches and lengths are added up over the items before the ratio is taken.
 * Tokens follow the usual language-independent rules of machine translation scoring ("13a"); orders without a match are smoothed exponentially.
 * 0..1.
 */
import { bagSize, ngramCounts, shared } from "./ngrams.ts"

const ORDERS = 4

export interface BleuCounts {
  /** per order 1..4 */
  readonly matches: ReadonlyArray<number>
  readonly totals: ReadonlyArray<number>
  readonly answerLength: number
  /** of the reference closest in length */
  readonly referenceLength: number
}

const ENTITIES: ReadonlyArray<readonly [string, string]> = [
  ["&quot;", '"'],
  ["&amp;", "&"],
  ["&lt;", "<"],
  ["&gt;", ">"]
]

/** punctuation apart, except points and commas between digits */
export const bleuTokens = (text: string): ReadonlyArray<string> =>
  ` ${ENTITIES.reduce((line, [entity, sign]) => line.replaceAll(entity, sign), text.replaceAll("-\n", "").replaceAll("\n", " "))} `
    .replace(/[{-~[-` -&(-+:-@/]/g, " $& ")
    .replace(/([^0-9])([.,])/g, "$1 $2 ")
    .replace(/([.,])([^0-9])/g, " $1 $2")
    .replace(/([0-9])(-)/g, "$1 $2 ")
    .split(/\s+/)
    .filter((token) => token !== "")

const closestLength = (answerLength: number, references: ReadonlyArray<ReadonlyArray<string>>): number =>
  references
    .map(({ length }) => length)
    .reduce((best, length) => {
      const [now, then] = [Math.abs(length - answerLength), Math.abs(best - answerLength)]
      return now < then || (now === then && length < best) ? length : best
    })

/** what one answer adds to the sums; `references` not empty */
export const bleuCounts = (answer: string, references: ReadonlyArray<string>): BleuCounts => {
  const given = bleuTokens(answer)
  const wanted = references.map(bleuTokens)
  const perOrder = Array.from({ length: ORDERS }, (_, index) => {
    const bag = ngramCounts(given, index + 1)
    const most = new Map<string, number>()
    for (const reference of wanted) {
      for (const [gram, count] of ngramCounts(reference, index + 1))
        most.set(gram, Math.max(count, most.get(gram) ?? 0))
    }
    return { match: shared(bag, most), total: bagSize(bag) }
  })
  return {
    matches: perOrder.map(({ match }) => match),
    totals: perOrder.map(({ total }) => total),
    answerLength: given.length,
    referenceLength: closestLength(given.length, wanted)
  }
}

const sumOf = (rows: ReadonlyArray<BleuCounts>, part: (counts: BleuCounts) => number) =>
  rows.reduce((sum, row) => sum + part(row), 0)

/** BLEU of a set of answers */
export const bleuOf = (rows: ReadonlyArray<BleuCounts>): number => {
  const answerLength = sumOf(rows, (row) => row.answerLength)
  const referenceLength = sumOf(rows, (row) => row.referenceLength)
  if (answerLength === 0) return 0
  const brevity = answerLength < referenceLength ? Math.exp(1 - referenceLength / answerLength) : 1
  let smoothing = 1
  let logs = 0
  for (let order = 0; order < ORDERS; order++) {
    const match = sumOf(rows, (row) => row.matches[order] as number)
    const total = sumOf(rows, (row) => row.totals[order] as number)
    // texts shorter than four words have no such n-gram, right or wrong: the orders that there are decide
    if (total === 0) return order === 0 ? 0 : brevity * Math.exp(logs / order)
    if (order === 0 && match === 0) return 0
    if (match === 0) smoothing *= 2
    logs += Math.log(match === 0 ? 1 / (smoothing * total) : match / total)
  }
  return brevity * Math.exp(logs / ORDERS)
}
