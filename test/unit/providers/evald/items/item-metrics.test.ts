import { assert, describe, it } from "vitest"
import { EXACT_READINGS } from "../../../../../providers/evald/exact-answer.ts"
import { readingsNote } from "../../../../../providers/evald/items/item-metrics.ts"

const note = (flexible: number, strict: number) =>
  readingsNote({ readings: EXACT_READINGS }, [
    { name: "exact_match_flexible", value: flexible },
    { name: "exact_match", value: strict }
  ])

describe("the note on two readings of the same answers", () => {
  it("comes when they differ by more than 0.05, whichever is higher, with both of them", () => {
    assert.deepStrictEqual(note(0.9, 0.86), [])
    assert.deepStrictEqual(note(0.5, 0.45), [])
    assert.match(note(0.9, 0.84).join(), /exact_match_flexible 0\.900 .* exact_match 0\.840/)
    assert.lengthOf(note(0.84, 0.9), 1)
  })
  it("does not come for a benchmark with one reading, or without a value of both", () => {
    assert.deepStrictEqual(readingsNote({}, [{ name: "exact_match", value: 0 }]), [])
    assert.deepStrictEqual(readingsNote({ readings: EXACT_READINGS }, [{ name: "exact_match_flexible", value: 1 }]), [])
  })
})
