import { assert, describe, it } from "@effect/vitest"
import { Either } from "effect"
import { isObject, listMember, member, numberMember, parseJson, textMember } from "../../../values/json.ts"
import { readJson } from "../../../values/json-text/read-json.ts"

describe("JSON of unknown shape", () => {
  it("objects are neither lists nor null", () => {
    assert.deepStrictEqual([{}, { a: 1 }, [], null, undefined, "x", 1].map(isObject), [
      true,
      true,
      false,
      false,
      false,
      false,
      false
    ])
  })
  it("a text that is no JSON is undefined, or why", () => {
    assert.deepStrictEqual(
      [parseJson('{"a":[1]}'), parseJson("null"), parseJson("{"), parseJson("")],
      [{ a: [1] }, null, undefined, undefined]
    )
    assert.deepStrictEqual(readJson("1"), Either.right(1))
    assert.include(Either.getOrThrow(Either.flip(readJson("{"))), "JSON")
  })
  it("only own members of the asked type are found", () => {
    const value = { text: "a", number: 1, list: [1], nothing: Number.NaN }
    assert.deepStrictEqual(
      [textMember(value, "text"), textMember(value, "number"), textMember(value, "toString")],
      ["a", undefined, undefined]
    )
    assert.deepStrictEqual(
      [
        numberMember(value, "number"),
        numberMember(value, "nothing"),
        listMember(value, "list"),
        listMember(value, "text")
      ],
      [1, undefined, [1], []]
    )
    assert.isUndefined(member({}, "constructor"))
    assert.isUndefined(member([1], "length"))
  })
})
