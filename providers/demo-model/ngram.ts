/**
 * A language model of the smallest kind: counts of tokens and of pairs over the authored text, with letters as the last resort. It gives
 * honest, finite log-probabilities for any text, and little else.
 */
import { authoredText } from "./authored-text.ts"
import { splitTokens } from "./tokens.ts"

export interface Candidate {
  readonly token: string
  readonly logprob: number
}

const pairShare = 0.6
const singleShare = 0.35
const letterShare = 0.05
/** leaves room for every length: the letter probabilities of all strings together stay below one */
const stopShare = 0.14

const count = (counts: Map<string, number>, key: string) => counts.set(key, (counts.get(key) ?? 0) + 1)

interface Table {
  readonly total: number
  readonly singles: ReadonlyMap<string, number>
  readonly pairs: ReadonlyMap<string, ReadonlyMap<string, number>>
}

const build = (): Table => {
  const tokens = splitTokens(authoredText)
  const singles = new Map<string, number>()
  const pairs = new Map<string, Map<string, number>>()
  for (const [at, token] of tokens.entries()) {
    count(singles, token)
    const before = tokens[at - 1]
    if (before === undefined) continue
    const followers = pairs.get(before) ?? new Map<string, number>()
    count(followers, token)
    pairs.set(before, followers)
  }
  return { total: tokens.length, singles, pairs }
}

const table = build()

const letterProbability = (token: string): number => {
  let probability = stopShare
  for (const character of token)
    probability *= /[a-z ]/.test(character) ? 1 / 54 : character < "\u0080" ? 1 / 192 : 1 / 65_536
  return probability
}

const probabilityOf = (before: string | undefined, token: string): number => {
  const followers = before === undefined ? undefined : table.pairs.get(before)
  const pair =
    followers === undefined
      ? 0
      : (followers.get(token) ?? 0) / [...followers.values()].reduce((sum, one) => sum + one, 0)
  return (
    pairShare * pair +
    (singleShare * (table.singles.get(token) ?? 0)) / table.total +
    letterShare * letterProbability(token)
  )
}

/** natural logarithm; `before` is the token that precedes, undefined at the beginning */
export const logprobOf = (before: string | undefined, token: string): number => Math.log(probabilityOf(before, token))

const byLikelihood = (a: Candidate, b: Candidate) => b.logprob - a.logprob || (a.token < b.token ? -1 : 1)

/** all tokens, the most frequent first */
const frequent = [...table.singles.entries()]
  .sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1))
  .map(([token]) => token)

/** the most likely continuations, best first */
export const topAfter = (before: string | undefined, amount: number): ReadonlyArray<Candidate> => {
  const followers = before === undefined ? [] : [...(table.pairs.get(before)?.keys() ?? [])]
  const tokens = new Set([...followers, ...frequent.slice(0, amount)])
  return [...tokens]
    .map((token) => ({ token, logprob: logprobOf(before, token) }))
    .sort(byLikelihood)
    .slice(0, amount)
}

/** running text of this many tokens, begun at a place that the share (0..1) chooses */
export const runningText = (amount: number, share: number): string => {
  const tokens = splitTokens(authoredText)
  const start = Math.floor(share * tokens.length)
  return Array.from({ length: amount }, (_, at) => tokens[(start + at) % tokens.length]).join("")
}
