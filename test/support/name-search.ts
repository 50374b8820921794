/** Names and parts of them that are hard to search for, and what a list by name must show. */
import { FastCheck as fc } from "effect"

/** cases that fold, patterns, quotes of both query languages, what turns text around, characters of two units, and plain ones */
const characters = [
  ..."aAbB\u00e4\u00c4\u00df\u0130I\u0131%_\\*\"'()-: 1.",
  "\u202e",
  "\u200f",
  "\ufb01",
  "e\u0301",
  "\ud83d\ude00",
  "\u65e5\u672c",
  "abc"
]

const text = (minLength: number, maxLength: number) =>
  fc.array(fc.constantFrom(...characters), { minLength, maxLength }).map((parts) => parts.join(""))

export const anyName = text(1, 12)

/** a part of one of the names in either case, or anything */
export const anyPart = (names: ReadonlyArray<string>) =>
  fc.oneof(
    text(1, 5),
    fc
      .tuple(fc.constantFrom(...names), fc.nat(20), fc.integer({ min: 1, max: 6 }), fc.boolean())
      .map(([name, start, length, upper]) => {
        const points = [...name]
        const from = start % points.length
        const part = points.slice(from, from + length).join("")
        return upper ? part.toUpperCase() : part
      })
  )
