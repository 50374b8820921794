/** Closing brackets that complete a sequence correctly. Random guessing scores about 0. */
import { bracketKind } from "../answers/word-kinds.ts"
import { generatedBenchmark, type Level, type Puzzle, type PuzzleFamily } from "../generated.ts"
import type { SeededRandom } from "../random.ts"

const CLOSING: { readonly [open: string]: string } = { "(": ")", "[": "]", "{": "}", "<": ">" }

/** symbols shown, and how many brackets stay open */
const SCALE: {
  readonly [level in Level]: { readonly shown: readonly [number, number]; readonly open: readonly [number, number] }
} = {
  easy: { shown: [4, 8], open: [2, 3] },
  medium: { shown: [12, 20], open: [3, 5] },
  hard: { shown: [26, 40], open: [5, 8] }
}

const generate = (level: Level, type: string, random: SeededRandom): Puzzle => {
  const kinds = Object.keys(CLOSING).slice(0, type === "three kinds" ? 3 : 4)
  const left = random.int(...SCALE[level].open)
  // every closed bracket takes two symbols, so the rest of the length has to be even
  const pairs = Math.floor((random.int(...SCALE[level].shown) - left) / 2)
  const shown: Array<string> = []
  const open: Array<string> = []
  let opening = pairs + left
  let closing = pairs
  while (opening + closing > 0) {
    if (opening > 0 && (open.length === 0 || closing === 0 || random.next() < opening / (opening + closing))) {
      const bracket = random.pick(kinds)
      shown.push(bracket)
      open.push(bracket)
      opening--
    } else {
      shown.push(CLOSING[open.pop() as string] as string)
      closing--
    }
  }
  return {
    question: `Complete this sequence with the closing brackets that are missing at its end, so that every bracket is closed properly: ${shown.join(" ")}`,
    answer: open
      .reverse()
      .map((bracket) => CLOSING[bracket])
      .join(" "),
    kind: bracketKind
  }
}

const dyckCompletionFamily: PuzzleFamily = {
  id: "dyck_completion",
  version: 1,
  size: 100,
  types: ["three kinds", "four kinds"],
  maxTokens: 3072,
  generate
}

export const dyckCompletion = generatedBenchmark(dyckCompletionFamily)
