/** Checks of a reply's text as regular expressions of the scorer `regex_match`: several of them hold together or not at all. */
import { anyCase, escaped } from "../../../values/pattern-text.ts"

/** a condition at the start of the reply */
export type Condition = string

const anything = "[^]*"

const isPattern = (source: string): boolean => {
  try {
    return new RegExp(source, "u").source !== ""
  } catch {
    return false
  }
}

export const isText = (text: string): Condition => `(?=${escaped(text)}$)`
export const begins = (text: string): Condition => `(?=${escaped(text)})`
export const contains = (text: string): Condition => `(?=${anything}${escaped(text)})`
export const containsAnyCase = (text: string): Condition => `(?=${anything}${anyCase(text)})`
/** undefined: it is no pattern of JavaScript with the flag `u`, or refers to groups, whose places change beside other conditions */
export const matches = (pattern: string): Condition | undefined =>
  /\\[1-9]|\\k<|\(\?<\w/.test(pattern) || !isPattern(pattern) ? undefined : `(?=${anything}(?:${pattern}))`
export const not = (condition: Condition): Condition => `(?!${condition})`
export const every = (conditions: ReadonlyArray<Condition>): Condition => conditions.join("")
export const some = (conditions: ReadonlyArray<Condition>): Condition => `(?:${conditions.join("|")})`

/** the whole reply is matched, since a match without a text counts as none */
export const patternOf = (condition: Condition): string => `^${condition}${anything}$`
