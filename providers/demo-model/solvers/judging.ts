/** Rates replies by the words they share with the question or the text, and answers questions about a text with its best sentence. */
import { lastQuestion } from "../last-question.ts"
import type { Solution, Solver } from "../solver.ts"

const COMMON = new Set(
  "about above after again also because been before being between both came could does done during each else even ever every from good have help here into know like long made make many more most much must need never next note only other over same should show since some still such take than that their them then there these they thing this those though three took used uses very want well were what when where which while will with would year your people into find them play".split(
    " "
  )
)

/** beginnings of the words that carry meaning; endings are cut so that "boats" and "boat" agree */
const meaning = (text: string): ReadonlySet<string> =>
  new Set(
    (text.toLowerCase().match(/[\p{L}\d]+/gu) ?? [])
      .filter((word) => /\d/.test(word) || (word.length > 3 && !COMMON.has(word)))
      .map((word) => word.slice(0, 5))
  )

const overlap = (one: ReadonlySet<string>, other: ReadonlySet<string>): number =>
  [...one].filter((word) => other.has(word)).length

const section = (text: string, name: string): string | undefined =>
  new RegExp(`<${name}>\\n([\\s\\S]*?)\\n</${name}>`).exec(text)?.[1]

const rated = (rating: number): Solution => ({
  right: { text: `Compared by its words.\nRating: ${rating}` },
  wrong: { text: `Compared by its words.\nRating: ${6 - rating}` }
})

const judge = (prompt: string): Solution | undefined => {
  const [question, reply, text, reference] = ["question", "reply", "text", "reference"].map((name) =>
    section(prompt, name)
  )
  if (question === undefined || reply === undefined || !prompt.includes('"Rating: <n>"')) return undefined
  const said = meaning(reply)
  if (reference !== undefined) return rated(overlap(said, meaning(reference)) > 0 ? 5 : 1)
  if (text === undefined) return rated(overlap(said, meaning(question)) > 0 ? 5 : 1)
  const supported = said.size === 0 ? 0 : overlap(said, new Set([...meaning(text), ...meaning(question)])) / said.size
  return rated(supported >= 0.75 ? 5 : supported > 0.5 ? 3 : 1)
}

const answerFromText = (prompt: string): Solution | undefined => {
  const [, text = "", question = ""] =
    /using only this text\.\n\nText: ([\s\S]+)\n\nQuestion: ([\s\S]+)$/.exec(prompt) ?? []
  if (question === "") return undefined
  const wanted = meaning(question)
  const sentences = text.match(/[^.]+\./g) ?? [text]
  const best = sentences.reduce((found, sentence) =>
    overlap(meaning(sentence), wanted) > overlap(meaning(found), wanted) ? sentence : found
  )
  return {
    right: { text: best.trim() },
    wrong: { text: "Nobody remembers exactly, although newspapers reported several contradicting rumours." }
  }
}

export const judgingSolver: Solver = {
  family: "judge",
  solve: (conversation) => {
    const prompt = lastQuestion(conversation)
    return prompt === undefined ? undefined : (judge(prompt) ?? answerFromText(prompt))
  }
}
