import { assert, describe, it } from "@effect/vitest"
import { Either } from "effect"
import { readLenientJson } from "../../../../providers/contract/lenient-json.ts"

describe("readLenientJson", () => {
  it("reads JSON as JSON", () =>
    assert.deepStrictEqual(readLenientJson('{"a":[1,"NaN"]}'), Either.right({ a: [1, "NaN"] })))

  it("reads bare tokens as texts, and leaves texts alone", () => {
    const text = '{"a":NaN,"b":[-Infinity, Infinity],"c":"NaN \\" Infinity \\\\","NaN":1}'
    assert.deepStrictEqual(
      readLenientJson(text),
      Either.right({ a: "NaN", b: ["-Infinity", "Infinity"], c: 'NaN " Infinity \\', NaN: 1 })
    )
  })

  for (const text of ["", "{", "{a:NaN}", "NaN NaN", '{"a":NaNs}', '{"a":Infinity'])
    it(`refuses ${text || "nothing"}`, () => assert.isTrue(Either.isLeft(readLenientJson(text))))
})
