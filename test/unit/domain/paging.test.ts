import { assert, describe, it } from "@effect/vitest"
import { Either, FastCheck as fc } from "effect"
import { decodeCursor, encodeCursor, itemsOfPage, maxPageBytes, pageLinks, readPage } from "../../../domain/paging.ts"
import { anyCharacter } from "../../support/run/any-character.ts"

describe("reading a page", () => {
  it("defaults to 50 from the start", () => {
    assert.deepStrictEqual(readPage({}, 2), Either.right({ limit: 50, offset: 0 }))
  })
  it.each([
    [{ limit: "0" }, "limit"],
    [{ limit: "101" }, "limit"],
    [{ limit: "-1" }, "limit"],
    [{ limit: "1.5" }, "limit"],
    [{ limit: "" }, "limit"],
    [{ limit: "0x10" }, "limit"],
    [{ limit: "1e1" }, "limit"],
    [{ offset: "-1" }, "offset"],
    [{ offset: "x" }, "offset"],
    [{ offset: "99999999999999999999" }, "offset"],
    [{ cursor: "x" }, "cursor"],
    [{ cursor: encodeCursor(["a"]) }, "cursor"],
    [{ cursor: encodeCursor(["a", "b"]), offset: "0" }, "exclude"]
  ])("%j is refused", (query, word) => {
    const read = readPage(query, 2)
    assert.isTrue(Either.isLeft(read))
    if (Either.isLeft(read)) {
      assert.strictEqual(read.left.length, 1)
      assert.strictEqual(read.left[0]?.code, "query_parameter_invalid")
      assert.include(read.left[0]?.message, word)
    }
  })
  it("tells all problems at once", () => {
    const read = readPage({ limit: "0", offset: "x" }, 2)
    assert.lengthOf(Either.isLeft(read) ? read.left : [], 2)
  })
  it("a cursor holds any texts and comes back as given", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), fc.string(), (first, second) => {
        assert.deepStrictEqual(decodeCursor(encodeCursor([first, second]), 2), Either.right([first, second]))
      })
    )
  })
  it("any other text is refused, never a throw", () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), (text) => assert.isTrue(Either.isLeft(decodeCursor(text, 2))))
    )
  })
})

describe("page links", () => {
  const base = {
    path: "/jobs",
    query: [
      ["name", "a&b ü"],
      ["limit", "2"],
      ["offset", "2"]
    ] as const,
    page: { limit: 2, offset: 2 }
  }
  it("keeps the query, escaped", () => {
    assert.deepStrictEqual(pageLinks({ ...base, returned: 2, total: 5 }), {
      first: "/jobs?name=a%26b+%C3%BC&limit=2&offset=0",
      next: "/jobs?name=a%26b+%C3%BC&limit=2&offset=4",
      prev: "/jobs?name=a%26b+%C3%BC&limit=2&offset=0"
    })
  })
  it("the last page, and a page beyond the end, have no next", () => {
    assert.isUndefined(pageLinks({ ...base, returned: 2, total: 4 }).next)
    assert.isUndefined(pageLinks({ ...base, returned: 0, total: 1 }).next)
  })
  it("a cursor query goes on with a cursor", () => {
    const links = pageLinks({
      path: "/jobs",
      query: [["cursor", "x"]],
      page: { limit: 50, offset: 0, after: ["a", "b"] },
      returned: 50,
      total: 200,
      nextCursor: "y"
    })
    assert.deepStrictEqual(links, { first: "/jobs?limit=50&offset=0", next: "/jobs?limit=50&cursor=y" })
  })
  it("following next from the start visits every item once", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 100 }), fc.integer({ min: 0, max: 450 }), (limit, total) => {
        const offsets: Array<number> = []
        for (let offset: number | undefined = 0; offset !== undefined; ) {
          offsets.push(offset)
          const next: string | undefined = pageLinks({
            path: "/j",
            query: [],
            page: { limit, offset },
            returned: Math.min(limit, total - offset),
            total
          }).next
          offset = next === undefined ? undefined : Number(new URL(next, "http://x").searchParams.get("offset"))
        }
        assert.deepStrictEqual(
          offsets,
          Array.from({ length: Math.max(1, Math.ceil(total / limit)) }, (_, index) => index * limit)
        )
      })
    )
  })
})

describe("the items of a page", () => {
  const half = maxPageBytes / 2
  const cases: ReadonlyArray<readonly [string, ReadonlyArray<number>, number]> = [
    ["none", [], 0],
    ["all that fit", [1, 2, 3], 3],
    ["exactly as much as fits", [half, half], 2],
    ["no more than fits", [half, half, 1], 2],
    ["one that is too large alone", [maxPageBytes + 1, 1], 1],
    ["nothing after one that does not fit", [1, maxPageBytes, 1], 1]
  ]
  for (const [name, sizes, wanted] of cases) it(name, () => assert.strictEqual(itemsOfPage(sizes), wanted))
})
