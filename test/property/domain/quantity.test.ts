import { assert, describe, it } from "@effect/vitest"
import { Either, FastCheck as fc } from "effect"
import {
  addQuantity,
  compareQuantity,
  multiplyQuantity,
  parseQuantity,
  printQuantity,
  type Quantity
} from "../../../domain/quantity.ts"
import { anyCharacter } from "../../support/run/any-character.ts"

const suffix = fc.constantFrom("n", "u", "m", "", "k", "M", "G", "T", "Ki", "Mi", "Gi", "Ti", "e3", "E-2", "e0")
const text = fc
  .tuple(
    fc.constantFrom("", "+", "-"),
    fc.bigInt({ min: 0n, max: 99_999n }),
    fc.constantFrom("", ".", ".5", ".25", ".125", ".000000001"),
    suffix
  )
  .map(([sign, whole, fraction, end]) => `${sign}${whole}${fraction}${end}`)
const quantity = text.map(
  (given): Quantity => Either.getOrThrowWith(parseQuantity(given), ({ message }) => new Error(`${given} ${message}`))
)

describe("case 29: quantity laws", () => {
  it("printing keeps the value, and is a fixed point: at once, or when a binary text without a suffix was read as a decimal one", () => {
    fc.assert(
      fc.property(quantity, (given) => {
        const printed = printQuantity(given)
        const again = Either.getOrThrow(parseQuantity(printed))
        assert.strictEqual(again.nanos, given.nanos)
        const settled = printQuantity(again)
        if (again.format === given.format || given.format !== "binary") assert.strictEqual(settled, printed)
        assert.strictEqual(printQuantity(Either.getOrThrow(parseQuantity(settled))), settled)
        assert.notInclude(printed, ".")
      })
    )
  })
  it("the order is total, and equal to that of the exact values", () => {
    fc.assert(
      fc.property(quantity, quantity, quantity, (a, b, c) => {
        assert.strictEqual(compareQuantity(a, b), 0 - compareQuantity(b, a))
        assert.strictEqual(compareQuantity(a, b) === 0, a.nanos === b.nanos)
        if (compareQuantity(a, b) <= 0 && compareQuantity(b, c) <= 0) assert.isAtMost(compareQuantity(a, c), 0)
      })
    )
  })
  it("adding is commutative in value, monotone, and inverse to its negative; multiplying is repeated adding", () => {
    fc.assert(
      fc.property(quantity, quantity, fc.integer({ min: 0, max: 20 }), (a, b, count) => {
        const sum = Either.getOrThrow(addQuantity(a, b))
        assert.strictEqual(sum.nanos, Either.getOrThrow(addQuantity(b, a)).nanos)
        assert.strictEqual(compareQuantity(sum, a), compareQuantity(b, { nanos: 0n, format: "decimal" }))
        assert.strictEqual(Either.getOrThrow(addQuantity(sum, { ...b, nanos: -b.nanos })).nanos, a.nanos)
        let repeated: Quantity = { nanos: 0n, format: a.format }
        for (let turn = 0; turn < count; turn++) repeated = Either.getOrThrow(addQuantity(repeated, a))
        assert.strictEqual(Either.getOrThrow(multiplyQuantity(a, count)).nanos, repeated.nanos)
      })
    )
  })
  it("is total: any text is a quantity or a problem, never a throw, and what parses prints", () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: anyCharacter }),
          fc.stringMatching(/^[+-]?[0-9.]{0,12}[eEinumkKMGTP]{0,3}[+-]?[0-9]{0,12}$/)
        ),
        (given) => {
          const parsed = parseQuantity(given)
          if (Either.isRight(parsed))
            assert.strictEqual(Either.getOrThrow(parseQuantity(printQuantity(parsed.right))).nanos, parsed.right.nanos)
          else assert.isAbove(parsed.left.message.length, 0)
        }
      ),
      { numRuns: 500 }
    )
  })
})
