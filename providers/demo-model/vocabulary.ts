/** Numbers of the demo model's tokens, for callers that cut texts by them. */
import { authoredText } from "./authored-text.ts"
import { splitTokens } from "./tokens.ts"

export interface Vocabulary {
  /** undefined when the text has new tokens and there is no room for them */
  readonly encode: (text: string) => ReadonlyArray<number> | undefined
  /** undefined when a number has never been given out */
  readonly decode: (ids: ReadonlyArray<unknown>) => string | undefined
}

/** stands for the end of a text, is one token, and occurs in no prompt by chance */
export const endToken = "␄"

const defaultLimit = 1_000_000

/**
 * One per server. The end and the words of the authored text have fixed numbers; any other token gets the next one when it is first seen,
 * and keeps it, since callers hold on to numbers: `limit` tokens at most.
 */
export const makeVocabulary = (limit = defaultLimit): Vocabulary => {
  const ids = new Map<string, number>()
  const tokens: Array<string> = []
  const add = (token: string) => {
    if (ids.has(token)) return
    ids.set(token, tokens.length)
    tokens.push(token)
  }
  for (const token of [endToken, ...splitTokens(authoredText)]) add(token)
  return {
    encode: (text) => {
      const found = splitTokens(text)
      const fresh = new Set(found.filter((token) => !ids.has(token)))
      if (fresh.size > 0 && tokens.length + fresh.size > limit) return undefined
      for (const token of fresh) add(token)
      return found.flatMap((token) => ids.get(token) ?? [])
    },
    decode: (numbers) => {
      const found = numbers.flatMap((id) => (typeof id === "number" ? (tokens[id] ?? []) : []))
      return found.length === numbers.length ? found.join("") : undefined
    }
  }
}
