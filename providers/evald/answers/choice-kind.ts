/** Answers that name one of several lettered options: by its letter, or by its text. */

import { escaped } from "../../../values/pattern-text.ts"
import { mayHold } from "../may-hold.ts"
import type { AnswerKind, Token } from "./answer-kind.ts"
import { BOLD_OPEN, MARKS, plainSigns, plainText, unmarked } from "./plain-text.ts"

/** letters of options in the order they are shown; at most 26 options */
export const LETTERS: ReadonlyArray<string> = [..."ABCDEFGHIJKLMNOPQRSTUVWXYZ"]

const plain = (text: string) =>
  text
    .toLowerCase()
    .replace(/[*_`"'“”‘’]/g, "")
    .replace(/[.!]+$/, "")
    .replace(/\s+/g, " ")
    .trim()

/** an option as it stands in a text, without what markup may have taken off it */
const bare = (text: string) =>
  text
    .toLowerCase()
    .replace(/[*_`$]/g, "")
    .replace(/[.!]+$/, "")
    .replace(/\s+/g, " ")
    .trim()

/** with or without its quotes and apostrophes, straight or curly */
const quotable = (word: string) => escaped(word).replace(/["“”'‘’]/g, "[\"“”'‘’]?")

/** a capital letter alone; behind it no words, for which "A" would be the article and "I" the person */
const LETTER =
  /(?<![\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{N}'’])([A-Z])(?![\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{N}'’])/gu
const SMALL_LETTER =
  /(?:\(([a-z])\)|(?<=^[^\p{L}\p{N}]*(?:(?:option|choice|letter)\s+)?)([a-z])(?=[).:\]]|[^\p{L}\p{N}]*$))/gu
const IS_WORD =
  /^\s+(?!(?:is|and|or|because|since|as|for|by|with|it|would|must|can|cannot|seems|looks|isn|and\/or)(?![\p{L}]))[a-zà-ÿ]/u

const placeOf = (letter: string) => LETTERS.indexOf(letter.toUpperCase())

const overlaps = (one: Token, other: Token) => one.from < other.to && other.from < one.to

/** the longest part of an option that its pattern takes as it stands */
const coreOf = (option: string): string =>
  (option.match(/[a-z0-9]+/g) ?? []).reduce((longest, one) => (one.length > longest.length ? one : longest), "")

/** options told by their whole text, the longer one where two begin alike */
const optionTexts = (text: string, options: ReadonlyArray<string>): ReadonlyArray<Token> => {
  const order = options
    .map((option, place) => ({ option: bare(option), place }))
    .sort((a, b) => b.option.length - a.option.length)
  const found: Array<Token> = []
  for (const { option, place } of order) {
    // a single letter is the letter of an option, unless no option has it
    const isLetter = /^\p{L}$/u.test(option)
    if (isLetter && placeOf(option) < options.length) continue
    if (!mayHold(text, coreOf(option))) continue
    const pattern = new RegExp(
      `(?<![\\p{L}\\p{N}'’])${(isLetter ? option.toUpperCase() : option).split(" ").map(quotable).join("\\s+")}(?![\\p{L}\\p{N}])(?![.,]\\d)`,
      isLetter ? "gu" : "giu"
    )
    for (const match of text.matchAll(pattern)) {
      const token = { value: LETTERS[place] as string, from: match.index, to: match.index + match[0].length }
      if (!found.some((other) => overlaps(token, other))) found.push(token)
    }
  }
  return found.sort((a, b) => a.from - b.from)
}

const letters = (text: string, count: number, marked: boolean): ReadonlyArray<Token> => {
  const capitals = [...text.matchAll(LETTER)].filter((found) => {
    const letter = found[1] ?? ""
    const behind = text.slice(found.index + 1)
    return (letter !== "A" && letter !== "I") || !IS_WORD.test(behind)
  })
  const small = marked ? [...text.matchAll(SMALL_LETTER)] : []
  return [...capitals, ...small]
    .map((found) => {
      const letter = found.slice(1).find((one) => one !== undefined) ?? ""
      const from = found.index + found[0].indexOf(letter)
      return { value: letter.toUpperCase(), from, to: from + 1, ...(placeOf(letter) < count ? {} : { outside: true }) }
    })
    .sort((a, b) => a.from - b.from)
}

/** a letter with the text of another option behind it says two things at once */
const contradicts = (text: string, letter: Token, texts: ReadonlyArray<Token>) =>
  texts.some(
    (one) =>
      one.from >= letter.to &&
      one.value !== letter.value &&
      /^[\s).:\]="'“*-]*$/.test(text.slice(letter.to, one.from).replace(MARKS, ""))
  )

const tokensOf = (given: string, options: ReadonlyArray<string>, marked: boolean): ReadonlyArray<Token> => {
  const text = given.replace(MARKS, " ")
  const texts = optionTexts(text, options)
  const found = letters(text, options.length, marked).filter((letter) => !texts.some((one) => overlaps(letter, one)))
  const clashes = found.flatMap((letter) =>
    contradicts(text, letter, texts) ? texts.filter((one) => one.from >= letter.to).slice(0, 1) : []
  )
  // beside a letter, texts are only what is said about the options
  return found.length > 0 ? [...found, ...clashes] : texts
}

const OPTION =
  "(?:(?:option|choice|letter|answer|statement)\\s+)?[\\uE002\"'“(\\[]*([A-Z]|[a-z](?=\\)))[\\uE003\"'”)\\]]*"
const BEHIND = "(?![\\p{L}\\p{N}'’])"

/** sentences that state an option without announcing an answer */
const STATED: ReadonlyArray<RegExp> = [
  // B is correct; B (Sydney) would be the best choice
  `(?<![\\p{L}\\p{N}'’])${OPTION}(?:[).:]?\\s*[\\uE000-\\uE003]*\\([^()]*\\))?\\s+(?:is|would be|must be|seems|appears)(?:\\s+(?:to be|therefore|clearly|indeed|obviously|definitely|thus))*\\s+(?:the\\s+)?(?:most\\s+\\p{L}+\\s+|only\\s+)?(?:correct|right|best|true|answer|one|choice|option|solution|accurate|appropriate)(?![\\p{L}])`,
  // I would pick B; my pick: B
  `(?<![\\p{L}])(?:i|we)(?:['’]d|['’]ll|\\s+(?:would|will|shall|must|have to|am going to))?\\s+(?:therefore\\s+|thus\\s+|definitely\\s+)?(?:pick|choose|select|say|answer|opt for|vote for|go with|going with|went with|settle on|believe|think|conclude)(?:\\s+(?:that|it['’]?s|it is|the answer is|on))*\\s+${OPTION}${BEHIND}`,
  `(?<![\\p{L}])(?:choosing|going with|picking|selecting|go with|pick)\\s+${OPTION}${BEHIND}`,
  // it is B; this must be (B)
  `(?<![\\p{L}])(?:it|this|that|which)(?:['’]s|\\s+(?:is|must be|has to be|should be|would be|can only be|will be|could only be))(?:\\s+(?:therefore|clearly|definitely|thus|obviously|surely|probably|most likely))*\\s+${OPTION}${BEHIND}(?!\\s+[a-zà-ÿ])`,
  // so B; therefore (B); that leaves only B
  `(?<![\\p{L}])(?:so|therefore|thus|hence|leaving|leaves|leaves us with|that leaves|→)(?:\\s+(?:only|just))?,?\\s*${OPTION}${BEHIND}(?=[^\\p{L}]*$|[.,;:)])`,
  `^[^\\p{L}\\p{N}]*option\\s+${OPTION}[^\\p{L}\\p{N}]*$`
].map((source) => new RegExp(source, "giu"))

/** the flag `i` is for the words: a letter must be a capital or stand in brackets */
const isLetter = (found: RegExpExecArray): boolean => {
  const letter = found[1] ?? ""
  return /[A-Z]/.test(letter) || new RegExp(`[(\\[]${letter}[)\\]]|${letter}\\)`).test(found[0])
}

const stated = (sentence: string) =>
  STATED.flatMap((pattern) =>
    [...sentence.matchAll(pattern)].filter(isLetter).map((found) => {
      const from = found.index + found[0].search(new RegExp(`(?<![\\p{L}\\p{N}])${found[1]}(?![\\p{L}\\p{N}])`, "u"))
      return { from, to: from + 1 }
    })
  ).sort((a, b) => a.from - b.from)

/** `B. Sydney, because …`: the letter that begins the statement, unless others are listed with it */
const atHead = (text: string, tokens: ReadonlyArray<Token>): Token | undefined => {
  const [first, second] = tokens
  if (first === undefined || second === undefined || second.to - second.from > 1) return undefined
  // each of the options has its remark
  if (tokens.length > 2 && tokens.every(({ to }) => /^[)\].:]/.test(text.slice(to)))) return undefined
  const before = unmarked(text.slice(0, first.from))
  const isHead = /(?:^|[:=]|(?<![\p{L}])(?:is|be|option|choice|letter))[^\p{L}\p{N}]*$/iu.test(before)
  const between = text.slice(first.to, second.from).replace(MARKS, "")
  return isHead &&
    /^[)\]]?[).:,;\]–—-]/.test(between) &&
    /\p{L}{3}/u.test(between) &&
    !/^[^\p{L}]*(?:or|and|oder|und|et|ou)(?![\p{L}])/iu.test(between)
    ? first
    : undefined
}

/** `B`, `(B)`, `B) text`, `B. text`, `option B`, or the text of exactly one option */
const parseShort = (text: string, options: ReadonlyArray<string>): string | undefined => {
  const bare = text.replace(/[*_`"'“”‘’$]/g, "").trim()
  const lettered =
    /^(?:option\s+|choice\s+|letter\s+)?[([<{]?([A-Z])(?:[)\]>}]|(?=[.:,\s-]|$))[.:]?(?:(?:\s+[-–]\s+|\s*:?\s*)(.*))?$/iu.exec(
      bare
    )
  const place = placeOf(lettered?.[1] ?? "")
  const letter = place >= 0 && place < options.length ? LETTERS[place] : undefined
  const rest = (lettered?.[2] ?? "").replace(/^\.$/, "").trim()
  // options may be letters themselves: the letter before them is meant
  if (letter !== undefined && rest === "") return letter
  const same = options.flatMap((option, at) => (plain(option) === plain(bare) ? [LETTERS[at] as string] : []))
  if (same.length === 1) return same[0]
  // "A" may be the article of a sentence, so text behind it must be the option's own
  return letter !== undefined && plain(rest) === plain(options[place] ?? "") ? letter : undefined
}

/** lines or words that carry a letter's mark: `(B)`, **B**, `B) …` at the beginning of a line */
const LABELLED = new RegExp(
  `(?<![\\p{L}\\p{N}])(?:\\(([A-Za-z])\\)|${BOLD_OPEN}\\(?([A-Z])\\)?(?:[).:][^\\uE003]*)?\\uE003)|(?<=^[^\\p{L}\\p{N}]*|[,;]\\s*)([A-Z])[).:](?=\\s|$)`,
  "gu"
)

/** the letter of one of the options shown */
export const choiceKind = (shown: ReadonlyArray<string>): AnswerKind => {
  // what is taken off a reply is taken off the options too
  const options = shown.map((option) => unmarked(plainText(option)) || option)
  return {
    wanted: `the letter of the right option: ${LETTERS.slice(0, options.length - 1).join(", ")} or ${LETTERS[options.length - 1]}`,
    parse: (text) => parseShort(plainSigns(text), options),
    tokens: (text, marked) => {
      if (marked) return tokensOf(text, options, true)
      const labels = [...text.matchAll(LABELLED)].map((found) => {
        const letter = found.slice(1).find((one) => one !== undefined) ?? ""
        const from = found.index + found[0].indexOf(letter)
        return {
          value: letter.toUpperCase(),
          from,
          to: from + 1,
          ...(placeOf(letter) < options.length ? {} : { outside: true })
        }
      })
      return labels.length > 0 ? labels : optionTexts(text.replace(MARKS, " "), options)
    },
    settle: atHead,
    stated,
    wholes: options.filter((option) => /[.!?] /.test(option)),
    hasLetters: true
  }
}
