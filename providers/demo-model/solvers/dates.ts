/** Calendar questions by the day count since 1970. */
import { monthNames } from "../../../values/month-names.ts"
import { amongOptions, answerReply, numberSolution } from "../answers.ts"
import { answerLineQuestion } from "../last-question.ts"
import type { Solution, Solver } from "../solver.ts"

const DAY_MS = 86_400_000
const WEEKDAYS = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"]

const readDays = (text: string): ReadonlyArray<number> =>
  [...text.matchAll(new RegExp(`(\\d{1,2}) (${monthNames.join("|")}) (\\d{4})`, "g"))].map(
    ([, day, month = "", year]) => Date.UTC(Number(year), monthNames.indexOf(month), Number(day)) / DAY_MS
  )

const iso = (day: number) => new Date(day * DAY_MS).toISOString().slice(0, 10)

const dateSolution = (day: number, random: () => number): Solution => ({
  right: answerReply(iso(day)),
  wrong: answerReply(iso(day + (random() < 0.5 ? 1 : -1) * (1 + Math.floor(random() * 3))))
})

export const dateSolver: Solver = {
  family: "logic",
  solve: (conversation, random) => {
    const question = answerLineQuestion(conversation)
    if (question === undefined) return undefined
    const [first, second] = readDays(question)
    if (first === undefined) return undefined
    const shift = /^Which date is (\d+) days (after|before)/.exec(question)
    if (shift !== null) return dateSolution(first + Number(shift[1]) * (shift[2] === "after" ? 1 : -1), random)
    if (question.startsWith("How many days after") && second !== undefined)
      return numberSolution(second - first, random)
    const months = /last day of the month that comes (\d+) months? after this one/.exec(question)
    if (months !== null) {
      const today = new Date(first * DAY_MS)
      return dateSolution(
        Date.UTC(today.getUTCFullYear(), today.getUTCMonth() + Number(months[1]) + 1, 0) / DAY_MS,
        random
      )
    }
    if (!question.includes("Which day of the week is") || second === undefined) return undefined
    return amongOptions(WEEKDAYS[new Date(second * DAY_MS).getUTCDay()] as string, WEEKDAYS, random)
  }
}
