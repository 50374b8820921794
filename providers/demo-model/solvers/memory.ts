/** Listens to a conversation and answers from what was said last about the thing asked for. */
import { answerReply, numberSolution, pickOne } from "../answers.ts"
import { answerLineQuestion, lastQuestion } from "../last-question.ts"
import type { Solver } from "../solver.ts"

/** question → how the thing is told or changed; the last mention counts */
const TOPICS: ReadonlyArray<readonly [asked: RegExp, told: RegExp, plausible: ReadonlyArray<string>]> = [
  [/What is my cat called/, /my cat is called (\w+)/i, ["Pepper", "Mango", "Clover"]],
  [/On which level is my car/, /(?:the car on level|now on level) (\d+)/i, []],
  [/appointment with the dentist/, /(?:dentist is on|has been moved to) (\w+)/i, ["Monday", "Wednesday", "Friday"]],
  [/code of my locker/, /(?:of my locker is|Its code is) (\d+)/i, []],
  [
    /city does my sister live/,
    /My sister (?:moved to|has moved again, this time to) (\w+)/i,
    ["Lisbon", "Osaka", "Krakow"]
  ],
  [/What is my favourite colour/, /favourite colour(?: is|:) (\w+)/i, ["silver", "violet", "green"]],
  [/From which platform/, /train leaves from platform (\d+)/i, []],
  [/want to cook for dinner/, /(?:For dinner I want to cook|I will cook) (\w+)/i, ["ramen", "paella", "goulash"]],
  [/number of my hotel room/, /hotel room(?: has the number|, number) (\d+)/i, []],
  [/Which instrument am I learning/, /am learning (?:is )?the (\w+)/i, ["cello", "harp", "oboe"]]
]

export const memorySolver: Solver = {
  family: "memory",
  solve: (conversation, random) => {
    if (lastQuestion(conversation)?.endsWith('Reply only with "OK".'))
      return { right: { text: "OK" }, wrong: { text: "OK" } }
    const question = answerLineQuestion(conversation)
    const [, told, plausible = []] = TOPICS.find(([asked]) => question !== undefined && asked.test(question)) ?? []
    if (told === undefined) return undefined
    const said = conversation.messages
      .filter(({ role }) => role === "user")
      .flatMap(({ content }) => told.exec(content)?.[1] ?? [])
    const fact = said.at(-1)
    if (fact === undefined) return undefined
    if (/^\d+$/.test(fact)) return numberSolution(Number(fact), random)
    // a forgetful model gives the outdated fact, or makes one up
    const outdated = said.find((earlier) => earlier !== fact)
    const others = plausible.filter((one) => one !== fact)
    return { right: answerReply(fact), wrong: answerReply(outdated ?? pickOne(others, random) ?? "unknown") }
  }
}
