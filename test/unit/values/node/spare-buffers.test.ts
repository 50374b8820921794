import { assert, describe, it } from "@effect/vitest"
import { makeSpareBuffers } from "../../../../values/node/spare-buffers.ts"

describe("spare buffers", () => {
  it("what was given back is taken again, and no two have the same one", () => {
    const { take, giveBack } = makeSpareBuffers(2, 100)
    const [first, second] = [take(), take()]
    assert.notStrictEqual(first, second)
    assert.strictEqual(first?.length, 100)
    assert.isUndefined(take())
    giveBack(second)
    assert.strictEqual(take(), second)
    assert.isUndefined(take())
  })

  it("one that was given back twice is not had by two", () => {
    const { take, giveBack } = makeSpareBuffers(2, 100)
    const first = take()
    giveBack(first)
    giveBack(first)
    assert.strictEqual(take(), first)
    assert.notStrictEqual(take(), first)
  })

  it("one of somebody's own stays out", () => {
    const { take, giveBack } = makeSpareBuffers(1, 100)
    const first = take()
    giveBack(Buffer.alloc(100))
    giveBack(undefined)
    assert.isUndefined(take())
    giveBack(first)
    assert.strictEqual(take(), first)
  })
})
