import { getHeapSpaceStatistics } from "node:v8"
import { assert, describe, it } from "@effect/vitest"
import { boundNewSpace } from "../../../../interfaces/sidecar/new-space.ts"

const megabyte = 1024 * 1024

describe("the room of a sidecar for new objects", () => {
  it("is looked at every 64 exchanges until it is enough, kept then, and looked at no more", () => {
    const sizes = [1, 8, 16, 32].map((size) => size * megabyte)
    const seen: Array<number> = []
    let kept = 0
    const exchange = boundNewSpace({
      size: () => {
        const size = sizes[seen.length] ?? 0
        seen.push(size)
        return size
      },
      keep: () => {
        kept += 1
      }
    })
    const looks = (exchanges: number) => {
      for (let n = 0; n < exchanges; n++) exchange()
      return [seen.length, kept]
    }
    assert.deepStrictEqual(
      [looks(63), looks(1), looks(64), looks(63), looks(1), looks(1000)],
      [
        [0, 0],
        [1, 0],
        [2, 0],
        [2, 0],
        [3, 1],
        [3, 1]
      ]
    )
  })
  it("is what this node calls new_space", () =>
    assert.isAbove(getHeapSpaceStatistics().find((one) => one.space_name === "new_space")?.space_size ?? 0, 0))
})
