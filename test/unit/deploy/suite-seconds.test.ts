import { assert, describe, it } from "@effect/vitest"
import { type FileTimes, secondsOfSuites } from "../../support/run/suite-seconds.ts"

const file = (suite: string, from: number, to: number, shared: boolean): FileTimes => ({
  suite,
  shared,
  from: from * 1000,
  to: to * 1000
})

describe("seconds of suites", () => {
  it("a suite that has the workers for itself takes from its first file to its last, whatever the workers wait for", () => {
    const files = [file("trust", 1, 3, false), file("trust", 2, 4, false), file("trust", 6, 9, false)]
    assert.deepStrictEqual([...secondsOfSuites(files, 3)], [["trust", 8]])
  })

  it("of suites that share the workers each takes the seconds of its own files, spread over the workers", () => {
    const files = [
      file("unit", 0, 3, true),
      file("e2e", 0, 12, true),
      file("unit", 3, 6, true),
      file("e2e", 12, 21, true),
      file("unit", 90, 93, true)
    ]
    assert.deepStrictEqual(
      [...secondsOfSuites(files, 2)],
      [
        ["unit", 4.5],
        ["e2e", 12]
      ]
    )
  })

  it("a shared suite never takes less than its longest file", () => {
    const files = [file("e2e", 0, 40, true), file("e2e", 0, 2, true)]
    assert.deepStrictEqual([...secondsOfSuites(files, 3)], [["e2e", 40]])
  })
})
