import { assert, describe, it } from "@effect/vitest"
import { Ajv2020 } from "ajv/dist/2020.js"
import { type JsonSchema, jsonEqual, validate } from "../../../../../providers/evald/structure/schema-validator.ts"

const person: JsonSchema = {
  type: "object",
  properties: { name: { type: "string", minLength: 1, maxLength: 3 }, age: { type: "integer", minimum: 0, exclusiveMaximum: 150 } },
  required: ["name"],
  additionalProperties: false
}

const cases: ReadonlyArray<readonly [schema: JsonSchema, value: unknown, paths: ReadonlyArray<string>]> = [
  [person, { name: "Ann", age: 3 }, []],
  [person, { name: "Ann", age: 3.0 }, []],
  [person, { name: "Ann", age: 3.5 }, ["/age"]],
  [person, { name: "Ann", age: 150 }, ["/age"]],
  [person, { name: "Ann", age: -1 }, ["/age"]],
  [person, { name: "", age: "3" }, ["/name", "/age"]],
  [person, { name: "🙂🙂🙂" }, []],
  [person, { name: "Anna" }, ["/name"]],
  [person, { age: 3 }, [""]],
  [person, { name: "A", "x/y~": 1 }, ["/x~1y~0"]],
  [person, ["name"], [""]],
  [person, null, [""]],
  [{ type: ["string", "null"] }, null, []],
  [{ type: ["string", "null"] }, 0, [""]],
  [{ type: "number" }, Number.MAX_VALUE, []],
  [{ enum: ["a", 1, { b: [2] }] }, { b: [2] }, []],
  [{ enum: ["a", 1] }, "1", [""]],
  [{ const: { a: 1, b: 2 } }, { b: 2, a: 1 }, []],
  [{ const: 2 }, 3, [""]],
  [{ multipleOf: 0.1 }, 0.3, []],
  [{ multipleOf: 4 }, 6, [""]],
  [{ exclusiveMinimum: 0 }, 0, [""]],
  [{ maximum: 5 }, 6, [""]],
  [{ pattern: "^[A-Z]{2}-[0-9]{4}$" }, "AB-1234", []],
  [{ pattern: "^[A-Z]{2}-[0-9]{4}$" }, "AB-123", [""]],
  [{ pattern: "b" }, 5, []],
  [{ type: "array", items: { type: "integer" }, minItems: 1, maxItems: 2, uniqueItems: true }, [1, 2], []],
  [{ type: "array", items: { type: "integer" } }, [1, "2", 3.5], ["/1", "/2"]],
  [{ type: "array", minItems: 1 }, [], [""]],
  [{ type: "array", maxItems: 1 }, [1, 2], [""]],
  [{ uniqueItems: true }, [{ a: 1 }, { a: 1 }], [""]],
  [{ minProperties: 1, maxProperties: 2 }, {}, [""]],
  [{ maxProperties: 1 }, { a: 1, b: 2 }, [""]],
  [{ properties: { a: {} }, additionalProperties: { type: "string" } }, { a: 1, b: 2 }, ["/b"]],
  [{ properties: {}, additionalProperties: false }, { toString: 1 }, ["/toString"]],
  [{ required: ["toString"] }, {}, [""]],
  [{ anyOf: [{ type: "string" }, { minimum: 5 }] }, 4, [""]],
  [{ anyOf: [{ type: "string" }, { minimum: 5 }] }, 5, []],
  [{ oneOf: [{ minimum: 1 }, { minimum: 2 }] }, 3, [""]],
  [{ oneOf: [{ minimum: 1 }, { minimum: 2 }] }, 1, []],
  [{ allOf: [{ minimum: 1 }, { maximum: 2 }] }, 3, [""]],
  [{ not: { type: "string" } }, "x", [""]],
  [{ properties: { a: { properties: { b: { type: "string" } } } } }, { a: { b: 1 } }, ["/a/b"]]
]

describe("schema validator", () => {
  it.each(cases)("%j on %j: problems at %j", (schema, value, paths) => {
    assert.deepStrictEqual(
      validate(schema, value).map(({ path }) => path),
      paths
    )
  })

  it("agrees with an independent validator on every case", () => {
    const ajv = new Ajv2020({ strict: false, multipleOfPrecision: 9, ownProperties: true })
    for (const [schema, value] of cases) assert.strictEqual(validate(schema, value).length === 0, ajv.validate(schema, value), JSON.stringify([schema, value]))
  })

  it("knows the calendar", () => {
    const date: JsonSchema = { format: "date" }
    for (const day of ["2032-02-29", "2031-12-31", "2000-02-29"]) assert.deepStrictEqual(validate(date, day), [], day)
    for (const day of ["2031-02-29", "2100-02-29", "2031-13-01", "2031-04-31", "2031-1-1", "2031-00-10"]) assert.lengthOf(validate(date, day), 1, day)
  })

  it("refuses what it does not know instead of passing over it", () => {
    assert.deepStrictEqual(validate({ contains: {} }, []), [{ path: "", message: "keyword contains is not supported" }])
    assert.deepStrictEqual(validate({ format: "email" }, "a"), [{ path: "", message: "format email is not supported" }])
    assert.lengthOf(validate({ constructor: 1 }, "a"), 1)
  })

  it("compares JSON by value", () => {
    assert.isTrue(jsonEqual({ a: [1, null], b: "x" }, { b: "x", a: [1, null] }))
    assert.isFalse(jsonEqual({ a: undefined }, {}))
    assert.isFalse(jsonEqual([1, 2], [2, 1]))
    assert.isFalse(jsonEqual([], {}))
    assert.isFalse(jsonEqual(1, "1"))
  })
})
