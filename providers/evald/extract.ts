/**
 * Reads the answer out of a reply. Strict: the last line of the form `Answer: x`. Flexible: the last token anywhere that fits the kind of
 * answer asked for. What a kind accepts is normalised before comparison, so that `1,204.0`, `**1204**` and `1204` are one answer.
 */

export interface AnswerKind {
  /** fills "<x> is …" in the prompt */
  readonly wanted: string
  /** the whole text as one answer, normalised; undefined when it does not fit */
  readonly parse: (text: string) => string | undefined
  /** last fitting token in running text, normalised */
  readonly last: (text: string) => string | undefined
}

const ANSWER_LINE = /^[\s>*_#`~-]*(?:the\s+)?(?:final\s+)?answer(?:\s+is)?[\s*_`]*[:：][\s*_`]*(.*?)[\s*_`]*$/i

/** text after `Answer:` on the last line of that form, markup around it removed; undefined when there is none or it is empty */
export const answerLine = (text: string): string | undefined => {
  const lines = text.split(/\r?\n/)
  for (let i = lines.length - 1; i >= 0; i--) {
    const found = ANSWER_LINE.exec(lines[i] as string)?.[1]
    if (found !== undefined) return found.trim() === "" ? undefined : found.trim()
  }
  return undefined
}

export interface Extraction {
  readonly strict: string | undefined
  readonly flexible: string | undefined
}

/** both readings of a reply; an answer line that does not fit its kind leaves the strict one empty */
export const extract = (text: string, kind: AnswerKind): Extraction => {
  const line = answerLine(text)
  const strict = line === undefined ? undefined : kind.parse(line)
  return { strict, flexible: strict ?? (line === undefined ? undefined : kind.last(line)) ?? kind.last(text) }
}

const lastMatch = (text: string, pattern: RegExp): string | undefined => [...text.matchAll(pattern)].at(-1)?.[0]

const unwrap = (text: string): string =>
  text
    .trim()
    .replace(/^\\\((.*)\\\)$/, "$1")
    .replace(/^["'“”‘’`$*_]+|["'“”‘’`$*_.!]+$/g, "")
    .trim()

/** canonical decimal text: no grouping, no plus sign, no trailing zeros; undefined when the text is not one number */
export const canonicalNumber = (text: string): string | undefined => {
  const plain = text.replace(/[−–]/g, "-").replace(/[\s\u00a0\u202f]/g, "")
  if (!/^[+-]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?$/.test(plain)) return undefined
  const [whole = "", fraction = ""] = plain.replace(/[+,]/g, "").split(".")
  const sign = whole.startsWith("-") ? "-" : ""
  const digits = whole.replace("-", "").replace(/^0+(?=\d)/, "")
  const decimals = fraction.replace(/0+$/, "")
  const value = decimals === "" ? digits : `${digits}.${decimals}`
  return value === "0" ? "0" : `${sign}${value}`
}

/** a number in digits; a currency or percent sign or one unit word around it is tolerated */
export const numberKind: AnswerKind = {
  wanted: "the number in digits, without any unit",
  parse: (text) => canonicalNumber(unwrap(text).replace(/^[$€£]|\s*(?:%|[\p{L}°]+)$/gu, "")),
  last: (text) => {
    const found = lastMatch(text, /(?<![\p{L}\d.,])[-−–]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?![\d\p{L}])/gu)
    return found === undefined ? undefined : canonicalNumber(found)
  }
}

const escaped = (word: string) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")

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
    last: (text) => known.get((lastMatch(text, pattern) ?? "").toLowerCase())
  }
}

/** a calendar day as YYYY-MM-DD */
export const dateKind: AnswerKind = {
  wanted: "the date in the form YYYY-MM-DD",
  parse: (text) => /^\d{4}-\d{2}-\d{2}$/.exec(unwrap(text))?.[0],
  last: (text) => lastMatch(text, /(?<!\d)\d{4}-\d{2}-\d{2}(?!\d)/g)
}

/** closing brackets in order, written with or without spaces; normalised to no spaces */
export const bracketKind: AnswerKind = {
  wanted: "only the missing closing brackets in order, separated by spaces",
  parse: (text) => {
    const plain = text.replace(/[`"'\s]/g, "")
    return /^[)\]}>]+$/.test(plain) ? plain : undefined
  },
  last: (text) => lastMatch(text, /[)\]}>](?:[ \t]*[)\]}>])*/g)?.replace(/\s/g, "")
}

/** the line that closes every prompt of an extracted answer */
export const answerInstruction = (kind: AnswerKind): string => `Finish with a last line of the form "Answer: <x>", where <x> is ${kind.wanted}.`
