/** A reply as statements about its answer: what it boxes, announces, or states in so many words, in the order in which it says them. */

import {
  announcement,
  BOUND_BEFORE,
  HEADING,
  HEDGE_BEFORE,
  HYPOTHETICAL,
  NEGATION_AFTER,
  NEGATION_BEFORE,
  WITHDRAWAL
} from "./announcements.ts"
import type { AnswerKind } from "./answer-kind.ts"
import { areListed } from "./listing.ts"
import { BOX_CLOSE, BOX_OPEN, unmarked } from "./plain-text.ts"

export interface Statement {
  readonly _tag: "Statement"
  /** the whole sentence: what stands before and behind says how it is meant */
  readonly sentence: string
  /** the part that holds the answer */
  readonly from: number
  readonly to: number
}

/** what was said before does not count any more */
export interface Withdrawal {
  readonly _tag: "Withdrawal"
  /** number of the sentence */
  readonly at: number
}

const JOINED = "\uE004"

/** not behind `B.` at the beginning of what is said, which is the letter of an option, and not behind an abbreviation */
const SENTENCE_END =
  /(?<=[.!?](?:["'”’)*]|[\uE001\uE003])?)(?<!(?:^|[:\n\uE000\uE002])[^\p{L}\p{N}]*\p{L}\.)(?<!(?:^|[^\p{L}])(?:ans|approx|ca|e\.g|i\.e|vs|no|dr|mr|mrs)\.)[^\S\n]+|(?<=[。！？])|\n+/giu

/** `wholes` are texts that no sentence ends within: `H. G. Wells` */
export const sentencesOf = (text: string, wholes: ReadonlyArray<string> = []): ReadonlyArray<string> => {
  const joined = wholes.reduce((all, one) => all.replaceAll(one, one.replaceAll(" ", JOINED)), text)
  return joined
    .split(SENTENCE_END)
    .map((one) => one.replaceAll(JOINED, " "))
    .filter((one) => unmarked(one) !== "")
}

/** boundaries within a sentence over which a "not" does not reach */
const CLAUSE =
  /[=→,;:()—\uE000\uE001]|\.\s|(?<![\p{L}])(?:but|because|since|while|whereas|although|though|so|therefore|thus|hence|sondern|mais|sino|ma|mas|maar|utan|lecz|hanem|vaan|αλλά|melainkan|mà là|بل)(?![\p{L}])|而是/giu
const PART = /[,;:—]|(?<![\p{L}])(?:and|or|but|because|since|while|whereas|although|though|so|therefore)(?![\p{L}])/iu

const clauseBefore = (text: string): string => {
  const last = [...text.matchAll(CLAUSE)].at(-1)
  return last === undefined ? text : text.slice(last.index + last[0].length)
}

/** behind the letter of an option a point may end the sentence */
const NEXT_SENTENCE =
  /^[)\]]?\.\s+(?:option|choice|letter|the|it|this|that|because|since|why|note|explanation|[A-Z](?![\p{L}]))[\s\S]*$/iu

/** whether a sentence says of what stands at `from` to `to` that it is not the answer */
export const isNegated = (sentence: string, from: number, to: number): boolean =>
  NEGATION_BEFORE.test(clauseBefore(sentence.slice(0, from))) ||
  BOUND_BEFORE.test(sentence.slice(0, from)) ||
  NEGATION_AFTER.test(
    sentence
      .slice(to)
      .replace(NEXT_SENTENCE, "")
      .replace(/^[)\].:]\s*/, " ")
      .replace(/\([^()]*\)/g, "")
      .split(PART)[0] ?? ""
  )

/** whether a sentence says of what stands at `at` that it is possible and no more */
export const isHedged = (sentence: string, at: number): boolean => HEDGE_BEFORE.test(sentence.slice(0, at))

/** whether what stands at `at` is only considered, or asked */
const isHypothetical = (sentence: string, at: number): boolean =>
  HYPOTHETICAL.test(clauseBefore(sentence.slice(0, at))) || /\?["'”’)]*\s*$/.test(sentence)

const JSON_MEMBER_END = /,\s*["'][\w ]+["']\s*:/

/** `\boxed{6} or \boxed{7}` is one statement that names two answers */
const boxesOf = (sentence: string): ReadonlyArray<Statement> => {
  const boxes: Array<Statement> = []
  for (const found of sentence.matchAll(new RegExp(`${BOX_OPEN}([^${BOX_CLOSE}]*)`, "g"))) {
    const box: Statement = { _tag: "Statement", sentence, from: found.index + 1, to: found.index + found[0].length }
    const before = boxes.at(-1)
    if (before !== undefined && areListed(sentence, before, box))
      boxes[boxes.length - 1] = { ...box, from: before.from }
    else boxes.push(box)
  }
  return boxes
}

/** the last announcement of a sentence: "the answer: I said the answer is 42" means the second one */
const announcedIn = (sentence: string, hasLetters: boolean): Statement | undefined => {
  const found = [...sentence.matchAll(announcement(hasLetters))]
    .filter(({ index }) => !isHypothetical(sentence, index))
    .at(-1)
  if (found === undefined || NEGATION_BEFORE.test(clauseBefore(sentence.slice(0, found.index)))) return undefined
  const from = found.index + found[0].length
  const rest = sentence.slice(from)
  return { _tag: "Statement", sentence, from, to: from + (JSON_MEMBER_END.exec(rest)?.index ?? rest.length) }
}

const wordsIn = (text: string): number => unmarked(text).split(/\s+/).length

const whole = (sentence: string): Statement => ({ _tag: "Statement", sentence, from: 0, to: sentence.length })

/** everything that a reply states about its answer; announcements without one point to the short line below them */
export const statementsOf = (
  sentences: ReadonlyArray<string>,
  kind: AnswerKind
): ReadonlyArray<Statement | Withdrawal> => {
  const found: Array<Statement | Withdrawal> = []
  const alone = sentences.map((sentence) => kind.parse(unmarked(sentence)))
  // a list of answers, one on each line, states none of them
  const isList = new Set(alone.filter((value) => value !== undefined)).size > 1
  for (const [at, sentence] of sentences.entries()) {
    const announced = announcedIn(sentence, kind.hasLetters === true)
    const isEmpty =
      announced !== undefined &&
      unmarked(sentence.slice(announced.from, announced.to)).replace(/[^\p{L}\p{N}]/gu, "") === "" &&
      kind.isRaw !== true
    const boxed = boxesOf(sentence)
    const corrects = WITHDRAWAL.test(sentence)
    const tokens = corrects
      ? kind.tokens(unmarked(sentence), true).filter(({ from, to }) => !isNegated(unmarked(sentence), from, to))
      : []
    const below = sentences[at + 1]
    const isEdge = at === 0 || at === sentences.length - 1
    if (boxed.length > 0) found.push(...boxed)
    else if ((isEmpty || (announced === undefined && HEADING.test(unmarked(sentence)))) && below !== undefined) {
      if (wordsIn(below) <= 6) found.push(whole(below))
    } else if (announced !== undefined) found.push(announced)
    else if (corrects) found.push(tokens.length > 0 ? whole(sentence) : { _tag: "Withdrawal", at })
    else if (isEdge && !isList && alone[at] !== undefined) found.push(whole(sentence))
    else
      for (const { from, to } of kind.stated?.(sentence) ?? [])
        if (!isHypothetical(sentence, from)) found.push({ _tag: "Statement", sentence, from, to })
  }
  return found
}
