/** needle_single and needle_multikey: one access code among filler, alone or among many that look alike. Guessing scores 0. */
import type { SeededRandom } from "../random.ts"
import { haystack } from "./haystack.ts"
import { ITEMS_PER_LENGTH, longContext, type SearchTask } from "./lengths.ts"

const colours = ["blue", "green", "copper", "silver", "amber", "violet", "scarlet", "ivory", "golden", "grey"]
const things = ["cabinet", "locker", "gate", "drawer", "archive", "cellar", "garage", "vault", "workshop", "attic"]

const names = colours.flatMap((colour) => things.map((thing) => `${colour} ${thing}`))

const code = (random: SeededRandom): string => String(random.int(1_000_000, 9_999_999))

const statement = (name: string, value: string): string => `The access code of the ${name} is ${value}.`

const intro = "Read the text and answer the question after it. The answer is in the text."

const searchFor = (
  random: SeededRandom,
  length: number,
  count: number,
  depths: ReadonlyArray<number>,
  wanted: number
) => {
  const chosen = random.sample(names, count)
  const codes = new Set<string>()
  while (codes.size < count) codes.add(code(random))
  const values = [...codes]
  return {
    prompt: haystack(random, length, {
      intro,
      statements: chosen.map((name, index) => statement(name, values[index] ?? "")),
      depths,
      question: `What is the access code of the ${chosen[wanted] ?? ""}?`
    }),
    expected: [values[wanted] ?? ""]
  }
}

/** the twenty items of a length walk through the depths from the beginning to the end */
const single: SearchTask = {
  id: "needle_single",
  version: 1,
  make: (random, length, index) => searchFor(random, length, 1, [index / (ITEMS_PER_LENGTH - 1)], 0)
}

const KEYS = 8

const multikey: SearchTask = {
  id: "needle_multikey",
  version: 1,
  make: (random, length) => {
    const depths = Array.from({ length: KEYS }, () => random.next()).sort((a, b) => a - b)
    return searchFor(random, length, KEYS, depths, random.int(0, KEYS - 1))
  }
}

export const needleSingleTask = single
export const needleMultikeyTask = multikey
export const needleSingle = longContext(single)
export const needleMultikey = longContext(multikey)
