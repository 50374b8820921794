import { gunzipSync } from "node:zlib"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Either, Stream } from "effect"
import type { Answer } from "../../../../interfaces/http/exchange.ts"
import { choose, encode } from "../../../../interfaces/http/middleware/compression.ts"
import { isCurrent, permitted } from "../../../../interfaces/http/middleware/conditional.ts"

const text = "a text that is said again and again. ".repeat(1000)
const answerOf = (body: NonNullable<Answer["body"]>, status = 200): Answer => ({
  status,
  headers: { "content-type": "application/json", etag: '"v"' },
  body
})
const sent = (answer: Answer, accepted?: string, more: { readonly [name: string]: string } = {}) => {
  const encoded = encode(accepted === undefined ? more : { ...more, "accept-encoding": accepted }, answer)
  return Effect.isEffect(encoded) ? Effect.runPromise(encoded) : Promise.resolve(encoded)
}

describe("the coding of an answer", () => {
  it("follows the quality values", () => {
    const cases: ReadonlyArray<readonly [string, string | undefined]> = [
      ["gzip", "gzip"],
      ["gzip, deflate, br", "br"],
      ["br;q=0.5, gzip;q=0.8", "gzip"],
      ["*", "br"],
      ["*;q=0.1, br;q=0", "gzip"],
      ["gzip;q=0", undefined],
      ["identity", undefined],
      ["identity;q=1, gzip;q=0.5", undefined],
      ["identity;q=0.5, GZIP ; Q=0.5", "gzip"],
      ["deflate, zstd", undefined],
      ["x-gzip", "gzip"],
      ["", undefined]
    ]
    for (const [header, wanted] of cases) assert.strictEqual(choose(header), wanted, header)
  })
})

describe("a compressed answer", () => {
  it("has a coding, a tag of its own and varies", async () => {
    const { headers, body } = await sent(answerOf(text), "gzip")
    assert.deepInclude(headers, { "content-encoding": "gzip", etag: '"v-gzip"', vary: "accept-encoding" })
    assert.strictEqual(gunzipSync(body as Buffer).toString(), text)
  })

  it("is not made of what is small, streams, fails or is not asked for; what could have been one varies all the same", async () => {
    const stream = answerOf(Stream.make(Buffer.from(text)))
    for (const plain of [answerOf("small"), stream, answerOf(text, 400)])
      assert.strictEqual(await sent(plain, "gzip"), plain)
    const { headers, body } = await sent(answerOf(text))
    assert.deepStrictEqual(
      [headers?.["vary"], headers?.["content-encoding"], headers?.["etag"], body],
      ["accept-encoding", undefined, '"v"', text]
    )
    assert.strictEqual(
      (await sent({ ...answerOf(text), headers: { vary: "accept" } }, "br")).headers?.["vary"],
      "accept, accept-encoding"
    )
  })

  it("of kept bytes is made once", async () => {
    const bytes = Buffer.from(text)
    const [first, second] = await Promise.all([sent(answerOf(bytes), "br"), sent(answerOf(bytes), "br")])
    assert.strictEqual(first.body, second.body)
    assert.notStrictEqual((await sent(answerOf(Buffer.from(text)), "br")).body, first.body)
  })

  it("stands for the same version in conditions, and 304 names the copy that the caller has", async () => {
    for (const tag of ['"v"', '"v-br"', '"v-gzip"', 'W/"v-gzip"', '"x", "v-br"'])
      assert.isTrue(isCurrent({ "if-none-match": tag }, '"v"'), tag)
    assert.isFalse(isCurrent({ "if-none-match": '"w-br"' }, '"v"'))
    assert.isTrue(isCurrent({ "if-none-match": '"v-br"' }, '"v-br"'))
    for (const tag of ['"v"', '"v-gzip"'])
      assert.isTrue(Either.isRight(permitted({ "if-match": tag }, "id")('"v"')), tag)
    assert.isTrue(Either.isLeft(permitted({ "if-match": '"w-gzip"' }, "id")('"v"')))
    const unchanged: Answer = { status: 304, headers: { etag: '"v"' } }
    assert.deepStrictEqual((await sent(unchanged, "gzip", { "if-none-match": '"v-gzip"' })).headers, {
      etag: '"v-gzip"',
      vary: "accept-encoding"
    })
    assert.deepStrictEqual((await sent(unchanged, "gzip", { "if-none-match": '"v"' })).headers, {
      etag: '"v"',
      vary: "accept-encoding"
    })
  })
})
