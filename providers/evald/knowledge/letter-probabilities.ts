/** Probabilities of the option letters from the top log-probabilities of the reply's first word. */
import type { Answer } from "../../sdk/model/model-exchange.ts"
import { LETTERS } from "../answers/choice-kind.ts"

const letterOf = (token: string): number => LETTERS.indexOf(token.trim().replace(/^[([]|[)\].:]$/g, ""))

/** one probability per letter, summing to 1 over the letters seen; undefined when no letter was among the candidates */
export const letterProbabilities = (answer: Answer, options = 4): ReadonlyArray<number> | undefined => {
  for (const { token, logprob, top } of answer.logprobs ?? []) {
    const candidates = top.some((candidate) => candidate.token === token) ? top : [{ token, logprob }, ...top]
    const weights = LETTERS.slice(0, options).map((_, place) =>
      candidates
        .filter((candidate) => letterOf(candidate.token) === place)
        .reduce((sum, candidate) => sum + Math.exp(candidate.logprob), 0)
    )
    const total = weights.reduce((sum, weight) => sum + weight, 0)
    if (total > 0) return weights.map((weight) => weight / total)
    if (token.trim() !== "") return undefined
  }
  return undefined
}
