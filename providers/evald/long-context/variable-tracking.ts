/** variable_tracking: which variables end up with a value, through chains of assignments scattered over the text. Guessing scores 0. */
import type { SeededRandom } from "../random.ts"
import { haystack } from "./haystack.ts"
import { longContext, type SearchTask } from "./lengths.ts"

const CHAINS = 2
const HOPS = 4

const freshNames = (random: SeededRandom, count: number): ReadonlyArray<string> => {
  const names = new Set<string>()
  while (names.size < count)
    names.add(Array.from({ length: 5 }, () => random.pick([..."BCDFGHJKLMNPQRSTVWXZ"])).join(""))
  return [...names]
}

const chainStatements = (names: ReadonlyArray<string>, value: number): ReadonlyArray<string> =>
  names.map((name, index) =>
    index === 0
      ? `Let variable ${name} be ${value}.`
      : `Let variable ${name} be the same as variable ${names[index - 1]}.`
  )

/** keeps the order inside each chain, mixes the chains */
const interleave = (random: SeededRandom, chains: ReadonlyArray<ReadonlyArray<string>>): ReadonlyArray<string> => {
  const rest = chains.map((chain) => [...chain])
  const mixed: Array<string> = []
  while (rest.some((chain) => chain.length > 0)) {
    const next = random.pick(rest.filter((chain) => chain.length > 0)).shift()
    if (next !== undefined) mixed.push(next)
  }
  return mixed
}

export const variableTrackingTask: SearchTask = {
  id: "variable_tracking",
  version: 1,
  make: (random, length) => {
    const names = freshNames(random, CHAINS * (HOPS + 1))
    const chains = Array.from({ length: CHAINS }, (_, chain) =>
      names.slice(chain * (HOPS + 1), (chain + 1) * (HOPS + 1))
    )
    const value = random.int(10_000, 49_999)
    const statements = interleave(
      random,
      chains.map((chain, index) => chainStatements(chain, value + index * 50_000))
    )
    const depths = statements.map(() => random.next()).sort((a, b) => a - b)
    const prompt = haystack(random, length, {
      intro: "Read the text and answer the question after it. The text assigns values to variables.",
      statements,
      depths,
      question: `Which variables have the value ${value}? Name all ${HOPS + 1} of them.`
    })
    return { prompt, expected: chains[0] ?? [] }
  }
}

export const variableTracking = longContext(variableTrackingTask)
