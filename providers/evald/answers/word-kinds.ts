/** Answers out of a closed set of words, calendar days and closing brackets. */
import { escaped } from "../../../values/pattern-text.ts"
import type { AnswerKind, Token } from "./answer-kind.ts"
import { unlisted } from "./listing.ts"
import { MARKS } from "./plain-text.ts"

const unwrap = (text: string): string =>
  text
    .trim()
    .replace(/^["'“”‘’`$*_<[(]+|["'“”‘’`$*_.!>\])]+$/g, "")
    .trim()

const matches = (
  text: string,
  pattern: RegExp,
  toValue: (found: RegExpExecArray) => string | undefined
): ReadonlyArray<Token> =>
  [...text.replace(MARKS, " ").matchAll(pattern)].flatMap((found) => {
    const value = toValue(found)
    return value === undefined ? [] : [{ value, from: found.index, to: found.index + found[0].length }]
  })

/** `… and False is False`, `Anna, so the owner is Anna`: the word that a verb or the sign of equality points to */
const pointedTo = (text: string, tokens: ReadonlyArray<Token>): Token | undefined => {
  const told = unlisted(text, tokens).filter(({ from }) =>
    /(?:[=→:]|(?<![\p{L}])(?:is|was|be|must be|equals|becomes|gives|to|therefore|thus|so|hence))[^\p{L}\p{N}]*(?:(?:the|a|an|in|fact|clearly|simply)\s+)*$/iu.test(
      text.slice(0, from)
    )
  )
  return told.at(-1) === tokens.at(-1)
    ? told.at(-1)
    : new Set(told.map(({ value }) => value)).size === 1
      ? told[0]
      : undefined
}

/** one of the given words or phrases, whatever the case; a leading article is tolerated */
export const wordKind = (words: ReadonlyArray<string>, wanted: string): AnswerKind => {
  const known = new Map(words.map((word) => [word.toLowerCase(), word]))
  const longestFirst = [...words].sort((a, b) => b.length - a.length)
  const pattern = new RegExp(`(?<![\\p{L}\\d])(?:${longestFirst.map(escaped).join("|")})(?![\\p{L}\\d])`, "giu")
  return {
    wanted,
    parse: (text) =>
      known.get(
        unwrap(text)
          .toLowerCase()
          .replace(/^(?:the|a|an)\s+/, "")
      ),
    tokens: (text) => matches(text, pattern, ([word]) => known.get(word.toLowerCase())),
    settle: pointedTo,
    size: known.size
  }
}

const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
const MONTH = "(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)\\p{L}*\\.?"
const DATE = new RegExp(
  `(?<!\\d)(?:(\\d{4})([-/.])(\\d{1,2})\\2(\\d{1,2})|(\\d{1,2})([./-])(\\d{1,2})\\6(\\d{4})|(\\d{1,2})(?:st|nd|rd|th)?(?: of)? ${MONTH},? (\\d{4})|${MONTH} (\\d{1,2})(?:st|nd|rd|th)?,? (\\d{4}))(?!\\d)`,
  "giu"
)

const isoDate = (year: number, month: number, day: number): string | undefined => {
  const date = new Date(Date.UTC(year, month - 1, day))
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day ? date.toISOString().slice(0, 10) : undefined
}

const monthOf = (name: string | undefined) => MONTHS.indexOf((name ?? "").slice(0, 3).toLowerCase()) + 1

/** which number of `3/4/2021` is the month cannot be known: such a date is read only when one of them cannot be a month, or both are the same */
const numericDate = (first: number, second: number, year: number): string | undefined => {
  if (first > 12 || first === second) return isoDate(year, second, first)
  return second > 12 ? isoDate(year, first, second) : undefined
}

const dateOf = (found: RegExpExecArray): string | undefined => {
  const [, y, , m, d, first, , second, year, dayBefore, monthAfter, yearAfter, monthBefore, dayAfter, yearLast] = found
  if (y !== undefined) return isoDate(Number(y), Number(m), Number(d))
  if (year !== undefined) return numericDate(Number(first), Number(second), Number(year))
  return dayBefore === undefined
    ? isoDate(Number(yearLast), monthOf(monthBefore), Number(dayAfter))
    : isoDate(Number(yearAfter), monthOf(monthAfter), Number(dayBefore))
}

/** a calendar day as YYYY-MM-DD */
export const dateKind: AnswerKind = {
  wanted: "the date in the form YYYY-MM-DD",
  parse: (text) => {
    const [, year, month, day] = /^(\d{4})-(\d{2})-(\d{2})$/.exec(unwrap(text)) ?? []
    return year === undefined ? undefined : isoDate(Number(year), Number(month), Number(day))
  },
  tokens: (text) => matches(text, DATE, dateOf),
  settle: pointedTo
}

const CLOSERS = /[)\]}>](?:[ \t,]*[)\]}>])*/g

/** closing brackets in order, written with or without spaces; normalised to no spaces */
export const bracketKind: AnswerKind = {
  wanted: "only the missing closing brackets in order, separated by spaces",
  parse: (text) => {
    const plain = text.replace(/[`"'\s,*]/g, "").replace(/\.$/, "")
    return /^[)\]}>]+$/.test(plain) ? plain : undefined
  },
  tokens: (text) =>
    /[([{<]/.test(text)
      ? []
      : [...text.matchAll(CLOSERS)].map((found) => ({
          value: found[0].replace(/[\s,]/g, ""),
          from: found.index,
          to: found.index + found[0].length
        })),
  isRaw: true
}
