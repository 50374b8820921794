/**
 * Puzzles with exactly one solution: things in a row, runners in a race, pets and their owners. Clues are added until one arrangement is left,
 * then needless ones are dropped. Random guessing scores 1/3, 1/4 and 1/5 on the three levels.
 */
import { wordKind } from "../answers/word-kinds.ts"
import { generatedBenchmark, type Level, type Puzzle, type PuzzleFamily } from "../generated.ts"
import type { SeededRandom } from "../random.ts"
import { listed, NAMES } from "../words/names.ts"
import { permutations } from "./permutations.ts"

const SIZE: { readonly [level in Level]: number } = { easy: 3, medium: 4, hard: 5 }
const COUNT = ["", "", "", "Three", "Four", "Five"]
const ORDINALS = ["first", "second", "third", "fourth", "fifth"]
const COLOURS = ["red", "blue", "green", "yellow", "white", "black", "orange", "purple", "brown", "grey"]
const PETS = ["cat", "dog", "fish", "rabbit", "parrot", "hamster", "turtle", "pony"]

/** `solution[i]` is what stands at place i (rows) or what person i owns (pets) */
interface Clue {
  readonly text: string
  readonly holds: (solution: ReadonlyArray<string>) => boolean
}

/** fewest clues, in random order, that leave only `solution` */
const sufficientClues = (
  clues: ReadonlyArray<Clue>,
  solution: ReadonlyArray<string>,
  random: SeededRandom
): ReadonlyArray<Clue> => {
  const worlds = permutations(solution)
  const solved = (chosen: ReadonlyArray<Clue>) =>
    worlds.filter((world) => chosen.every((clue) => clue.holds(world))).length === 1
  let chosen = random.shuffle(clues.filter((clue) => clue.holds(solution)))
  for (const clue of chosen) {
    const without = chosen.filter((other) => other !== clue)
    if (solved(without)) chosen = without
  }
  return chosen
}

interface RowWords {
  readonly before: (a: string, b: string) => string
  readonly next: (a: string, b: string) => string
  readonly notAt: (a: string, place: string) => string
}

const rowClues = (things: ReadonlyArray<string>, words: RowWords): ReadonlyArray<Clue> => {
  const pairs = things.flatMap((a) => things.filter((b) => b !== a).map((b) => [a, b] as const))
  return [
    ...pairs.map(([a, b]) => ({
      text: words.before(a, b),
      holds: (row: ReadonlyArray<string>) => row.indexOf(a) < row.indexOf(b)
    })),
    ...pairs.map(([a, b]) => ({
      text: words.next(a, b),
      holds: (row: ReadonlyArray<string>) => row.indexOf(a) + 1 === row.indexOf(b)
    })),
    ...things.flatMap((a) =>
      things.map((_, place) => ({
        text: words.notAt(a, ORDINALS[place] as string),
        holds: (row: ReadonlyArray<string>) => row.indexOf(a) !== place
      }))
    )
  ]
}

const shelf = (size: number, random: SeededRandom): Puzzle => {
  const row = random.sample(COLOURS, size)
  const clues = sufficientClues(
    rowClues(row, {
      before: (a, b) => `The ${a} book is somewhere to the left of the ${b} book.`,
      next: (a, b) => `The ${a} book is directly to the left of the ${b} book.`,
      notAt: (a, place) => `The ${a} book is not the ${place} from the left.`
    }),
    row,
    random
  )
  const asked = random.int(0, size - 1)
  const intro =
    `${COUNT[size]} books stand in a row on a shelf: ${listed([...row].sort().map((colour) => `a ${colour} book`))}.`.replace(
      "a orange",
      "an orange"
    )
  return {
    question: `${intro} ${clues.map(({ text }) => text).join(" ")} Which book is the ${ORDINALS[asked]} from the left?`,
    answer: row[asked] as string,
    kind: wordKind(row, "the colour of that book")
  }
}

const race = (size: number, random: SeededRandom): Puzzle => {
  const row = random.sample(NAMES, size)
  const clues = sufficientClues(
    rowClues(row, {
      before: (a, b) => `${a} finished before ${b}.`,
      next: (a, b) => `${a} finished directly before ${b}.`,
      notAt: (a, place) => `${a} did not finish ${place}.`
    }),
    row,
    random
  )
  const asked = random.int(0, size - 1)
  return {
    question: `${COUNT[size]} runners finished a race without any ties: ${listed([...row].sort())}. ${clues.map(({ text }) => text).join(" ")} Who finished ${ORDINALS[asked]}?`,
    answer: row[asked] as string,
    kind: wordKind(row, "the name of that runner")
  }
}

const pets = (size: number, random: SeededRandom): Puzzle => {
  const owned = random.sample(PETS, size)
  const people = random.sample(NAMES, size)
  const ownerOf = (world: ReadonlyArray<string>, pet: string) => people[world.indexOf(pet)] as string
  const petOf = (world: ReadonlyArray<string>, person: string) => world[people.indexOf(person)] as string
  const pairs = (values: ReadonlyArray<string>) =>
    values.flatMap((a, index) => values.slice(index + 1).map((b) => [a, b] as const))
  const candidates: ReadonlyArray<Clue> = [
    ...people.flatMap((person) =>
      owned.map((pet) => ({
        text: `${person} does not own the ${pet}.`,
        holds: (world: ReadonlyArray<string>) => petOf(world, person) !== pet
      }))
    ),
    ...pairs(people).flatMap(([a, b]) =>
      owned.map((pet) => ({
        text: `Either ${a} or ${b} owns the ${pet}.`,
        holds: (world: ReadonlyArray<string>) => [a, b].includes(ownerOf(world, pet))
      }))
    ),
    ...people.flatMap((person) =>
      pairs(owned).map(([x, y]) => ({
        text: `${person} owns the ${x} or the ${y}.`,
        holds: (world: ReadonlyArray<string>) => [x, y].includes(petOf(world, person))
      }))
    )
  ]
  const clues = sufficientClues(candidates, owned, random)
  const asked = random.int(0, size - 1)
  return {
    question: `${COUNT[size]} people own one pet each, all different. The people are ${listed([...people].sort())}; the pets are ${listed([...owned].sort().map((pet) => `a ${pet}`))}. ${clues
      .map(({ text }) => text)
      .join(" ")} Who owns the ${owned[asked]}?`,
    answer: people[asked] as string,
    kind: wordKind(people, "the name of that person")
  }
}

const generate = (level: Level, type: string, random: SeededRandom): Puzzle => {
  const make = type === "shelf" ? shelf : type === "race" ? race : pets
  return make(SIZE[level], random)
}

const logicDeductionFamily: PuzzleFamily = {
  id: "logic_deduction",
  version: 1,
  size: 100,
  types: ["shelf", "race", "pets"],
  maxTokens: 4096,
  generate
}

export const logicDeduction = generatedBenchmark(logicDeductionFamily)
