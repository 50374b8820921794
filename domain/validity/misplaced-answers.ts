/**
 * Answers that belong to questions which were asked before: a queue or a cache that mixes up its callers. Told from answers that are just wrong
 * by the order in which was asked: they are right for a question before, and hardly ever for one behind. Reference: validity.md, "Flags".
 */

/** how many of how many, with ids of the first of them */
interface Found {
  readonly count: number
  readonly of: number
  readonly samples: ReadonlyArray<string>
}

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

/** how many answers are wrong, and right for one of the questions shortly before theirs; nothing when that may be chance */
export const misplacedOf = (answers: ReadonlyArray<PlacedAnswer>): Found => {
  if (answers.length < fewest) return { count: 0, of: answers.length, samples: [] }
  const ordered = answers.toSorted((a, b) => a.askedAt.localeCompare(b.askedAt))
  const rightFor = (from: number, to: number, { extracted, reference }: PlacedAnswer): boolean =>
    extracted !== reference &&
    ordered.slice(Math.max(0, from), Math.max(0, to)).some((one) => one.reference === extracted)
  const before = ordered.filter((one, at) => rightFor(at - near, at, one))
  const behind = ordered.filter((one, at) => rightFor(at + 1, at + 1 + near, one))
  const isChance = before.length < timesChance * behind.length
  return {
    count: isChance ? 0 : before.length,
    of: answers.length,
    samples: isChance ? [] : before.slice(0, 5).map(({ id }) => id)
  }
}
