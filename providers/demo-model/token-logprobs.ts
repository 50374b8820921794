/** Log-probabilities that the demo model states for what it says. */
import { type Candidate, logprobOf, topAfter } from "./ngram.ts"
import { seededShares } from "./seeded.ts"

export interface TokenLogprob extends Candidate {
  /** best first, the token itself included */
  readonly top: ReadonlyArray<Candidate>
}

const letter = /^\s?[A-Z]$/
/** letters of the options of a multiple-choice question */
const optionLetters = (prompt: string): ReadonlyArray<string> => [
  ...new Set([...prompt.matchAll(/^\s*\(?([A-Z])[).:]\s/gm)].map(([, found]) => found ?? ""))
]

/** the chosen token keeps `share`, the others divide the rest, each half of the one before */
const spread = (chosen: string, others: ReadonlyArray<string>, share: number): ReadonlyArray<Candidate> => {
  const weights = others.map((_, at) => 0.5 ** (at + 1))
  const sum = weights.reduce((total, weight) => total + weight, 0)
  const rest = others.map((token, at) => ({ token, logprob: Math.log(((1 - share) * (weights[at] ?? 0)) / sum) }))
  return [{ token: chosen, logprob: Math.log(share) }, ...rest]
}

/**
 * Of a generated answer. An option letter gets about the skill that was applied (so the demo model is calibrated), never less than any
 * other letter; other tokens are stated with the assurance usual for language models.
 */
export const generatedLogprobs = (
  tokens: ReadonlyArray<string>,
  prompt: string,
  confidence: number,
  amount: number,
  seed: number
): ReadonlyArray<TokenLogprob> => {
  const random = seededShares(seed, "logprobs", prompt, tokens.join(""))
  const letters = optionLetters(prompt)
  return tokens.map((token, at) => {
    const blank = token.startsWith(" ") ? " " : ""
    const options = letters.map((one) => blank + one).filter((one) => one !== token)
    const isOption = letter.test(token) && options.length > 0 && options.length < letters.length
    const others = isOption
      ? options
      : topAfter(tokens[at - 1], amount + 1)
          .map((candidate) => candidate.token)
          .filter((one) => one !== token)
    const wish = isOption ? confidence + (random() - 0.5) * 0.2 : 0.6 + random() * 0.39
    const share = Math.min(0.99, Math.max(0.55, wish))
    const top = others.length === 0 ? [{ token, logprob: Math.log(share) }] : spread(token, others, share)
    return { token, logprob: top[0]?.logprob ?? 0, top: top.slice(0, amount) }
  })
}

/** of a given text under the n-gram table; the first token has none */
export const echoedLogprobs = (
  tokens: ReadonlyArray<string>,
  amount: number
): ReadonlyArray<TokenLogprob | undefined> =>
  tokens.map((token, at) =>
    at === 0 ? undefined : { token, logprob: logprobOf(tokens[at - 1], token), top: topAfter(tokens[at - 1], amount) }
  )
