/** Numbers written out in ten languages, to be turned into digits, alone or added up. Random guessing scores about 0. */
import { Effect } from "effect"
import { invalidParameter } from "../../sdk/failures.ts"
import { numberKind } from "../answers/number-kind.ts"
import type { ItemBenchmark } from "../benchmark.ts"
import { EXACT_METRICS, EXACT_READINGS } from "../exact-answer.ts"
import { generateItems, type Level, type Puzzle, type PuzzleFamily } from "../generated.ts"
import type { SeededRandom } from "../random.ts"
import { NUMBER_LANGUAGES, type NumberLanguage } from "./number-words.ts"

const RANGE: { readonly [level in Level]: readonly [number, number] } = {
  easy: [11, 99],
  medium: [101, 9_999],
  hard: [10_001, 999_999]
}

const byCode = new Map(NUMBER_LANGUAGES.map((language) => [language.code, language]))
const CODES = [...byCode.keys()]

const generate = (level: Level, code: string, random: SeededRandom): Puzzle => {
  const { name, words } = byCode.get(code) as NumberLanguage
  const [least, most] = RANGE[level]
  if (random.next() < 0.3) {
    const [a, b] = [random.int(least, most), random.int(least, most)]
    return {
      question: `Two numbers are written in ${name}: "${words(a)}" and "${words(b)}". What is their sum?`,
      answer: String(a + b),
      kind: numberKind
    }
  }
  const value = random.int(least, most)
  return {
    question: `A number is written in ${name}: "${words(value)}". Which number is it?`,
    answer: String(value),
    kind: numberKind
  }
}

const multilingualNumbersFamily: PuzzleFamily = {
  id: "multilingual_numbers",
  version: 1,
  size: 150,
  types: CODES,
  maxTokens: 2048,
  generate
}

/** `languages` narrows the set to the named codes; each language keeps its share of the whole size */
export const multilingualNumbers: ItemBenchmark = {
  kind: "items",
  id: "multilingual_numbers",
  needs: ["generate"],
  items: (context) => {
    const wanted = (context.parameters["languages"] ?? CODES) as ReadonlyArray<string>
    const unknown = wanted.filter((code) => !byCode.has(code))
    if (unknown.length > 0)
      return invalidParameter(`languages: ${unknown.join(", ")} not known; known are ${CODES.join(", ")}`)
    const types = CODES.filter((code) => wanted.includes(code))
    return Effect.sync(() =>
      generateItems(
        multilingualNumbersFamily,
        context,
        types,
        (multilingualNumbersFamily.size / CODES.length) * types.length
      )
    )
  },
  metrics: EXACT_METRICS,
  readings: EXACT_READINGS,
  scoring: () => ({ origin: "generated", generator_version: multilingualNumbersFamily.version })
}
