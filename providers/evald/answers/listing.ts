/** Answers that are listed side by side: alternatives, several at once, the ends of a range. None of them is the one. */
import type { Token } from "./answer-kind.ts"

type Place = Pick<Token, "from" | "to">

const CONNECTOR =
  /^[^\p{L}\p{N}=]*(?:(?:or|and|to|oder|und|ou|et|y|o|bis|versus|vs|nor|as well as)(?![\p{L}])[^\p{L}\p{N}]*)?$/iu

export const areListed = (text: string, one: Place | undefined, next: Place | undefined): boolean =>
  one !== undefined && next !== undefined && CONNECTOR.test(text.slice(one.to, next.from))

/** tokens that stand in no list with the one before or behind them */
export const unlisted = (text: string, tokens: ReadonlyArray<Token>): ReadonlyArray<Token> =>
  tokens.filter((token, at) => !areListed(text, tokens[at - 1], token) && !areListed(text, token, tokens[at + 1]))
