/** What models that know nothing would score, as far as a framework's records tell it. */
import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import type { SampleRecord } from "../../../../../providers/contract/sample-record.ts"
import { sampleRecords } from "../../../../../providers/lm-evaluation-harness/samples.ts"
import type { Metric } from "../../../../../providers/sdk/adapter.ts"
import { judgeControls, watchItems } from "../../../../../providers/sdk/framework/item-controls.ts"

const record = (index: number, members: Partial<SampleRecord>): SampleRecord => ({
  ...{ v: 1, sample_id: `t:${index}`, task: "t", index, repeat: 0, verdict: "correct" },
  scores: { acc: 1 },
  ...members
})
const told = (records: ReadonlyArray<Partial<SampleRecord>>, metric = "acc") => {
  const items = watchItems(metric)
  const all = records.map((members, index) => record(index, members))
  assert.deepStrictEqual([...items.watch(all)], all)
  return items.told()
}
const letters = [" A", " B", " C", " D"]

describe("controls from a framework's records", () => {
  it("options that all items share: a guess, and the option that is right most often", () => {
    const references = [0, 1, 1, "1", "C"]
    assert.deepStrictEqual(told(references.map((reference) => ({ choices: letters, reference }))), {
      n: 5,
      chance: 0.25,
      constant: 3 / 5
    })
  })

  it("options of their own: a guess alone, because the place of the right one is not what a model sees", () => {
    const items = [
      { choices: ["the hill", "vexes"], reference: 0 },
      { choices: ["open again", "jinx", "quips"], reference: 0 }
    ]
    assert.deepStrictEqual(told(items), { n: 2, chance: (1 / 2 + 1 / 3) / 2 })
  })

  it("letters that the model sees: the most frequent letter, whatever the options say", () => {
    const items = ["A", "B", "A", "A"].map((reference, at) => ({ choices: [`one ${at}`, `two ${at}`], reference }))
    assert.deepStrictEqual(told(items), { n: 4, chance: 0.5, constant: 0.75 })
  })

  it("answers of one's own words: the most frequent reference, and that of another item; neither where all differ", () => {
    assert.deepStrictEqual(told(["yes", "no", "yes", "yes"].map((reference) => ({ reference }))), {
      n: 4,
      constant: 0.75,
      random: 0.5
    })
    assert.deepStrictEqual(told(["1", "2", "3"].map((reference) => ({ reference }))), { n: 3, random: 0 })
  })

  it("nothing where an item is more than right or wrong, where nothing was scored, and of errors and repeats", () => {
    assert.isUndefined(told([{ reference: "a", scores: { acc: 0.4 } }]))
    assert.isUndefined(told([]))
    assert.isUndefined(told([{ verdict: "error", reference: "a" }]))
    const items = [{ reference: "a" }, { reference: "a" }, { reference: "b", repeat: 1 }]
    assert.deepStrictEqual(told(items), { n: 2, constant: 1, random: 1 })
  })

  it("only the primary metric has to be right or wrong, where items name it", () => {
    const items = ["x", "x"].map((reference) => ({ reference, scores: { acc: 0, f1: 0.3 } }))
    assert.isDefined(told(items))
    assert.isUndefined(told(items, "f1"))
    assert.isUndefined(told(items, "named otherwise"))
  })

  it("a recorded run of log-likelihoods by lm-eval tells the level of chance", () => {
    const path = new URL("../../lm-evaluation-harness/fixtures/samples-likelihood.jsonl", import.meta.url)
    const lines = readFileSync(path, "utf8")
      .split("\n")
      .filter((line) => line !== "")
      .map((line): unknown => JSON.parse(line))
    const items = watchItems("acc")
    const records = [...items.watch(sampleRecords("t", () => lines, "none", "acc"))]
    const options = records.map(({ choices = [] }) => choices.length)
    assert.isAbove(options[0] ?? 0, 1)
    assert.strictEqual(items.told()?.chance, options.reduce((sum, count) => sum + 1 / count, 0) / options.length)
  })
})

describe("a score beside its controls", () => {
  const acc = (value: number, stderr?: number): Metric => ({
    ...{ name: "acc", value, n: 100 },
    ...(stderr === undefined ? {} : { stderr })
  })
  const chance = { n: 100, chance: 0.25 }

  it("within two standard errors of chance is remarked on, above is not, and both results carry the figures", () => {
    const low = judgeControls(chance, acc(0.3, 0.045))
    assert.deepStrictEqual(
      low.flags.map(({ code, level, limit }) => [code, level, limit]),
      [["score_at_chance", "advisory", 0.25]]
    )
    const high = judgeControls(chance, acc(0.4, 0.045))
    assert.deepStrictEqual(high.flags, [])
    for (const { controls } of [low, high]) assert.deepStrictEqual(controls, { metric: "acc", ...chance })
  })

  it("says what the record does not tell, and that it tells nothing where it does not", () => {
    assert.match(judgeControls(chance, acc(0.4, 0.045)).notes.join(), /scorers are not run on empty, echoed or refused/)
    for (const one of [
      judgeControls(undefined, acc(0.4)),
      judgeControls(chance, undefined),
      judgeControls(chance, { ...acc(0.4), lowerIsBetter: true })
    ]) {
      assert.notProperty(one, "controls")
      assert.match(one.notes.join(), /chance included, is not told by the framework's record/)
    }
  })
})
