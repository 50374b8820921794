/** Merkle trees against the vectors of the reference implementation of RFC 6962, and against every tree of up to 40 leaves. */
import { createHash } from "node:crypto"
import { assert, describe, it } from "vitest"
import {
  growTree,
  hashBytes,
  leafHash,
  type MerkleTree,
  pathOf,
  rootFrom,
  rootOf
} from "../../../../values/signing/merkle.ts"

/** leaves of the reference implementation; they differ in length, so that its trees are grown from their hashes */
const inputs = ["", "00", "10", "2021", "3031", "40414243", "5051525354555657", "606162636465666768696a6b6c6d6e6f"]
const roots = [
  "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
  "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
  "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
  "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
  "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
  "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
  "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
  "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
  "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328"
]
/** leaf, tree size, audit path */
const paths = [
  [
    0,
    8,
    [
      "96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7",
      "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
      "6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4"
    ]
  ],
  [
    5,
    8,
    [
      "bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b",
      "ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0",
      "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7"
    ]
  ],
  [2, 3, ["fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125"]]
] as const

const nodeOf = (left: Buffer, right: Buffer) =>
  createHash("sha256").update(Buffer.of(1)).update(left).update(right).digest()

const whole = (growing: Generator<void, MerkleTree>): MerkleTree => {
  for (;;) {
    const { done, value } = growing.next()
    if (done === true) return value
  }
}

const bytes = (hex: string) => Buffer.from(hex, "hex")
const numbered = (count: number) =>
  whole(growTree(Buffer.concat(Array.from({ length: count }, (_, leaf) => leafOf(leaf))), hashBytes))
const leafOf = (leaf: number) => {
  const data = Buffer.alloc(hashBytes)
  data.writeUInt32BE(leaf)
  return data
}

describe("the vectors of RFC 6962's reference implementation", () => {
  it("leaves, and the root of nothing and of one leaf", () => {
    assert.strictEqual(leafHash(Buffer.of()).toString("hex"), roots[1])
    assert.strictEqual(rootOf(whole(growTree(Buffer.of(), 1))).toString("hex"), roots[0])
    assert.strictEqual(rootOf(whole(growTree(bytes("00"), 1))).toString("hex"), leafHash(bytes("00")).toString("hex"))
  })

  it("each audit path leads from its leaf to the published root", () => {
    for (const [index, size, path] of paths)
      assert.strictEqual(
        rootFrom(bytes(inputs[index] ?? ""), { index, size, path: bytes(path.join("")) })?.toString("hex"),
        roots[size],
        `leaf ${index} of ${size}`
      )
    // leaf by leaf, each published root follows from the one before where the new leaf is the last of an odd tree
    for (const size of [3, 5])
      assert.strictEqual(
        rootFrom(bytes(inputs[size - 1] ?? ""), {
          index: size - 1,
          size,
          path: bytes(roots[size - 1] ?? "")
        })?.toString("hex"),
        roots[size]
      )
  })
})

describe("trees of every size up to 40", () => {
  it("every leaf is led to the root by its own path, and by no other place or size", () => {
    for (let size = 1; size <= 40; size++) {
      const tree = numbered(size)
      const root = rootOf(tree).toString("hex")
      for (let index = 0; index < size; index++) {
        const path = pathOf(tree, index)
        const leads = (given: Partial<{ index: number; size: number; path: Buffer }>, leaf = index) =>
          rootFrom(leafOf(leaf), { index, size, path, ...given })?.toString("hex") === root
        assert.isTrue(leads({}), `${index} of ${size}`)
        assert.isAtMost(path.length, Math.ceil(Math.log2(size)) * hashBytes)
        for (let other = 0; other < size; other++)
          if (other !== index) {
            assert.isFalse(leads({ index: other }), `${index} as ${other} of ${size}`)
            assert.isFalse(leads({}, other), `${other} in the place of ${index} of ${size}`)
          }
        assert.isFalse(leads({ path: Buffer.concat([path, leafOf(1)]) }))
        assert.isFalse(leads({ path: Buffer.concat([path, Buffer.of(1)]) }))
        if (path.length > 0) assert.isFalse(leads({ path: path.subarray(hashBytes) }))
      }
      for (const index of [-1, size, 0.5, Number.NaN])
        assert.isUndefined(rootFrom(leafOf(0), { index, size, path: Buffer.of() }))
    }
  })

  it("grown from data it is the tree whose definition splits at the largest power of two", () => {
    const defined = (first: number, count: number): Buffer => {
      if (count === 1) return leafHash(leafOf(first))
      const left = 2 ** Math.ceil(Math.log2(count) - 1)
      return nodeOf(defined(first, left), defined(first + left, count - left))
    }
    for (let size = 1; size <= 40; size++)
      assert.strictEqual(rootOf(numbered(size)).toString("hex"), defined(0, size).toString("hex"), String(size))
  })

  it("a large tree lets others in while it grows", () => {
    const growing = growTree(Buffer.alloc(10_000 * hashBytes), hashBytes)
    let pauses = 0
    while (growing.next().done !== true) pauses++
    assert.isAtLeast(pauses, 15)
  })
})
