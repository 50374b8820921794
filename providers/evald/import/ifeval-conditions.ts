/**
 * Conditions of IFEval as look-aheads at the start of a reply, in regular expressions with the flag `u`. Each decides as
 * the original checker does, which for upper and lower case also asks for English; that is not looked at here.
 */
import { anyCase, escaped } from "../../../values/pattern-text.ts"

type Arguments = { readonly [name: string]: unknown }

const positive = (value: unknown): number | undefined =>
  typeof value === "number" && Number.isInteger(value) && value > 0 && value <= 10_000 ? value : undefined
const textsOf = (value: unknown): ReadonlyArray<string> | undefined =>
  Array.isArray(value) && value.length > 0 && value.every((one) => typeof one === "string" && one !== "")
    ? value
    : undefined
const textOf = (value: unknown): string | undefined =>
  typeof value === "string" && value.trim() !== "" ? value.trim() : undefined

const LETTER = "[\\p{L}\\p{N}_]"
const word = (text: string) => `(?<!${LETTER})${anyCase(text)}(?!${LETTER})`

/** where a word begins */
const WORD_START = `(?<!${LETTER})${LETTER}`

/** what lies between two parts holds no part, so there is one way only to match and a refusal takes linear time */
const times = (count: number, part: string) => `(?:(?:(?!${part})[^])*${part}){${count}}`
const atLeast = (count: number, part: string) => `(?=${times(count, part)})`
const relation = (value: unknown, count: number, part: string): string | undefined =>
  value === "at least" ? atLeast(count, part) : value === "less than" ? `(?!${times(count, part)})` : undefined

const conditions: { readonly [id: string]: (given: Arguments) => string | undefined } = {
  "keywords:existence": ({ keywords }) =>
    textsOf(keywords)
      ?.map((one) => `(?=[^]*${anyCase(one)})`)
      .join(""),
  "keywords:forbidden_words": ({ forbidden_words }) =>
    textsOf(forbidden_words)
      ?.map((one) => `(?![^]*${word(one)})`)
      .join(""),
  "keywords:frequency": ({ keyword, frequency, relation: how }) => {
    const [text, count] = [textOf(keyword), positive(frequency)]
    return text === undefined || count === undefined ? undefined : relation(how, count, anyCase(text))
  },
  "keywords:letter_frequency": ({ letter, let_frequency, let_relation }) => {
    const [text, count] = [textOf(letter), positive(let_frequency)]
    return text === undefined || [...text].length !== 1 || count === undefined
      ? undefined
      : relation(let_relation, count, anyCase(text))
  },
  "length_constraints:number_words": ({ num_words, relation: how }) => {
    const count = positive(num_words)
    return count === undefined ? undefined : relation(how, count, WORD_START)
  },
  "detectable_content:number_placeholders": ({ num_placeholders }) => {
    const count = positive(num_placeholders)
    return count === undefined ? undefined : atLeast(count, "\\[[^\\n\\]]*\\]")
  },
  "detectable_content:postscript": ({ postscript_marker }) => {
    const marker = textOf(postscript_marker)
    return marker === undefined ? undefined : `(?=[^]*${anyCase(marker)})`
  },
  "detectable_format:title": () => "(?=[^]*<<[^\\n]*[^\\n<> ][^\\n]*>>)",
  "detectable_format:constrained_response": () =>
    "(?=[^]*(?:My answer is yes\\.|My answer is no\\.|My answer is maybe\\.))",
  "detectable_format:multiple_sections": ({ section_spliter, num_sections }) => {
    const [splitter, count] = [textOf(section_spliter), positive(num_sections)]
    return splitter === undefined || count === undefined ? undefined : atLeast(count, `${escaped(splitter)}\\s?\\d`)
  },
  "punctuation:no_comma": () => "(?![^]*,)",
  "change_case:english_capital": () => "(?![^]*\\p{Ll})(?=[^]*\\p{Lu})",
  "change_case:english_lowercase": () => "(?![^]*\\p{Lu})(?=[^]*\\p{Ll})",
  "startend:quotation": () => '(?=\\s*"[^]*"\\s*$)',
  "startend:end_checker": ({ end_phrase }) => {
    const phrase = textOf(end_phrase)
    return phrase === undefined ? undefined : `(?=[^]*${anyCase(phrase)}["\\s]*$)`
  },
  "combination:repeat_prompt": ({ prompt_to_repeat }) => {
    const prompt = textOf(prompt_to_repeat)
    return prompt === undefined ? undefined : `(?=\\s*${anyCase(prompt)})`
  }
}

/** the look-ahead of one instruction; undefined when it is not known, cannot be expressed or its arguments are not usable */
export const ifevalCondition = (id: string, given: Arguments): string | undefined =>
  Object.hasOwn(conditions, id) ? conditions[id]?.(given) : undefined
