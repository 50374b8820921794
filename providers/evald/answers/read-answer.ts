/**
 * Reads a short answer out of a reply as models really write them. A concluding statement wins over a mention; what is negated, considered or
 * asked is no answer; several answers without a conclusion are none. What can be read only here and not from the answer line asked for is the
 * flexible reading.
 */

import { DECLINED, REASON } from "./announcements.ts"
import type { AnswerKind, Token } from "./answer-kind.ts"
import { BOLD_CLOSE, BOLD_OPEN, plainText, replyText, unmarked } from "./plain-text.ts"
import { type Reading, read, unread } from "./reading.ts"
import { isHedged, isNegated, type Statement, sentencesOf, statementsOf } from "./statements.ts"

/** a reply longer than this is read at its end, where answers stand */
const MAX_LENGTH = 40_000
/** and so is a sentence, as of a model that repeats itself without a stop */
const MAX_SENTENCE = 2000

type Meant = Reading<string> | { readonly _tag: "None" }
const NONE: Meant = { _tag: "None" }

const values = (tokens: ReadonlyArray<Token>): ReadonlySet<string> => new Set(tokens.map(({ value }) => value))

const isBold = (text: string, { from, to }: Token): boolean =>
  text.lastIndexOf(BOLD_OPEN, from) > text.lastIndexOf(BOLD_CLOSE, from - 1) && text.indexOf(BOLD_CLOSE, to) >= 0

const blank = (text: string) => " ".repeat(text.length)

/** remarks in brackets, unless nothing else is there */
const withoutRemarks = (text: string): string => {
  const plain = text.replace(/\((?:[^()]{2,})\)/g, blank)
  return /[\p{L}\p{N}]/u.test(plain) ? plain : text
}

/** up to where a reason begins, unless nothing was said before it */
const beforeReason = (text: string): string => {
  const at = REASON.exec(text)?.index ?? text.length
  return /[\p{L}\p{N}]/u.test(text.slice(0, at)) ? text.slice(0, at) + blank(text.slice(at)) : text
}

/** the tokens of a statement that it really asserts, with offsets of its sentence */
const assertedIn = ({ sentence, from, to }: Statement, kind: AnswerKind, marked: boolean) => {
  const part = sentence.slice(from, to)
  const reduced = kind.isRaw === true ? part : withoutRemarks(beforeReason(part))
  const found = kind.tokens(reduced, marked)
  const tokens = found.length > 0 || reduced === part ? found : kind.tokens(part, marked)
  const all = tokens.map((token) => ({ ...token, from: token.from + from, to: token.to + from }))
  // an answer may be a word like "never": it says nothing of the others
  const around = all.reduce(
    (text, { from: start, to: end }) => text.slice(0, start) + "·".repeat(end - start) + text.slice(end),
    sentence
  )
  return { all, asserted: all.filter((token) => !isNegated(around, token.from, token.to)) }
}

/** the one answer among several, or none */
const settled = (sentence: string, asserted: ReadonlyArray<Token>, kind: AnswerKind, announced: boolean): Meant => {
  const [first] = asserted
  if (first !== undefined && values(asserted).size === 1)
    return first.outside === true ? unread("answer_outside_choices") : read(first.value)
  const bold = asserted.filter((token) => isBold(sentence, token))
  const [only] = bold
  if (only !== undefined && values(bold).size === 1) return read(only.value)
  const sure = asserted.filter(({ from }) => !isHedged(sentence, from))
  const [surely] = sure
  if (surely !== undefined && values(sure).size === 1 && surely.outside !== true) return read(surely.value)
  const meant = kind.settle?.(sentence, asserted, announced)
  if (meant === undefined) return unread("answer_ambiguous")
  return meant.outside === true ? unread("answer_outside_choices") : read(meant.value)
}

/** what a statement says; None when it says nothing of this kind */
const meaning = (statement: Statement, kind: AnswerKind): Meant => {
  const short = kind.parse(unmarked(statement.sentence.slice(statement.from, statement.to)))
  if (short !== undefined && !isNegated(statement.sentence, statement.from, statement.to)) return read(short)
  const { all, asserted } = assertedIn(statement, kind, true)
  if (asserted.length > 0) return settled(statement.sentence, asserted, kind, true)
  if (all.length > 0) return unread("answer_negated")
  return DECLINED.test(statement.sentence.slice(statement.from, statement.to)) ? unread("answer_declined") : NONE
}

/** sentences that draw a conclusion */
const TELLING =
  /=|(?<![\p{L}])(?:therefore|thus|so|hence|in total|altogether|overall|in all|in conclusion|leav\w+|giv\w+|total\w*|sum|left|remain\w*|result\w*|equals?|makes?|means|must be|daher|also|insgesamt|donc|por lo tanto|итого|所以|因此)(?![\p{L}])/iu

/** of things that are no numbers only these do: "makes" and "left" may be words of an option */
const CONCLUDING =
  /=|(?<![\p{L}])(?:therefore|thus|so|hence|in conclusion|must be|daher|also|donc|por lo tanto|итак|所以|因此)(?![\p{L}])/iu

/** without any statement: the last sentence that concludes, else the last one that says anything of this kind */
const mention = (sentences: ReadonlyArray<string>, kind: AnswerKind): Meant => {
  let fallback: Meant = NONE
  for (const sentence of sentences.toReversed()) {
    const statement: Statement = { _tag: "Statement", sentence, from: 0, to: sentence.length }
    if (/\?\s*$/.test(sentence)) continue
    const { all, asserted } = assertedIn(statement, kind, false)
    if (all.length === 0) continue
    const last = asserted.at(-1)
    const meant = last === undefined ? unread("answer_negated") : settled(sentence, asserted, kind, false)
    const told =
      meant._tag === "Unread" && meant.reason === "answer_ambiguous" && kind.lastCounts === true && last !== undefined
        ? read(last.value)
        : meant
    if ((kind.lastCounts === true ? TELLING : CONCLUDING).test(sentence) && fallback._tag === "None") return told
    if (kind.lastCounts === true && TELLING.test(sentence)) return told
    if (fallback._tag === "None") fallback = told
    // a text that names several answers in its sentences concludes with none of them
    if (kind.lastCounts !== true && fallback._tag === "Read" && told._tag === "Read" && told.value !== fallback.value)
      return unread("answer_ambiguous")
  }
  return fallback
}

/** of a reply that was cut within a number nobody knows how it goes on */
const withoutTorn = (text: string): string => text.replace(/(?<![\d.,])[-−]?\d[\d.,]*$/u, "")

/** a model that does not stop goes on with another question, and answers that too */
const NEXT_QUESTION = /\n\s*(?:question|problem|q)(?:\s+\d+)?\s*:/i

/**
 * The answer of a reply in any usual form, or why none can be read. Of a reply that was `cut` off only what it states counts: what it names last
 * is where it was interrupted.
 */
export const readAnswer = (reply: string, kind: AnswerKind, cut = false): Reading<string> => {
  const tail = reply.length > MAX_LENGTH ? reply.slice(-MAX_LENGTH) : reply
  const whole = cut && kind.lastCounts === true ? withoutTorn(tail) : tail
  const text = kind.isRaw === true ? replyText(whole) : plainText(whole)
  if (unmarked(text) === "") return unread("no_answer")
  const next = NEXT_QUESTION.exec(text)?.index ?? 0
  if (next > 0) {
    // only what is stated before it: a reply may also begin with a word, and repeat the question before the answer
    const own = readText(text.slice(0, next), kind, true)
    if (own._tag === "Read") return own
  }
  return readText(text, kind, cut)
}

const readText = (text: string, kind: AnswerKind, cut: boolean): Reading<string> => {
  const whole = kind.parse(unmarked(text))
  if (whole !== undefined) return read(whole)
  const sentences = sentencesOf(text, kind.wholes).map((sentence) => sentence.slice(-MAX_SENTENCE))
  let negated = false
  let from = 0
  for (const statement of statementsOf(sentences, kind).toReversed()) {
    if (statement._tag === "Withdrawal") {
      from = statement.at + 1
      negated = true
      break
    }
    const meant = meaning(statement, kind)
    if (meant._tag === "None") continue
    if (meant._tag === "Read" || meant.reason !== "answer_negated") return meant
    negated = true
  }
  const mentioned = cut ? NONE : mention(sentences.slice(from), kind)
  if (mentioned._tag !== "None") return mentioned
  return unread(negated ? "answer_negated" : DECLINED.test(unmarked(text)) ? "answer_declined" : "answer_not_found")
}
