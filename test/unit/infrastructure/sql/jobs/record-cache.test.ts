import { assert, describe, it } from "@effect/vitest"
import * as RecordCache from "../../../../../infrastructure/sql/jobs/record-cache.ts"

const record = (text: string) => ({ json: text, etag: `"${text.length}"` })

describe("records rendered before", () => {
  it("are given at the version they were rendered from and at no other", () => {
    const cache = RecordCache.make()
    cache.keep("a", 3, record("third"))
    assert.strictEqual(cache.at("a", 3)?.json, "third")
    assert.strictEqual(cache.at("a", 4), undefined)
    cache.keep("a", 4, record("fourth"))
    assert.strictEqual(cache.at("a", 3), undefined)
    assert.strictEqual(cache.at("a", 4)?.json, "fourth")
  })

  it("are forgotten when told", () => {
    const cache = RecordCache.make()
    cache.keep("a", 1, record("one"))
    cache.forget("a")
    assert.isFalse(cache.has("a"))
    assert.strictEqual(cache.at("a", 1), undefined)
  })

  it("are bounded in size: the least recently read goes first, and a large one pushes out none", () => {
    const cache = RecordCache.make()
    const megabyte = "x".repeat(1_000_000)
    for (let n = 0; n < 8; n++) cache.keep(`job ${n}`, 1, record(megabyte))
    assert.isDefined(cache.at("job 0", 1))
    cache.keep("job 8", 1, record(megabyte))
    assert.isTrue(cache.has("job 0"))
    assert.isFalse(cache.has("job 1"))
    cache.keep("large", 1, record(megabyte.repeat(2)))
    assert.isFalse(cache.has("large"))
    assert.isTrue(cache.has("job 8"))
  })
})
