/**
 * JSON as adapters really write it: the bare tokens `NaN`, `Infinity` and `-Infinity` (Python's default) are read as strings.
 * Used on the events route only. Reference: adapter-contract.md, "Events".
 */
import { Either } from "effect"
import { readJson } from "../../values/json-text/read-json.ts"

/** a string literal is matched first, so that words within text stay as they are */
const stringOrToken = /"(?:[^"\\]|\\[\s\S])*"|-?\b(?:NaN|Infinity)\b/g

/** whether the text may have such tokens, within strings or without */
export const mayHaveTokens = (text: string): boolean => text.includes("NaN") || text.includes("Infinity")

/** the text with such tokens as strings */
export const quoteTokens = (text: string): string =>
  text.replace(stringOrToken, (token) => (token.startsWith('"') ? token : `"${token}"`))

/** left: why the text is no JSON */
export const readLenientJson = (text: string): Either.Either<unknown, string> =>
  Either.orElse(readJson(text), (reason) =>
    mayHaveTokens(text) ? Either.mapLeft(readJson(quoteTokens(text)), () => reason) : Either.left(reason)
  )
