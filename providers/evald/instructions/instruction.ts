/** One verifiable instruction: its wording in the prompt and the test that needs no judgement. */
import { isBlank } from "../../../values/clean-text.ts"
import { looseTexts, strictText } from "../answers/text-answer.ts"

export interface Instruction {
  /** name of the checker, one of 25 */
  readonly checker: string
  readonly text: string
  /** numbers, words and phrases of the rule; absent where it has none */
  readonly arguments?: { readonly [name: string]: unknown }
  /** tests a non-empty answer */
  readonly follows: (answer: string) => boolean
}

const followsText = (instruction: Instruction, text: string): boolean => !isBlank(text) && instruction.follows(text)

/** the answer as it came, without reasoning; an empty answer follows nothing */
export const followsStrictly = (instruction: Instruction, answer: string): boolean =>
  followsText(instruction, strictText(answer))

/** any of the readings in which words around the text are taken off */
export const followsLoosely = (instruction: Instruction, answer: string): boolean =>
  looseTexts(answer).some((text) => followsText(instruction, text))
