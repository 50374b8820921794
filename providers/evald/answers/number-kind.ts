/** Answers that are numbers. */
import type { AnswerKind, Token } from "./answer-kind.ts"
import { areListed, unlisted } from "./listing.ts"
import { canonicalNumber, numberInWords, numbersIn } from "./number-text.ts"
import { MARKS } from "./plain-text.ts"

const unwrap = (text: string): string =>
  text
    .trim()
    .replace(/^\\\((.*)\\\)$/, "$1")
    .replace(/^["'“”‘’`$*_]+|["'“”‘’`$*_.!]+$/g, "")
    .trim()

/** `6 × 7 = 42` and `42 = 6 × 7` both say 42 */
const ofEquation = (text: string, tokens: ReadonlyArray<Token>): Token | undefined => {
  const signs = [...text.matchAll(/[=≈]/g)].map(({ index }) => index)
  const [first, last] = [signs[0], signs.at(-1)]
  if (first === undefined || last === undefined) return undefined
  const behind = tokens.filter(({ from }) => from > last)
  const before = tokens.filter(({ to }) => to <= first)
  const [right, left] = [behind[0], before[0]]
  // a formula behind the sign and a single number before it
  if (behind.length > 1 && before.length === 1 && /[-+×*/÷^]/.test(text.slice(last))) return left
  if (behind.length === 1) return right
  const next = behind[1]
  return right !== undefined && next !== undefined && !areListed(text, right, next) ? right : undefined
}

/** `42 apples in 6 bags`: the number that begins the statement */
const atHead = (text: string, tokens: ReadonlyArray<Token>): Token | undefined => {
  const [first, second] = tokens
  if (first === undefined || second === undefined) return undefined
  const head = text.slice(0, first.from)
  const isHead =
    /(?:^|[:=：]|(?<![\p{L}])(?:is|are|was|be|ist|est|es|è|é|são|är))[^\p{L}\p{N}]*(?:(?:about|exactly|approximately|around|roughly|just|only|ca\.?)\s+)?$/iu.test(
      head
    )
  return isHead && !areListed(text, first, second) ? first : undefined
}

/** a verb right before the number says that it is the one: `the sum of 40 and 2 is 42` */
const afterVerb = (text: string, tokens: ReadonlyArray<Token>): Token | undefined => {
  const told = unlisted(text, tokens).filter(({ from }) =>
    /(?<![\p{L}])(?:is|are|equals?|gives?|makes?|leaves?|leaving|giving|has|have|totals?|get|gets|costs?|needs?|therefore|thus|so)\s*(?:(?:now|then|about|exactly|only|just|left with|a total of)\s+)*[^\p{L}\p{N}]*$/iu.test(
      text.slice(0, from)
    )
  )
  return new Set(told.map(({ value }) => value)).size === 1 ? told[0] : undefined
}

/** a currency before, a percent sign or one unit word behind; a word that multiplies or denies is no unit */
const UNIT =
  /^[$€£]|\s*(?:%|(?<![\p{L}°])(?!(?:k|dozen|hundred|thousand|tausend|millions?|millionen|billions?|milliarden?|milliards?|trillions?|not|wrong|incorrect|false|nicht|niet|değil)$|(?:では|じゃ)(?:な|あり)|[万萬만亿億억])[\p{L}°]+)$/giu

/** a number in digits; a currency or percent sign or one unit word around it is tolerated */
export const numberKind: AnswerKind = {
  wanted: "the number in digits, without any unit",
  parse: (text) => canonicalNumber(unwrap(text).replace(UNIT, "")),
  tokens: (text, marked) => {
    const found = numbersIn(text.replace(MARKS, " "))
    if (found.length > 0 || !marked) return found
    const words = numberInWords(text.replace(MARKS, " "))
    return words === undefined ? [] : [{ value: words, from: 0, to: text.length }]
  },
  settle: (text, tokens, announced) =>
    ofEquation(text, tokens) ?? (announced ? atHead(text, tokens) : undefined) ?? afterVerb(text, tokens),
  lastCounts: true
}
