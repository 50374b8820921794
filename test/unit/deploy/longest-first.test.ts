import { existsSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { longFiles } from "../../support/run/longest-first.ts"

describe("the order of test files", () => {
  it("names files that are there, and seconds", () => {
    assert.deepStrictEqual(
      Object.keys(longFiles).filter((file) => !existsSync(file)),
      []
    )
    for (const seconds of Object.values(longFiles)) assert.isAbove(seconds, 0)
  })
})
