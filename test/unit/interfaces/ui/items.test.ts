import { assert, describe, it } from "vitest"
import type { RecordedSample } from "../../../../interfaces/ui/data/sample-pages.ts"
import { type Compared, hasPairs } from "../../../../interfaces/ui/screens/compare/differences.ts"
import { differenceOf, mostCharacters, type Piece } from "../../../../interfaces/ui/screens/compare/items/difference.ts"
import { makePairing, scoresSaid } from "../../../../interfaces/ui/screens/compare/items/pairs.ts"
import { addressOf, selectionOf } from "../../../../interfaces/ui/screens/compare/selection.ts"

const sample = (id: string, more: Partial<RecordedSample["record"]> = {}): RecordedSample => {
  const key = { sample_id: id, task: "t", index: 0, repeat: 0, verdict: "correct" as const, ...more }
  const { verdict, score, repeat } = { score: undefined, ...key }
  const item = { benchmark_index: 0, sha256: "0".repeat(64), sample_id: id, task: "t", index: 0, repeat, verdict }
  return { ...item, ...(score === undefined ? {} : { score }), record: { v: 1, ...key } }
}

/** ids of those that differ, in their order */
const differing = (
  before: ReadonlyArray<RecordedSample>,
  after: ReadonlyArray<RecordedSample>,
  lowerIsBetter = false
): ReadonlyArray<string> => {
  const pairing = makePairing(lowerIsBetter)
  pairing.take(0, before)
  pairing.take(1, after)
  return pairing.differing().map(({ id }) => id)
}

describe("items that two jobs have", () => {
  it("differ by their texts, by the digests of texts that are not kept, else by what was read and how it was judged", () => {
    const before = [
      sample("text", { response: "a" }),
      sample("same text", { response: "a", extracted: "1" }),
      sample("digest", { response_sha256: "a" }),
      sample("same digest", { response_sha256: "a", response: "cut" }),
      sample("read", { extracted: "A" }),
      sample("same", { extracted: "A" }),
      sample("judged", { response: "a" })
    ]
    const after = [
      sample("text", { response: "b" }),
      sample("same text", { response: "a", extracted: "2" }),
      sample("digest", { response_sha256: "b" }),
      sample("same digest", { response_sha256: "a" }),
      sample("read", { extracted: "B" }),
      sample("same", { extracted: "A" }),
      sample("judged", { response: "a", verdict: "incorrect" })
    ]
    assert.deepStrictEqual(differing(before, after), ["judged", "text", "digest", "read"])
  })
  it("begin with the largest loss, whichever way the metric goes", () => {
    const before = [sample("rose", { score: 0.2 }), sample("fell", { score: 1 }), sample("fell less", { score: 0.5 })]
    const after = [sample("rose", { score: 0.9 }), sample("fell", { score: 0 }), sample("fell less", { score: 0.4 })]
    assert.deepStrictEqual(differing(before, after), ["fell", "fell less", "rose"])
    assert.deepStrictEqual(differing(before, after, true), ["rose", "fell less", "fell"])
  })
  it("meet whenever they come, each repeat with its own; those of one job alone are not looked at", () => {
    const pairing = makePairing(false)
    pairing.take(1, [sample("late", { response: "b" }), sample("alone")])
    pairing.take(0, [sample("again", { repeat: 1, response: "a" }), sample("again", { response: "x" })])
    pairing.take(1, [sample("again", { response: "x" }), sample("again", { repeat: 1, response: "b" })])
    pairing.take(0, [sample("late", { response: "a" })])
    assert.strictEqual(pairing.looked(), 3)
    assert.deepStrictEqual(
      pairing.differing().map(({ id, repeat }) => [id, repeat]),
      [
        ["again", 1],
        ["late", 0]
      ]
    )
  })
  it("tell their scores where these differ", () => {
    const pair = { id: "i", task: "t", repeat: 0, verdicts: ["correct", "correct"], gain: 0 } as const
    assert.strictEqual(scoresSaid({ ...pair, scores: [0.25, 1] }), "0.250 → 1.000")
    assert.isUndefined(scoresSaid({ ...pair, scores: [1, 1] }))
    assert.isUndefined(scoresSaid({ ...pair, scores: [undefined, 1] }))
  })
})

describe("the way to the items of a benchmark", () => {
  const compared = (more: Partial<Compared>): Compared => ({
    ...{ provider_id: "p", id: "b", outcome: "worse", baseline_index: 0, candidate_index: 1 },
    ...more
  })
  it("is there where both jobs were asked the same and answered in words", () => {
    assert.isTrue(hasPairs(compared({})))
    assert.isTrue(hasPairs(compared({ outcome: "not_comparable", reason: "metric_not_a_mean" })))
    assert.isFalse(hasPairs(compared({ outcome: "not_comparable", reason: "prompts_differ" })))
    assert.isFalse(hasPairs(compared({ percentiles: [] })))
    const { baseline_index: _, ...missing } = compared({ outcome: "not_comparable", reason: "benchmark_missing" })
    assert.isFalse(hasPairs(missing))
  })
  it("stands in the address, with the one that is looked at, whatever its name", () => {
    const selection = selectionOf(new URLSearchParams("jobs=a,b&items=b:3"))
    assert.deepStrictEqual(selection.items, { job: "b", index: 3 })
    assert.isUndefined(selection.item)
    const chosen = { ...selection, item: { id: `<x> & "#?=`, task: "t 1", repeat: 2 } }
    assert.deepStrictEqual(selectionOf(new URLSearchParams(addressOf(chosen).split("?")[1])), chosen)
  })
  it.each(["b", "b:", ":3", "b:x", "b:-1"])("what is none, such as '%s', names no items", (items) => {
    const selection = selectionOf(new URLSearchParams({ jobs: "a,b", items, sample: "s" }))
    assert.notProperty(selection, "items")
    assert.notProperty(selection, "item")
  })
})

const textOf = (pieces: ReadonlyArray<Piece>, other: Piece["kind"]) =>
  pieces.flatMap(({ kind, text }) => (kind === other ? [] : [text])).join("")

describe("the difference of two answers", () => {
  it("is told word by word, and both texts are in it whole", () => {
    const [before, after] = ["The answer is 4.\nSure!", "The answer is 5.\n\nSure!"]
    const { pieces, isWhole, left } = differenceOf(before, after)
    assert.deepStrictEqual([textOf(pieces, "after"), textOf(pieces, "before")], [before, after])
    assert.deepStrictEqual(pieces.slice(0, 3), [
      { kind: "same", text: "The answer is " },
      { kind: "before", text: "4" },
      { kind: "after", text: "5" }
    ])
    assert.deepStrictEqual([isWhole, left], [false, 0])
  })
  it("of texts that have little in common is one text before the other", () => {
    const words = (from: number) => Array.from({ length: 1200 }, (_, at) => `w${from + at}`).join(" ")
    const { pieces, isWhole } = differenceOf(words(0), words(5000))
    assert.isTrue(isWhole)
    assert.deepStrictEqual(
      pieces.map(({ kind }) => kind),
      ["before", "after"]
    )
    assert.deepStrictEqual([textOf(pieces, "after"), textOf(pieces, "before")], [words(0), words(5000)])
  })
  it("is looked for at the beginning of long texts alone, and says how much is left", () => {
    const { pieces, left } = differenceOf("a".repeat(mostCharacters + 500), `${"a ".repeat(mostCharacters)}b`)
    assert.strictEqual(left, mostCharacters + 1)
    assert.isAtMost(textOf(pieces, "after").length, mostCharacters)
    assert.isAtMost(textOf(pieces, "before").length, mostCharacters)
  })
})
