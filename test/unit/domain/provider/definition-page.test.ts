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
const ids = (page: { readonly items: ReadonlyArray<{ readonly id: string }> }) => page.items.map(({ id }) => id)
const all = () => true

describe("pages of definitions", () => {
  it("list built-ins first, then by name and id", () => {
    assert.deepStrictEqual(ids(definitionPage(records, all, { limit: 10, offset: 0 })), ["s1", "s2", "t1", "t2"])
  })
  it("by offset tell the total, and a cursor while there is more", () => {
    const page = definitionPage(records, all, { limit: 2, offset: 1 })
    assert.deepStrictEqual(ids(page), ["s2", "t1"])
    assert.strictEqual(page.total, 4)
    assert.isDefined(page.next)
    assert.isUndefined(definitionPage(records, all, { limit: 2, offset: 2 }).next)
    assert.deepStrictEqual(ids(definitionPage(records, all, { limit: 2, offset: 9 })), [])
  })
  it("by cursor reach every record once", () => {
    const seen: Array<string> = []
    let page = definitionPage(records, all, { limit: 1, offset: 0 })
    for (seen.push(...ids(page)); page.next !== undefined; seen.push(...ids(page)))
      page = definitionPage(records, all, {
        limit: 1,
        offset: 0,
        after: Either.getOrThrow(decodeCursor(page.next, definitionCursorKeys))
      })
    assert.deepStrictEqual(seen, ["s1", "s2", "t1", "t2"])
  })
  it("count what matches", () => {
    const page = definitionPage(records, matchesProvider({ scope: "tenant" }), { limit: 1, offset: 0 })
    assert.strictEqual(page.total, 2)
    assert.deepStrictEqual(ids(page), ["t1"])
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
