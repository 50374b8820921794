import { assert, describe, it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import { partsOf } from "../../../deploy/check-types.mjs"

describe("types are checked in parts", () => {
  it("every file is in one of them, neighbours stay together, and none is much longer than its share", () => {
    fc.assert(
      fc.property(
        fc.array(fc.nat({ max: 1000 }), { maxLength: 200 }),
        fc.integer({ min: 1, max: 4 }),
        (lengths, parts) => {
          const found = partsOf(lengths, parts)
          assert.lengthOf(found, lengths.length)
          assert.deepStrictEqual(
            found,
            found.toSorted((a, b) => a - b)
          )
          assert.isTrue(found.every((part) => part >= 0 && part < parts))
          const whole = lengths.reduce((sum, length) => sum + length, 0)
          const longest = Math.max(0, ...lengths)
          for (let part = 0; part < parts; part++) {
            const own = lengths.filter((_, at) => found[at] === part).reduce((sum, length) => sum + length, 0)
            assert.isAtMost(own, whole / parts + longest)
          }
        }
      )
    )
  })

  it("two files of one length are one for each", () => {
    assert.deepStrictEqual(partsOf([10, 10], 2), [0, 1])
    assert.deepStrictEqual(partsOf([], 2), [])
  })
})
