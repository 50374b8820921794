import { assert, describe, it } from "@effect/vitest"
import { jsonEqual } from "../../../../../providers/evald/answers/json-equal.ts"
import { fits, type JsonSchema } from "../../../../../providers/evald/structure/schema-check.ts"

const person: JsonSchema = {
  type: "object",
  properties: {
    name: { type: "string", minLength: 1, maxLength: 3 },
    age: { type: "integer", minimum: 0, exclusiveMaximum: 150 }
  },
  required: ["name"],
  additionalProperties: false
}

const cases: ReadonlyArray<readonly [schema: JsonSchema, value: unknown, fits: boolean]> = [
  [person, { name: "Ann", age: 3 }, true],
  [person, { name: "Ann", age: 3.0 }, true],
  [person, { name: "Ann", age: 3.5 }, false],
  [person, { name: "Ann", age: 150 }, false],
  [person, { name: "Ann", age: -1 }, false],
  [person, { name: "", age: "3" }, false],
  [person, { name: "🙂🙂🙂" }, true],
  [person, { name: "Anna" }, false],
  [person, { age: 3 }, false],
  [person, { name: "A", "x/y~": 1 }, false],
  [person, ["name"], false],
  [person, null, false],
  [{ type: ["string", "null"] }, null, true],
  [{ type: ["string", "null"] }, 0, false],
  [{ type: "number" }, Number.MAX_VALUE, true],
  [{ enum: ["a", 1, { b: [2] }] }, { b: [2] }, true],
  [{ enum: ["a", 1] }, "1", false],
  [{ const: { a: 1, b: 2 } }, { b: 2, a: 1 }, true],
  [{ const: 2 }, 3, false],
  [{ multipleOf: 0.1 }, 0.3, true],
  [{ multipleOf: 4 }, 6, false],
  [{ exclusiveMinimum: 0 }, 0, false],
  [{ maximum: 5 }, 6, false],
  [{ pattern: "^[A-Z]{2}-[0-9]{4}$" }, "AB-1234", true],
  [{ pattern: "^[A-Z]{2}-[0-9]{4}$" }, "AB-123", false],
  [{ pattern: "b" }, 5, true],
  [{ type: "array", items: { type: "integer" }, minItems: 1, maxItems: 2, uniqueItems: true }, [1, 2], true],
  [{ type: "array", items: { type: "integer" } }, [1, "2", 3.5], false],
  [{ type: "array", minItems: 1 }, [], false],
  [{ type: "array", maxItems: 1 }, [1, 2], false],
  [{ uniqueItems: true }, [{ a: 1 }, { a: 1 }], false],
  [{ minProperties: 1, maxProperties: 2 }, {}, false],
  [{ maxProperties: 1 }, { a: 1, b: 2 }, false],
  [{ properties: { a: {} }, additionalProperties: { type: "string" } }, { a: 1, b: 2 }, false],
  [{ properties: {}, additionalProperties: false }, { toString: 1 }, false],
  [{ required: ["toString"] }, {}, false],
  [{ anyOf: [{ type: "string" }, { minimum: 5 }] }, 4, false],
  [{ anyOf: [{ type: "string" }, { minimum: 5 }] }, 5, true],
  [{ oneOf: [{ minimum: 1 }, { minimum: 2 }] }, 3, false],
  [{ oneOf: [{ minimum: 1 }, { minimum: 2 }] }, 1, true],
  [{ allOf: [{ minimum: 1 }, { maximum: 2 }] }, 3, false],
  [{ not: { type: "string" } }, "x", false],
  [{ properties: { a: { properties: { b: { type: "string" } } } } }, { a: { b: 1 } }, false]
]

describe("a value against a schema", () => {
  it.each(cases)("%j on %j: %j", (schema, value, expected) => assert.strictEqual(fits(schema, value), expected))

  it("knows the calendar", () => {
    const date: JsonSchema = { format: "date" }
    for (const day of ["2032-02-29", "2031-12-31", "2000-02-29"]) assert.isTrue(fits(date, day), day)
    for (const day of ["2031-02-29", "2100-02-29", "2031-13-01", "2031-04-31", "2031-1-1", "2031-00-10"])
      assert.isFalse(fits(date, day), day)
  })

  it("refuses what it does not know instead of passing over it", () => {
    assert.throws(() => fits({ contain: {} }, []), "contain")
    assert.throws(() => fits({ format: "email" }, "a"), "email")
  })

  it("an answer whose members look like methods does not fit, and breaks nothing", () => {
    assert.isFalse(fits({ uniqueItems: true, items: { type: "string" } }, [{ valueOf: 1 }, { valueOf: 1 }]))
    assert.isFalse(fits({ type: "object", properties: {}, additionalProperties: false }, JSON.parse('{"__proto__":1}')))
  })

  it("keeps nothing of a schema that was checked", () => {
    const schema = { type: "string" }
    assert.isTrue(fits(schema, "a"))
    assert.isFalse(fits({ type: "number" }, "a"))
    assert.isTrue(fits(schema, "b"))
  })

  it("compares JSON by value", () => {
    assert.isTrue(jsonEqual({ a: [1, null], b: "x" }, { b: "x", a: [1, null] }))
    assert.isFalse(jsonEqual({ a: undefined }, {}))
    assert.isFalse(jsonEqual([1, 2], [2, 1]))
    assert.isFalse(jsonEqual([], {}))
    assert.isFalse(jsonEqual(1, "1"))
  })
})
