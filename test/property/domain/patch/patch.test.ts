import { assert, describe, it } from "@effect/vitest"
import { Either, FastCheck as fc } from "effect"
import fastJsonPatch from "fast-json-patch"
import { applyPatch } from "../../../../domain/patch/apply-patch.ts"
import { parsePointer } from "../../../../domain/patch/json-pointer.ts"
import { providerPatch, readPatch } from "../../../../domain/patch/patch-policy.ts"

const name = fc.oneof(
  fc.constantFrom(
    "name",
    "agent",
    "benchmarks",
    "tags",
    "resource",
    "id",
    "owner",
    "__proto__",
    "constructor",
    "prototype",
    "0",
    "1",
    "-",
    "a/b",
    "c~d",
    ""
  ),
  fc.string({ maxLength: 4 })
)
const pointer = fc.oneof(
  fc
    .array(name, { maxLength: 4 })
    .map((parts) => parts.map((part) => `/${part.replaceAll("~", "~0").replaceAll("/", "~1")}`).join("")),
  fc.string({ maxLength: 12 })
)
/** as it is read from a body: JSON has no negative zero that a copy would keep */
const json = fc.jsonValue({ maxDepth: 3 }).map((value) => JSON.parse(JSON.stringify(value)))
const operation = fc.record({
  op: fc.constantFrom("add", "remove", "replace", "move", "test"),
  path: pointer,
  value: json
})
const members = fc.dictionary(name, json, { maxKeys: 5 })
const document = fc.record({
  resource: fc.constant({ id: "r", tenant: "t" }),
  id: fc.constant("r"),
  owner: fc.constant("o"),
  name: fc.string(),
  agent: members,
  benchmarks: fc.array(members, { maxLength: 3 }),
  tags: fc.array(fc.string(), { maxLength: 3 })
})
const body = fc.oneof(fc.array(operation, { minLength: 1, maxLength: 6 }), members, json)

describe("patches", () => {
  it("never touch what the policy forbids, never a prototype, and never the input", () => {
    fc.assert(
      fc.property(document, body, (record, patch) => {
        const before = JSON.stringify(record)
        const result = Either.flatMap(readPatch(patch, providerPatch), (read) => applyPatch(record, read))
        assert.strictEqual(JSON.stringify(record), before)
        assert.isUndefined(({} as { polluted?: unknown }).polluted)
        assert.deepStrictEqual(Object.keys(Object.prototype), [])
        if (Either.isLeft(result)) {
          for (const { code } of result.left) assert.include(["invalid_patch_operation", "unallowed_patch"], code)
          return
        }
        const after = result.right as { readonly [key: string]: unknown }
        for (const member of ["resource", "id", "owner"] as const) assert.deepStrictEqual(after[member], record[member])
        assert.strictEqual(Object.getPrototypeOf(after), Object.prototype)
        for (const member of Object.keys(after))
          assert.isTrue(Object.hasOwn(record, member) || providerPatch.members.includes(member), member)
      }),
      { numRuns: 1000 }
    )
  })
  it("operations give what the library gives on copies, and change neither record nor patch", () => {
    const part = fc.constantFrom("a", "b", "0", "0", "1", "-", "-")
    const container = fc
      .constantFrom<unknown>({ a: { a: {}, b: [] } }, [{ a: 1 }, { b: [2] }], { b: [[], {}] }, [])
      .map((one) => structuredClone(one))
    const value = fc.oneof(container, container, fc.constantFrom<unknown>(1, "x", null))
    const change = fc.record({
      op: fc.constantFrom("add", "add", "add", "add", "replace", "remove"),
      path: fc.array(part, { minLength: 1, maxLength: 3 }).map((parts) => ["/parameters", ...parts].join("/")),
      value
    })
    let applied = 0
    fc.assert(
      fc.property(container, fc.array(change, { minLength: 4, maxLength: 16 }), (parameters, changes) => {
        const record = { id: "r", parameters }
        // one that leads nowhere would end all of them
        let expected: unknown = structuredClone(record)
        const operations = changes.flatMap(({ value: content, ...one }) => {
          const operation = { ...one, ...(one.op === "remove" ? {} : { value: content }) } as fastJsonPatch.Operation
          const read = readPatch([operation], providerPatch)
          const alone = Either.flatMap(read, (patch) => applyPatch(structuredClone(expected), patch))
          if (Either.isLeft(alone)) return []
          expected = fastJsonPatch.applyPatch(structuredClone(expected), [structuredClone(operation)]).newDocument
          return [operation]
        })
        if (operations.length === 0) return
        const before = JSON.stringify([record, operations])
        const patch = Either.getOrThrow(readPatch(operations, providerPatch))
        assert.deepStrictEqual(Either.getOrThrow(applyPatch(record, patch)), expected)
        assert.strictEqual(JSON.stringify([record, operations]), before)
        // a write that met another one applies its patch again
        assert.deepStrictEqual(Either.getOrThrow(applyPatch(record, patch)), expected)
        applied += operations.length > 3 ? 1 : 0
      }),
      { numRuns: 2000 }
    )
    assert.isAbove(applied, 300)
  })
  it("a merge patch applied twice changes nothing more", () => {
    fc.assert(
      fc.property(document, members, (record, patch) => {
        const read = readPatch(patch, providerPatch)
        if (Either.isLeft(read)) return
        const once = Either.getOrThrow(applyPatch(record, read.right))
        assert.deepStrictEqual(Either.getOrThrow(applyPatch(once, read.right)), once)
      })
    )
  })
  it("what was added can be removed again", () => {
    fc.assert(
      fc.property(document, fc.string(), json, (record, key, value) => {
        fc.pre(!Object.hasOwn(record.agent, key))
        const path = `/agent/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`
        const both = readPatch(
          [
            { op: "add", path, value },
            { op: "remove", path }
          ],
          providerPatch
        )
        if (Either.isLeft(both)) return
        assert.deepStrictEqual(Either.getOrThrow(applyPatch(record, both.right)), record)
      })
    )
  })
  it("pointers come back as their segments", () => {
    fc.assert(
      fc.property(fc.array(fc.string(), { minLength: 1 }), (parts) => {
        const text = parts.map((part) => `/${part.replaceAll("~", "~0").replaceAll("/", "~1")}`).join("")
        assert.deepStrictEqual(parsePointer(text), Either.right(parts))
      })
    )
  })
})
