/** Replies in the asked form, and wrong ones that look as good as the right one. */
import type { DemoReply, Solution } from "./solver.ts"

export const answerReply = (answer: string, thought = ""): DemoReply => ({
  text: thought === "" ? `Answer: ${answer}` : `${thought}\nAnswer: ${answer}`
})

export const pickOne = <A>(values: ReadonlyArray<A>, random: () => number): A | undefined =>
  values[Math.floor(random() * values.length)]

/** right answer, and one of the others; with no other, an honest shrug that fits no question */
export const amongOptions = (right: string, options: ReadonlyArray<string>, random: () => number): Solution => ({
  right: answerReply(right),
  wrong: answerReply(
    pickOne(
      options.filter((option) => option !== right),
      random
    ) ?? "unknown"
  )
})

/** the number, and one a slip away */
export const numberSolution = (value: number, random: () => number, thought = ""): Solution => {
  const slip = 1 + Math.floor(random() * 9)
  return {
    right: answerReply(String(value), thought),
    wrong: answerReply(String(random() < 0.5 ? value - slip : value + slip))
  }
}
