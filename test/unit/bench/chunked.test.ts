import { assert, describe, it } from "vitest"
import { chunkedBody } from "../../bench/chunked.ts"

/** as in RFC 9112, section 7.1, with an extension of a chunk, which means nothing to us */
const sent = Buffer.from('4\r\nwiki\r\n5;name="x"\r\npedia\r\nE\r\n in \r\n\r\nchunks\r\n0\r\n\r\n')

const bodyOf = (pieces: ReadonlyArray<Buffer>) => {
  const body = chunkedBody()
  const ends = pieces.map(body.take)
  return { text: Buffer.concat(body.parts).toString(), ends }
}

describe("a body in chunks", () => {
  it("is whole wherever the network cuts it (the bench ended at the first page that was sent in chunks)", () => {
    for (let size = 1; size <= sent.length; size += 1) {
      const pieces = Array.from({ length: Math.ceil(sent.length / size) }, (_, at) =>
        sent.subarray(at * size, (at + 1) * size)
      )
      const { text, ends } = bodyOf(pieces)
      assert.strictEqual(text, "wikipedia in \r\n\r\nchunks")
      assert.deepStrictEqual(ends.indexOf(true), ends.length - 1)
    }
  })
})
