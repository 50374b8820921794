/** One verifiable instruction: its wording in the prompt and the test that needs no judgement. */

export interface Instruction {
  /** name of the checker, one of 25 */
  readonly checker: string
  readonly text: string
  /** tests a non-empty answer */
  readonly follows: (answer: string) => boolean
}

/** the answer as it came; an empty answer follows nothing */
export const followsStrictly = (instruction: Instruction, answer: string): boolean => answer.trim() !== "" && instruction.follows(answer)

/**
 * The answer, and the same without its first line, its last line, both, each also without asterisks: an introduction, a closing remark
 * or bold type does not count against a model in the loose score.
 */
export const looseVariants = (answer: string): ReadonlyArray<string> => {
  const all = answer.split("\n")
  const cut = [answer, all.slice(1).join("\n").trim(), all.slice(0, -1).join("\n").trim(), all.slice(1, -1).join("\n").trim()]
  return [...cut, ...cut.map((text) => text.replaceAll("*", ""))]
}

export const followsLoosely = (instruction: Instruction, answer: string): boolean =>
  looseVariants(answer).some((variant) => followsStrictly(instruction, variant))
