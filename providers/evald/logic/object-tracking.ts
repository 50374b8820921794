/** Who holds what after a series of swaps, or where a thing lies after moves. Random guessing scores 1/3, 1/5 and 1/7 on the three levels. */
import { wordKind } from "../answers/word-kinds.ts"
import { generatedBenchmark, type Level, type Puzzle, type PuzzleFamily } from "../generated.ts"
import type { SeededRandom } from "../random.ts"
import { listed, NAMES } from "../words/names.ts"

const SCALE: { readonly [level in Level]: { readonly people: number; readonly steps: number } } = {
  easy: { people: 3, steps: 3 },
  medium: { people: 5, steps: 6 },
  hard: { people: 7, steps: 10 }
}

const THINGS = ["ball", "book", "kite", "drum", "lamp", "vase", "rope", "coin", "mask", "shell"]
const PLACES = ["drawer", "basket", "suitcase", "cupboard", "bucket", "crate", "jar", "barrel", "chest"]

const swaps = (level: Level, random: SeededRandom): Puzzle => {
  const { people: count, steps } = SCALE[level]
  const people = random.sample(NAMES, count)
  const held = [...random.sample(THINGS, count)]
  const all = [...held]
  const start = people.map((person, index) => `${person} has the ${held[index]}`)
  const lines: Array<string> = []
  for (let step = 0; step < steps; step++) {
    const [a = 0, b = 0] = random.sample([...people.keys()], 2)
    const [first, second] = [held[a] as string, held[b] as string]
    held[a] = second
    held[b] = first
    lines.push(`${people[a]} and ${people[b]} swap what they hold.`)
  }
  const asked = random.int(0, count - 1)
  return {
    question: `At first ${listed(start)}. ${lines.join(" ")} What does ${people[asked]} have at the end?`,
    answer: held[asked] as string,
    kind: wordKind(all, "the name of that thing")
  }
}

const moves = (level: Level, random: SeededRandom): Puzzle => {
  const { people: count, steps } = SCALE[level]
  const things = random.sample(THINGS, 3)
  const places = random.sample(PLACES, count)
  const where = things.map(() => random.pick(places))
  const lines = things.map((thing, index) => `The ${thing} is in the ${where[index]}.`)
  for (let step = 0; step < steps; step++) {
    const moved = random.int(0, things.length - 1)
    const target = random.pick(places.filter((place) => place !== where[moved]))
    where[moved] = target
    lines.push(`${random.pick(NAMES)} puts the ${things[moved]} into the ${target}.`)
  }
  const asked = random.int(0, things.length - 1)
  return {
    question: `There are ${count} places: ${listed(places.map((place) => `a ${place}`))}. ${lines.join(" ")} Where is the ${things[asked]} at the end?`,
    answer: where[asked] as string,
    kind: wordKind(places, "the name of that place")
  }
}

const objectTrackingFamily: PuzzleFamily = {
  id: "object_tracking",
  version: 1,
  size: 100,
  types: ["swaps", "moves"],
  maxTokens: 4096,
  generate: (level, type, random) => (type === "swaps" ? swaps(level, random) : moves(level, random))
}

export const objectTracking = generatedBenchmark(objectTrackingFamily)
