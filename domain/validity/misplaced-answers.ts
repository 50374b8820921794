/**
 * Answers that belong to questions which were asked before: a queue or a cache that mixes up its callers. Told from answers that are just wrong
 * by the order in which was asked: they are right for a question before, and hardly ever for one behind. Reference: validity.md, "Flags".
 */

/** one question with a free answer, by the time when it was asked */
export interface PlacedAnswer {
  readonly id: string
  readonly askedAt: string
  readonly extracted: string
  readonly reference: string
}

/** as many as may be under way at once */
const near = 8
const fewest = 20
/** what wrong answers are right for by chance is as often behind as before */
const timesChance = 3

/** ids of answers that are wrong, and right for one of the questions shortly before theirs; none when that may be chance */
export const misplacedOf = (answers: ReadonlyArray<PlacedAnswer>): ReadonlyArray<string> => {
  if (answers.length < fewest) return []
  const ordered = answers.toSorted((a, b) => a.askedAt.localeCompare(b.askedAt))
  const rightFor = (from: number, to: number, { extracted, reference }: PlacedAnswer): boolean =>
    extracted !== reference &&
    ordered.slice(Math.max(0, from), Math.max(0, to)).some((one) => one.reference === extracted)
  const before = ordered.filter((one, at) => rightFor(at - near, at, one))
  const behind = ordered.filter((one, at) => rightFor(at + 1, at + 1 + near, one))
  return before.length < timesChance * behind.length ? [] : before.map(({ id }) => id)
}
