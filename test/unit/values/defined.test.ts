import { assert, describe, it } from "@effect/vitest"
import { defined } from "../../../values/defined.ts"

interface Exact {
  readonly must: number
  readonly may?: string
  readonly none?: string | null
}

describe("members that have a value", () => {
  it("are kept in their order; null, empty texts and zero are values", () => {
    const maybe = (text: string | undefined): string | undefined => text
    const made: Exact = { must: 0, ...defined({ may: maybe(undefined), none: null }) }
    assert.deepStrictEqual(Object.keys(made), ["must", "none"])
    assert.deepStrictEqual(defined({ a: 0, b: "", c: undefined, d: false }), { a: 0, b: "", d: false })
  })
  it("an absent one leaves an earlier one as it is", () => {
    assert.deepStrictEqual({ a: 1, ...defined({ a: undefined as number | undefined }) }, { a: 1 })
  })
})
