import { assert, describe, it } from "@effect/vitest"
import { Either } from "effect"
import { matchesCollection } from "../../../../domain/collection/collection-query.ts"
import { decodeCursor } from "../../../../domain/paging.ts"
import { definitionCursorKeys, definitionPage } from "../../../../domain/provider/definition-page.ts"
import { matchesProvider } from "../../../../domain/provider/provider-query.ts"
import { sampleCollection, sampleProvider } from "../../../support/sample-definitions.ts"

const records = [
  sampleProvider({ id: "t2", name: "alpha", scope: "tenant" }),
  sampleProvider({ id: "s2", name: "zeta" }),
  sampleProvider({ id: "t1", name: "alpha", scope: "tenant" }),
  sampleProvider({ id: "s1", name: "beta", tags: ["x"] })
]
const id = (record: { readonly id: string }) => record.id
const all = () => true

describe("pages of definitions", () => {
  it("list built-ins first, then by name and id", () => {
    assert.deepStrictEqual(definitionPage(records, all, { limit: 10, offset: 0 }, id).items, ["s1", "s2", "t1", "t2"])
  })
  it("by offset tell the total, and a cursor while there is more", () => {
    const page = definitionPage(records, all, { limit: 2, offset: 1 }, id)
    assert.deepStrictEqual(page.items, ["s2", "t1"])
    assert.strictEqual(page.total, 4)
    assert.isDefined(page.next)
    assert.isUndefined(definitionPage(records, all, { limit: 2, offset: 2 }, id).next)
    assert.deepStrictEqual(definitionPage(records, all, { limit: 2, offset: 9 }, id).items, [])
  })
  it("by cursor reach every record once", () => {
    const seen: Array<string> = []
    let page = definitionPage(records, all, { limit: 1, offset: 0 }, id)
    for (seen.push(...page.items); page.next !== undefined; seen.push(...page.items))
      page = definitionPage(
        records,
        all,
        {
          limit: 1,
          offset: 0,
          after: Either.getOrThrow(decodeCursor(page.next, definitionCursorKeys))
        },
        id
      )
    assert.deepStrictEqual(seen, ["s1", "s2", "t1", "t2"])
  })
  it("end early where the definitions are large: a page of a hundred of a megabyte each is no text of a hundred megabytes", () => {
    const many = Array.from({ length: 100 }, (_, at) =>
      sampleProvider({ id: `p${at}`, name: String(at).padStart(3, "0") })
    )
    const large = "x".repeat(1024 * 1024)
    const page = definitionPage(many, all, { limit: 100, offset: 0 }, () => large)
    assert.strictEqual(page.items.length, 8)
    assert.strictEqual(page.total, 100)
    const after = Either.getOrThrow(decodeCursor(page.next ?? "", definitionCursorKeys))
    assert.deepStrictEqual(definitionPage(many, all, { limit: 1, offset: 0, after }, id).items, ["p8"])
  })
  it("count what matches", () => {
    const page = definitionPage(records, matchesProvider({ scope: "tenant" }), { limit: 1, offset: 0 }, id)
    assert.strictEqual(page.total, 2)
    assert.deepStrictEqual(page.items, ["t1"])
  })
})

describe("filters of definitions", () => {
  it("providers: scope, name and tags together", () => {
    assert.isTrue(
      matchesProvider({ scope: "system", name: "ET", tags: [["x"]] })({ name: "beta", scope: "system", tags: ["x"] })
    )
    assert.isFalse(matchesProvider({ scope: "tenant" })({ name: "beta", scope: "system" }))
    assert.isFalse(matchesProvider({ tags: [["x"]] })({ name: "beta", scope: "system" }))
    assert.isFalse(matchesProvider({ name: "be_a" })({ name: "beta", scope: "system" }))
  })
  it("collections: the category exactly", () => {
    const collection = sampleCollection({ category: "general" })
    assert.isTrue(matchesCollection({ category: "general" })(collection))
    assert.isFalse(matchesCollection({ category: "gen" })(collection))
    assert.isFalse(matchesCollection({ scope: "tenant" })(collection))
    assert.isTrue(matchesCollection({})(collection))
  })
})
