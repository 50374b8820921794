import { assert, describe, it } from "@effect/vitest"
import { makeRandomNames } from "../../../../infrastructure/in-process/random-names.ts"

describe("random names", () => {
  it("are 128 random bits each, none of which serves twice, and are forgotten once they are given", () => {
    let filled = 0
    let stock: Buffer | undefined
    const names = makeRandomNames((count) => {
      const bytes = Buffer.alloc(count)
      stock = bytes
      for (let at = 0; at < bytes.length; at += 16) {
        filled += 1
        bytes.writeUInt32BE(filled, at + 12)
      }
      return bytes
    })
    const given = Array.from({ length: 1_000 }, names)
    assert.deepStrictEqual(
      given.map((name) => Buffer.from(name, "base64url").readUInt32BE(12)),
      Array.from({ length: 1_000 }, (_, at) => at + 1)
    )
    assert.isTrue(given.every((name) => /^[A-Za-z0-9_-]{22}$/.test(name)))
    const used = (1_000 % ((stock?.length ?? 0) / 16)) * 16
    assert.isTrue(stock?.subarray(0, used).every((byte) => byte === 0))
  })

  it("come from the system's randomness", () => {
    const names = makeRandomNames()
    assert.strictEqual(new Set(Array.from({ length: 1_000 }, names)).size, 1_000)
  })
})
