/** Solves rows, races and pets by trying every arrangement against the clues it reads. */
import { amongOptions } from "../answers.ts"
import { answerLineQuestion } from "../last-question.ts"
import type { Solver } from "../solver.ts"

const ORDINALS = ["first", "second", "third", "fourth", "fifth"]

type Row = ReadonlyArray<string>
type Test = (row: Row) => boolean

const arrangements = (values: Row): ReadonlyArray<Row> =>
  values.length === 0
    ? [[]]
    : values.flatMap((value) => arrangements(values.filter((other) => other !== value)).map((rest) => [value, ...rest]))

const names = (list: string): Row =>
  list.split(/, | and /).map((word) => word.replace(/^(?:an?|the) /, "").replace(/ book$/, ""))

interface Puzzle {
  readonly things: Row
  readonly tests: ReadonlyArray<Test>
  readonly answer: (row: Row) => string | undefined
  readonly options: Row
}

const rowClue = (sentence: string): Test | undefined => {
  const text = sentence.replace(/[Tt]he (\w+) book/g, "$1")
  const pair = /^(\w+) (?:is somewhere to the left of|finished before) (\w+)$/.exec(text)
  if (pair !== null) return (row) => row.indexOf(pair[1] as string) < row.indexOf(pair[2] as string)
  const next = /^(\w+) (?:is directly to the left of|finished directly before) (\w+)$/.exec(text)
  if (next !== null) return (row) => row.indexOf(next[2] as string) - row.indexOf(next[1] as string) === 1
  const not = /^(\w+) (?:is not the (\w+) from the left|did not finish (\w+))$/.exec(text)
  if (not !== null) return (row) => row[ORDINALS.indexOf(not[2] ?? not[3] ?? "")] !== not[1]
  return undefined
}

const petClue =
  (people: Row) =>
  (sentence: string): Test | undefined => {
    const petOf = (row: Row, person: string | undefined) => row[people.indexOf(person ?? "")]
    const not = /^(\w+) does not own the (\w+)$/.exec(sentence)
    if (not !== null) return (row) => petOf(row, not[1]) !== not[2]
    const either = /^Either (\w+) or (\w+) owns the (\w+)$/.exec(sentence)
    if (either !== null) return (row) => petOf(row, either[1]) === either[3] || petOf(row, either[2]) === either[3]
    const choice = /^(\w+) owns the (\w+) or the (\w+)$/.exec(sentence)
    if (choice !== null) return (row) => petOf(row, choice[1]) === choice[2] || petOf(row, choice[1]) === choice[3]
    return undefined
  }

const read = (question: string): Puzzle | undefined => {
  const sentences = question.split(/[.?:;] ?/).map((sentence) => sentence.trim())
  const tests = (clue: (sentence: string) => Test | undefined) => sentences.flatMap((sentence) => clue(sentence) ?? [])
  const row = /(?:stand in a row on a shelf|finished a race without any ties): ([^.]+)\./.exec(question)
  if (row !== null) {
    const place = /(?:is the (\w+) from the left|Who finished (\w+))\?/.exec(question)
    const things = names(row[1] as string)
    return {
      things,
      tests: tests(rowClue),
      options: things,
      answer: (solved) => solved[ORDINALS.indexOf(place?.[1] ?? place?.[2] ?? "")]
    }
  }
  const pets = /The people are ([^;]+); the pets are ([^.]+)\./.exec(question)
  if (pets !== null) {
    const people = names(pets[1] as string)
    const asked = /Who owns the (\w+)\?/.exec(question)?.[1] ?? ""
    return {
      things: names(pets[2] as string),
      tests: tests(petClue(people)),
      options: people,
      answer: (solved) => people[solved.indexOf(asked)]
    }
  }
  return undefined
}

export const orderingPuzzleSolver: Solver = {
  family: "logic",
  solve: (conversation, random) => {
    const question = answerLineQuestion(conversation)
    const puzzle = question === undefined ? undefined : read(question)
    if (puzzle === undefined) return undefined
    const solved = arrangements(puzzle.things).find((row) => puzzle.tests.every((test) => test(row)))
    const answer = solved === undefined ? undefined : puzzle.answer(solved)
    return answer === undefined ? undefined : amongOptions(answer, puzzle.options, random)
  }
}
