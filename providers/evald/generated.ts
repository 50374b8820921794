/**
 * Benchmarks whose items are made from a seed. Each item is drawn from its own stream (benchmark, version, seed, level, number), so that an item
 * never depends on how many others are asked. Changing a generator means a new version, which is part of every item id. Reference: providers-and-collections.md, "Honesty rules", "Framework wrappers".
 */
import { Effect } from "effect"
import type { ChatMessage } from "../sdk/model/model-exchange.ts"
import { type AnswerKind, answerInstruction } from "./answers/answer-kind.ts"
import type { Item, ItemBenchmark, ItemContext } from "./benchmark.ts"
import { EXACT_METRICS, EXACT_READINGS, scoreExact } from "./exact-answer.ts"
import { type SeededRandom, seededRandom } from "./random.ts"

const LEVELS = ["easy", "medium", "hard"] as const
export type Level = (typeof LEVELS)[number]

export interface Puzzle {
  readonly question: string
  readonly answer: string
  readonly kind: AnswerKind
}

export interface PuzzleFamily {
  readonly id: string
  readonly version: number
  readonly size: number
  /** kinds of question, taken in turn; part of the stratum */
  readonly types: ReadonlyArray<string>
  readonly maxTokens: number
  readonly generate: (level: Level, type: string, random: SeededRandom) => Puzzle
}

const FRESH_TRIES = 200

interface Placed {
  readonly key: string
  readonly level: Level
  readonly type: string
  readonly puzzle: Puzzle
}

/** `count` puzzles of one level whose questions are not yet in `seen` (which grows) */
const drawLevel = (
  family: PuzzleFamily,
  pool: string,
  seed: number,
  level: Level,
  count: number,
  types: ReadonlyArray<string>,
  seen: Set<string>
) => {
  const placed: Array<Placed> = []
  for (let number = 0; number < count; number++) {
    const type = types[number % types.length] as string
    for (let attempt = 0; ; attempt++) {
      const puzzle = family.generate(
        level,
        type,
        seededRandom(family.id, family.version, pool, seed, level, number, attempt)
      )
      if (seen.has(puzzle.question)) {
        if (attempt >= FRESH_TRIES)
          throw new Error(`generator ${family.id} cannot make ${count} different ${level} questions of type ${type}`)
        continue
      }
      seen.add(puzzle.question)
      placed.push({ key: `s${seed}-${level}-${String(number).padStart(3, "0")}`, level, type, puzzle })
      break
    }
  }
  return placed
}

/** levels asked for, with how many items each: the whole size on one level, or spread evenly */
const levelsOf = (difficulty: ItemContext["difficulty"], size: number): ReadonlyArray<readonly [Level, number]> =>
  difficulty === "mixed"
    ? LEVELS.map((level, index) => [level, Math.floor((size + LEVELS.length - 1 - index) / LEVELS.length)])
    : [[difficulty, size]]

const questionText = ({ question, kind }: Puzzle): string => `${question}\n\n${answerInstruction(kind)}`

/** solved examples as earlier turns of the conversation */
const exampleTurns = (
  examples: ReadonlyArray<{ readonly question: string; readonly answer: string }>
): ReadonlyArray<ChatMessage> =>
  examples.flatMap(({ question, answer }) => [
    { role: "user" as const, content: question },
    { role: "assistant" as const, content: `Answer: ${answer}` }
  ])

/** the whole set of a family; few-shot examples come from a pool that shares no question with it */
export const generateItems = (
  family: PuzzleFamily,
  context: ItemContext,
  types = family.types,
  size = family.size
): ReadonlyArray<Item> => {
  const seen = new Set<string>()
  const levels = levelsOf(context.difficulty, size)
  const placed = levels.flatMap(([level, count]) => drawLevel(family, "items", context.seed, level, count, types, seen))
  const perLevel = Math.ceil(context.fewShot / levels.length)
  const pool = levels.flatMap(([level]) => drawLevel(family, "few-shot", context.seed, level, perLevel, types, seen))
  const examples = seededRandom(family.id, "few-shot order", context.seed).shuffle(pool).slice(0, context.fewShot)
  const turns = exampleTurns(examples.map(({ puzzle }) => ({ question: questionText(puzzle), answer: puzzle.answer })))
  return placed.map(({ key, level, type, puzzle }) => ({
    id: `${family.id}:v${family.version}:${key}`,
    stratum: `${level}/${type}`,
    messages: [...turns, { role: "user", content: questionText(puzzle) }],
    maxTokens: family.maxTokens,
    reference: puzzle.answer,
    chance: puzzle.kind.size === undefined ? 0 : 1 / puzzle.kind.size,
    score: scoreExact(puzzle.kind, puzzle.answer)
  }))
}

export const generatedBenchmark = (family: PuzzleFamily): ItemBenchmark => ({
  kind: "items",
  id: family.id,
  needs: ["generate"],
  items: (context) => Effect.sync(() => generateItems(family, context)),
  metrics: EXACT_METRICS,
  readings: EXACT_READINGS,
  scoring: () => ({ origin: "generated", generator_version: family.version })
})
