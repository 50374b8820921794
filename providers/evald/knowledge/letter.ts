/** Which option a reply names. */
import { answerLine } from "../extract.ts"

/** letters of options in the order they are shown; at most 26 options */
export const LETTERS: ReadonlyArray<string> = [..."ABCDEFGHIJKLMNOPQRSTUVWXYZ"]

const placeOf = (letter: string | undefined, options: ReadonlyArray<string>): number | undefined => {
  const place = letter === undefined ? -1 : LETTERS.indexOf(letter.toUpperCase())
  return place < 0 || place >= options.length ? undefined : place
}

const plain = (text: string) =>
  text
    .toLowerCase()
    .replace(/[*_`"'“”‘’]/g, "")
    .replace(/[.!]+$/, "")
    .trim()

/** `B`, `(B)`, `B) text`, `B. text`, `option B`, or the text of exactly one option */
const readShort = (text: string, options: ReadonlyArray<string>): number | undefined => {
  const bare = text.replace(/[*_`"'“”‘’$]/g, "").trim()
  const lettered = /^(?:option\s+|choice\s+)?[([]?([A-Z])(?:[)\].:,\s]|$)/i.exec(bare)
  // "A" may be the article of a sentence, so text after it counts only behind a bracket, point or colon
  if (lettered !== null && (bare.replace(/[)\].:,\s]+$/, "").length <= lettered[0].length || /[)\].:]/.test(lettered[0]))) return placeOf(lettered[1], options)
  const same = options.flatMap((option, index) => (plain(option) === plain(bare) ? [index] : []))
  return same.length === 1 ? same[0] : undefined
}

/** place of the chosen option: the answer line first, then the last clearly marked letter, then the only option quoted; undefined = no answer */
export const readLetter = (text: string, options: ReadonlyArray<string>): number | undefined => {
  const line = answerLine(text)
  const direct = readShort(line ?? text, options)
  if (direct !== undefined) return direct
  // upper case where no bracket marks the letter: "the answer is a city" names no option
  const marked = [
    ...text.matchAll(/(?<![\p{L}\d])(?:\(([A-Za-z])\)|\*\*([A-Z])\*\*|(?:[Oo]ption|[Aa]nswer|[Cc]hoice)(?: is)?:? \(?([A-Z])(?![\p{L}\d]))/gu)
  ].at(-1)
  const place = placeOf(
    marked?.slice(1).find((letter) => letter !== undefined),
    options
  )
  if (place !== undefined) return place
  const quoted = options.flatMap((option, index) => (plain(text).includes(plain(option)) ? [index] : []))
  return quoted.length === 1 ? quoted[0] : undefined
}
