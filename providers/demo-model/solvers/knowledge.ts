/** Multiple choice from a table of learned facts; a question it has no fact for is guessed, like any model would. */
import { answerReply, pickOne } from "../answers.ts"
import { FACTS } from "../known/knowledge-facts.ts"
import { lastQuestion } from "../last-question.ts"
import type { DemoReply, Solver } from "../solver.ts"

const facts = FACTS.trim()
  .split("\n")
  .map((line) => {
    const [keywords = "", answer = ""] = line.split(" = ")
    return { words: keywords.split(" "), answer }
  })

const LETTERS = ["A", "B", "C", "D"]

interface Choice {
  readonly question: string
  readonly options: ReadonlyArray<string>
  /** only the letter is wanted, without `Answer:` */
  readonly letterOnly: boolean
}

const read = (text: string | undefined): Choice | undefined => {
  const found = /^([\s\S]+?)\n\nA\) (.+)\nB\) (.+)\nC\) (.+)\nD\) (.+)\n\n([\s\S]+)$/.exec(text ?? "")
  if (found === null) return undefined
  const [, question = "", a = "", b = "", c = "", d = "", instruction = ""] = found
  return { question, options: [a, b, c, d], letterOnly: instruction.startsWith("Reply with the letter") }
}

/** place of the option that the best-fitting fact names: the fact with the most letters in its keywords wins */
export const recall = (question: string, options: ReadonlyArray<string>): number | undefined => {
  const asked = ` ${question.toLowerCase()} `
  const fitting = facts
    .filter(({ words }) => words.every((word) => asked.includes(word)))
    .sort((one, other) => other.words.join("").length - one.words.join("").length)
  for (const { answer } of fitting) {
    const equal = options.findIndex((option) => option.toLowerCase() === answer)
    const place = equal >= 0 ? equal : options.findIndex((option) => option.toLowerCase().includes(answer))
    if (place >= 0) return place
  }
  return undefined
}

export const knowledgeSolver: Solver = {
  family: "knowledge",
  solve: (conversation, random) => {
    const choice = read(lastQuestion(conversation))
    if (choice === undefined) return undefined
    const chosen = recall(choice.question, choice.options) ?? Math.floor(random() * choice.options.length)
    const reply = (letter: string): DemoReply => (choice.letterOnly ? { text: letter } : answerReply(letter))
    const others = LETTERS.filter((_, place) => place !== chosen)
    return { right: reply(LETTERS[chosen] as string), wrong: reply(pickOne(others, random) as string) }
  }
}
