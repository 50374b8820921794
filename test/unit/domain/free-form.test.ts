import { assert, describe, it } from "@effect/vitest"
import { wireSentence } from "../../../config/wire-names.ts"
import { checkFreeForm, maxFreeFormBytes, maxFreeFormValues } from "../../../domain/free-form.ts"

const told = (value: unknown) => checkFreeForm(value, ["custom"]).map(({ message }) => wireSentence(message))
const numbers = (length: number) => Array.from({ length }, () => 1)

describe("a free-form object", () => {
  it("takes 10,000 members and items, at all depths together", () => {
    assert.deepStrictEqual(told({ a: numbers(maxFreeFormValues - 1) }), [])
    assert.deepStrictEqual(told({ a: numbers(maxFreeFormValues) }), [
      "'custom' has more than 10000 members and items, which is the most: make it smaller"
    ])
    assert.strictEqual(told({ a: numbers(5000), b: { c: numbers(5000) } }).length, 1)
  })

  it("takes 256 KiB as JSON", () => {
    const fitting = maxFreeFormBytes - '{"a":""}'.length
    assert.deepStrictEqual(told({ a: "x".repeat(fitting) }), [])
    assert.match(told({ a: "x".repeat(fitting + 1) })[0] ?? "", /takes 262145 bytes; at most 262144 are allowed/)
    assert.match(told({ a: "é".repeat(fitting / 2 + 1) })[0] ?? "", /takes \d+ bytes/)
    assert.match(told({ a: "\\".repeat(fitting / 2 + 1) })[0] ?? "", /takes \d+ bytes/)
    assert.match(told({ ["x".repeat(maxFreeFormBytes + 1)]: 1 })[0] ?? "", /takes more than 262144 bytes/)
  })

  it("with too many items is not looked at beyond the bound", () => {
    let reads = 0
    const items = new Proxy(numbers(1_000_000), {
      get: (target, name, receiver) => {
        reads += 1
        return Reflect.get(target, name, receiver) as unknown
      }
    })
    assert.strictEqual(told({ items }).length, 1)
    assert.isBelow(reads, 10)
  })

  it("that is small enough still must be storable", () => assert.match(told({ a: ["x\0"] })[0] ?? "", /NUL/))
})
