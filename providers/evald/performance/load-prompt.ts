/** Prompts of synthetic load: about the wanted size, each one different from its first words on, so that prefix caches do not help. */
import { estimateTokens } from "../../sdk/model/token-estimate.ts"
import { seededRandom } from "../random.ts"

const words =
  "river stone table light green paper train cloud bread chair north simple open carry gentle winter copper market".split(
    " "
  )

export const loadPrompt = (seed: number, index: number, promptTokens: number, outputTokens: number): string => {
  const random = seededRandom("load", 1, seed, index)
  const head = `Synthetic load, request ${index} of run ${seed}.`
  const order = `Write running text of ${outputTokens} words about these words.`
  const filler: Array<string> = []
  // each of these words is one token
  for (let used = estimateTokens(`${head} ${order} Words: .`); used < promptTokens; used++)
    filler.push(random.pick(words))
  return `${head} ${order} Words: ${filler.join(" ")}.`
}
