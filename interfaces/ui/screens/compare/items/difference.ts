/** What one text says otherwise than another, word by word. Loaded when two answers are looked at: it brings a library along. */
import { diffWordsWithSpace } from "diff/lib/diff/word.js"

export interface Piece {
  readonly kind: "same" | "before" | "after"
  readonly text: string
}

export interface Difference {
  readonly pieces: ReadonlyArray<Piece>
  /** characters of the longer text that were not looked at */
  readonly left: number
  /** too little of them is the same: one stands whole before the other */
  readonly isWhole: boolean
}

/** of each text; the rest is not looked at, so that no answer holds the page */
export const mostCharacters = 10_000
/** words, signs and spaces that go or come; the search takes the square of it */
const mostEdits = 1000

export const differenceOf = (before: string, after: string): Difference => {
  const [one, other] = [before.slice(0, mostCharacters), after.slice(0, mostCharacters)]
  const left = Math.max(before.length, after.length, mostCharacters) - mostCharacters
  const found = diffWordsWithSpace(one, other, { maxEditLength: mostEdits })
  if (found === undefined) {
    const pieces: ReadonlyArray<Piece> = [
      { kind: "before", text: one },
      { kind: "after", text: other }
    ]
    return { pieces, left, isWhole: true }
  }
  const pieces = found.map(
    ({ value, added, removed }): Piece => ({ kind: added ? "after" : removed ? "before" : "same", text: value })
  )
  return { pieces, left, isWhole: false }
}
