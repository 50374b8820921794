import { availableParallelism } from "node:os"
import { assert, describe, it } from "@effect/vitest"
import { processorsOfQuota, usableProcessors } from "../../../../../../interfaces/main/compose/machine/processors.ts"

describe("processors", () => {
  // as the kernel's documentation of cpu.max and Kubernetes' limits of 2, 500m and none write it
  for (const [text, expected] of [
    ["200000 100000\n", 2],
    ["50000 100000\n", 0.5],
    ["max 100000\n", undefined],
    ["150000 50000", 3],
    ["", undefined],
    ["100000", undefined],
    ["0 100000", undefined],
    ["many 100000", undefined]
  ] as const)
    it(`a quota ${JSON.stringify(text)} is ${expected ?? "none"}`, () => {
      assert.strictEqual(processorsOfQuota(text), expected)
    })

  it("there are some, and no more than the machine has", () => {
    const usable = usableProcessors()
    assert.isAbove(usable, 0)
    assert.isAtMost(usable, availableParallelism())
  })
})
