/** Pages on their way out: a large one is never a single text beside its records. */
import { assert, describe, it } from "@effect/vitest"
import { Chunk, Effect, Stream } from "effect"
import type { Answer, Exchange } from "../../../../interfaces/http/exchange.ts"
import { pageAnswer } from "../../../../interfaces/http/handlers/page-answer.ts"

const exchange = { path: "/jobs", search: "", headers: {} } as Exchange
const items = (count: number, size: number) =>
  Array.from({ length: count }, (_, number) => JSON.stringify({ number, text: "ä".repeat(size) }))

const answer = (page: ReadonlyArray<string>, headers: Exchange["headers"] = {}) =>
  pageAnswer(
    { ...exchange, headers },
    { limit: 50, offset: 0 },
    { items: page, total: 99, errors: ["x: damaged"], taken: page.length + 1 }
  )

const chunksOf = ({ body }: Answer): Effect.Effect<ReadonlyArray<Uint8Array>, unknown> => {
  if (typeof body === "string" || body === undefined || body instanceof Uint8Array)
    return Effect.dieMessage("not a stream")
  return Effect.map(Stream.runCollect(body), (chunks) => Chunk.toReadonlyArray(chunks))
}

describe("a page", () => {
  it("that is small is one text", () => {
    const { body } = answer(items(3, 10))
    assert.isString(body)
    assert.strictEqual((JSON.parse(String(body)) as { items: Array<unknown> }).items.length, 3)
  })

  it.effect("that is large goes out in pieces, with the bytes, the tag and the links it would have as one text", () =>
    Effect.gen(function* () {
      const large = items(40, 20_000)
      const made = answer(large)
      const chunks = yield* chunksOf(made)
      assert.isAbove(chunks.length, 5)
      for (const chunk of chunks) assert.isBelow(chunk.byteLength, 300_000)
      const text = Buffer.concat(chunks).toString("utf8")
      const record = JSON.parse(text) as { items: Array<unknown>; next: { href: string }; errors: Array<string> }
      assert.deepStrictEqual(
        record.items,
        large.map((item) => JSON.parse(item) as unknown)
      )
      assert.deepStrictEqual([record.next.href, record.errors], ["/jobs?limit=50&offset=41", ["x: damaged"]])
      assert.deepStrictEqual(yield* chunksOf(made), chunks)
      const etag = made.headers?.["etag"] ?? ""
      assert.deepStrictEqual(
        [answer(large, { "if-none-match": etag }).status, answer(items(40, 20_001), { "if-none-match": etag }).status],
        [304, 200]
      )
    })
  )

  it.effect("is made piece by piece, no faster than it is taken", () =>
    Effect.gen(function* () {
      const { body } = answer(items(60, 50_000))
      assert.isFalse(typeof body === "string" || body === undefined || body instanceof Uint8Array)
      const stream = body as Stream.Stream<Uint8Array>
      const taken = yield* Stream.runCollect(Stream.take(stream, 2))
      // each piece holds a record: two pieces are two records, not the page
      assert.isBelow(
        Chunk.toReadonlyArray(taken).reduce((sum, chunk) => sum + chunk.byteLength, 0),
        450_000
      )
    })
  )
})
