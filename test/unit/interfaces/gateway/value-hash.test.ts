import { assert, describe, it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import { valueHash } from "../../../../interfaces/gateway/witness/value-hash.ts"
import { canonicalJson } from "../../../../values/canonical-json.ts"

const reversed = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(reversed)
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([name, item]) => [name, reversed(item)])
  )
}

/** JSON as it is read: numbers as they are written, no member that stands for a prototype */
const json = fc.json().map((text): unknown => JSON.parse(text))

describe("hash of a JSON value", () => {
  it("equal values have equal hashes, whatever the order of their members", () => {
    fc.assert(
      fc.property(json, (value) => {
        const hash = valueHash(value)
        assert.strictEqual(valueHash(reversed(value)), hash)
        assert.isTrue(Number.isSafeInteger(hash) && hash >= 0)
      })
    )
  })

  it("values that are written differently have different hashes", () => {
    fc.assert(
      fc.property(json, json, (one, other) => {
        assert.strictEqual(valueHash(one) === valueHash(other), canonicalJson(one) === canonicalJson(other))
      })
    )
  })

  it.each<readonly [unknown, unknown]>([
    ["1", 1],
    ["null", null],
    ["", []],
    [[], {}],
    [[[]], [[], []]],
    [
      ["ab", "c"],
      ["a", "bc"]
    ],
    [
      { a: "b", c: "d" },
      { a: "d", c: "b" }
    ],
    ["a", "a\u0000"],
    ["a\u0000", "a\u0000\u0000"],
    ["ab", "ba"],
    ["𝔞", "𝔟"]
  ])("%j is another value than %j", (one, other) => {
    assert.notStrictEqual(valueHash(one), valueHash(other))
  })

  it("members without a value are as if they were not there", () => {
    assert.strictEqual(valueHash({ prompt: "p", tools: undefined }), valueHash({ prompt: "p" }))
  })

  it("twenty thousand questions that differ in a number all differ, and no bit stands still", () => {
    const count = 20_000
    const hashes = Array.from({ length: count }, (_, index) =>
      valueHash({ messages: [{ role: "user", content: `What is ${index} + ${index}?` }] })
    )
    assert.strictEqual(new Set(hashes).size, count)
    for (let bit = 0; bit < 53; bit++) {
      const set = hashes.filter((hash) => Math.floor(hash / 2 ** bit) % 2 === 1).length
      assert.approximately(set / count, 0.5, 0.02, `bit ${bit}`)
    }
  })
})
