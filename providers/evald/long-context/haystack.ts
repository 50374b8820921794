/** Puts statements into filler so that the whole prompt reaches a wanted length. */
import { estimateTokens } from "../../sdk/model/token-estimate.ts"
import type { SeededRandom } from "../random.ts"
import { fillerSentence } from "./filler.ts"

/** room of a length that is left for the answer, in tokens */
export const ANSWER_TOKENS = 128

/** the smallest length that holds every task's own statements */
export const MIN_LENGTH = 512

export interface Hidden {
  /** sentences to be hidden, in the order in which they have to appear */
  readonly statements: ReadonlyArray<string>
  /** where each one goes, 0 (beginning) to 1 (end), ascending */
  readonly depths: ReadonlyArray<number>
  readonly intro: string
  readonly question: string
}

const assemble = (intro: string, text: string, question: string): string =>
  [intro, "", "Text:", text, "", `Question: ${question}`].join("\n")

/**
 * A prompt of about `length` tokens less the room for the answer. Tokens are estimated (nobody's vocabulary is at hand), so the true
 * number differs by a few percent from model to model.
 */
export const haystack = (random: SeededRandom, length: number, hidden: Hidden): string => {
  const bare = estimateTokens(assemble(hidden.intro, hidden.statements.join(" "), hidden.question))
  const sentences: Array<string> = []
  let used = bare + ANSWER_TOKENS
  for (;;) {
    const next = fillerSentence(random)
    used += estimateTokens(next)
    if (used > length) break
    sentences.push(next)
  }
  const positions = hidden.depths.map((depth) => Math.round(depth * sentences.length))
  const lines: Array<string> = []
  for (let at = 0; at <= sentences.length; at++) {
    hidden.statements.forEach((statement, index) => {
      if (positions[index] === at) lines.push(statement)
    })
    const sentence = sentences[at]
    if (sentence !== undefined) lines.push(sentence)
  }
  return assemble(hidden.intro, lines.join(" "), hidden.question)
}
