import { assert, describe, it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import { settle } from "../../../../infrastructure/sql/log-tail.ts"

const row = (sequence: number, ended: number, begun: number) => ({
  sequence: String(sequence),
  tenant: "t",
  job_id: "j",
  kind: "updated" as const,
  ended: String(ended),
  begun: String(begun)
})
const numbers = (changes: ReadonlyArray<{ readonly sequence: number }>) => changes.map((change) => change.sequence)

describe("settle", () => {
  it("takes rows without a gap at once", () => {
    const tail = { position: 4, doubt: undefined }
    const [changes, whole] = settle(tail, [row(5, 10, 12), row(6, 10, 12)])
    assert.deepEqual([numbers(changes), whole, tail.position], [[5, 6], true, 6])
  })

  it("stops at a gap while a transaction that may fill it is open, and goes on when it has filled it", () => {
    const tail = { position: 4, doubt: undefined }
    const [first, whole] = settle(tail, [row(5, 10, 12), row(7, 10, 12)])
    assert.deepEqual([numbers(first), whole], [[5], false])
    assert.deepEqual(numbers(settle(tail, [row(7, 11, 14)])[0]), [])
    assert.deepEqual(numbers(settle(tail, [row(6, 13, 14), row(7, 13, 14)])[0]), [6, 7])
  })

  it("passes a gap that nobody can fill any more", () => {
    const tail = { position: 4, doubt: undefined }
    settle(tail, [row(7, 10, 12)])
    assert.deepEqual(numbers(settle(tail, [row(7, 12, 14), row(8, 12, 14)])[0]), [7, 8])
  })

  it("doubts a later gap anew", () => {
    const tail = { position: 4, doubt: undefined }
    settle(tail, [row(6, 10, 12)])
    const [changes, whole] = settle(tail, [row(6, 12, 20), row(9, 12, 20)])
    assert.deepEqual([numbers(changes), whole], [[6], false])
    assert.deepEqual(numbers(settle(tail, [row(9, 19, 21)])[0]), [])
    assert.deepEqual(numbers(settle(tail, [row(9, 20, 21)])[0]), [9])
  })

  it("whatever the order of commits, every committed change is passed on once and in order", () => {
    // transactions take numbers in the order they begin, end in any order, and some roll back
    const transaction = fc.record({ lifetime: fc.nat({ max: 6 }), commits: fc.boolean() })
    fc.assert(
      fc.property(fc.array(transaction, { minLength: 1, maxLength: 40 }), (transactions) => {
        const tail = { position: 0, doubt: undefined }
        const heard: Array<number> = []
        const last = transactions.length + 10
        for (let now = 1; now <= last; now++) {
          const began = transactions.slice(0, now)
          const open = began.findIndex(({ lifetime }, index) => index + 1 + lifetime >= now)
          const begun = began.length + 1
          const ended = open === -1 ? begun : open + 1
          const rows = began
            .map((one, index) => ({ ...one, sequence: index + 1 }))
            .filter(({ commits, lifetime, sequence }) => commits && sequence + lifetime < now && sequence > tail.position)
            .map(({ sequence }) => row(sequence, ended, begun))
          heard.push(...numbers(settle(tail, rows)[0]))
        }
        assert.deepEqual(
          heard,
          transactions.flatMap(({ commits }, index) => (commits ? [index + 1] : []))
        )
      })
    )
  })
})
