import { assert, describe, it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import { doubted, gapPause, settle, type Tail } from "../../../../../infrastructure/sql/changes/log-gaps.ts"

const row = (sequence: number) => ({ sequence: String(sequence), tenant: "t", job_id: "j", kind: "updated" as const })
const rowsOf = (...sequences: ReadonlyArray<number>) => sequences.map(row)
const numbers = (changes: ReadonlyArray<{ readonly sequence: number }>) => changes.map((change) => change.sequence)

/** one look as the tail does it: the rows, then, at a gap, who writes */
const look = (
  tail: Tail,
  sequences: ReadonlyArray<number>,
  writers: ReadonlyArray<string> = [],
  now = 0
): ReadonlyArray<number> => {
  const rows = rowsOf(...sequences)
  const [changes, whole] = settle(tail, rows)
  if (!whole) tail.doubt = doubted(tail, rows, new Set(writers), now)
  return numbers(changes)
}

describe("settle", () => {
  it("takes rows without a gap at once", () => {
    const tail: Tail = { position: 4, doubt: undefined }
    const [changes, whole] = settle(tail, rowsOf(5, 6))
    assert.deepEqual([numbers(changes), whole, tail.position], [[5, 6], true, 6])
  })

  it("stops at a gap while a writer that may fill it is there, and goes on when it has filled it", () => {
    const tail: Tail = { position: 4, doubt: undefined }
    assert.deepEqual(look(tail, [5, 7], ["a", "b"]), [5])
    assert.deepEqual(look(tail, [7], ["b", "c"]), [])
    assert.deepEqual(look(tail, [6, 7]), [6, 7])
  })

  it("passes a gap that nobody can fill any more, whoever writes by now", () => {
    const tail: Tail = { position: 4, doubt: undefined }
    assert.deepEqual(look(tail, [7], ["a"]), [])
    assert.deepEqual(look(tail, [7], ["b"]), [])
    assert.deepEqual(look(tail, [7, 8]), [7, 8])
  })

  it("does not wait at all where nobody writes", () => {
    const tail: Tail = { position: 4, doubt: undefined }
    assert.deepEqual(look(tail, [7]), [])
    assert.deepEqual(look(tail, [7]), [7])
  })

  it("believes that a writer is gone only of rows read afterwards", () => {
    const tail: Tail = { position: 4, doubt: undefined }
    assert.deepEqual(look(tail, [7], ["a"]), [])
    // the writer filled the gap after these rows were read and before it was looked for
    assert.deepEqual(look(tail, [7], []), [])
    assert.deepEqual(look(tail, [6, 7]), [6, 7])
  })

  it("doubts a later gap anew", () => {
    const tail: Tail = { position: 4, doubt: undefined }
    look(tail, [6], [], 100)
    assert.deepEqual(look(tail, [6, 9], ["a"], 200), [6])
    assert.deepEqual(tail.doubt, { upTo: 9, writers: new Set(["a"]), since: 200 })
    assert.deepEqual(look(tail, [9], ["a"], 300), [])
    assert.strictEqual(tail.doubt?.since, 200)
    look(tail, [9], [], 400)
    assert.deepEqual(look(tail, [9]), [9])
  })

  it("whatever the order of commits, every committed change is passed on once and in order", () => {
    // transactions take numbers in the order they begin, end in any order, and some roll back; writers are looked at a step after rows
    const transaction = fc.record({ lifetime: fc.nat({ max: 6 }), commits: fc.boolean() })
    fc.assert(
      fc.property(fc.array(transaction, { minLength: 1, maxLength: 40 }), (transactions) => {
        const tail: Tail = { position: 0, doubt: undefined }
        const heard: Array<number> = []
        const last = transactions.length + 30
        for (let now = 1; now <= last; now++) {
          const all = transactions.map((one, index) => ({
            ...one,
            sequence: index + 1,
            ends: index + 1 + one.lifetime
          }))
          const sequences = all
            .filter(({ commits, ends, sequence }) => commits && ends < now && sequence > tail.position)
            .map(({ sequence }) => sequence)
          const writers = all
            .filter(({ sequence, ends }) => sequence <= now + 1 && ends >= now + 1)
            .map(({ sequence }) => String(sequence))
          heard.push(...look(tail, sequences, writers, now))
        }
        assert.deepEqual(
          heard,
          transactions.flatMap(({ commits }, index) => (commits ? [index + 1] : []))
        )
      })
    )
  })
})

describe("gapPause", () => {
  it("grows, so that a gap that stays is not looked at at a run", () => {
    assert.deepEqual([0, 1, 2, 3, 4, 5, 6, 1000].map(gapPause), [5, 10, 20, 40, 80, 160, 160, 160])
  })
})
