/** Follows swaps and moves one by one. */
import { amongOptions } from "../answers.ts"
import { answerLineQuestion } from "../last-question.ts"
import type { Solver } from "../solver.ts"

interface Followed {
  readonly answer: string | undefined
  readonly options: ReadonlyArray<string>
}

const followSwaps = (text: string): Followed | undefined => {
  const asked = /What does (\w+) have at the end\?/.exec(text)?.[1]
  if (asked === undefined) return undefined
  const held = new Map([...text.matchAll(/(\w+) has the (\w+)/g)].map(([, person = "", thing = ""]) => [person, thing]))
  const options = [...held.values()]
  for (const [, one = "", other = ""] of text.matchAll(/(\w+) and (\w+) swap what they hold/g)) {
    const thing = held.get(one) ?? ""
    held.set(one, held.get(other) ?? "")
    held.set(other, thing)
  }
  return { answer: held.get(asked), options }
}

const followMoves = (text: string): Followed | undefined => {
  const asked = /Where is the (\w+) at the end\?/.exec(text)?.[1]
  const places = /There are \d+ places: ([^.]+)\./.exec(text)?.[1]
  if (asked === undefined || places === undefined) return undefined
  const visits = [...text.matchAll(/(?:The|puts the) (\w+) (?:is in|into) the (\w+)\./g)].filter(
    ([, thing]) => thing === asked
  )
  return { answer: visits.at(-1)?.[2], options: places.split(/, | and /).map((place) => place.replace(/^a /, "")) }
}

export const stateTrackingSolver: Solver = {
  family: "logic",
  solve: (conversation, random) => {
    const question = answerLineQuestion(conversation)
    const followed = question === undefined ? undefined : (followSwaps(question) ?? followMoves(question))
    return followed?.answer === undefined ? undefined : amongOptions(followed.answer, followed.options, random)
  }
}
