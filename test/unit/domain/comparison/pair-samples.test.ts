/** Which items two runs share, and when their values cannot be held against each other. */
import { assert, describe, it } from "vitest"
import { type Pairs, pairSamples, type ScoredSample } from "../../../../domain/comparison/pair-samples.ts"

const unit = { min: 0, max: 1 }

const sample = (id: number, given: Partial<ScoredSample> = {}): ScoredSample => ({
  sampleId: `i${id}`,
  task: "t",
  repeat: 0,
  verdict: "correct",
  ...given
})

const run = (samples: ReadonlyArray<ScoredSample>, reported: number) => ({ samples, reported })
const wrong = { verdict: "incorrect" } as const

const paired = (found: ReturnType<typeof pairSamples>): Pairs => {
  if (found._tag === "NotPaired") throw new Error(found.message)
  return found
}
const reasonOf = (found: ReturnType<typeof pairSamples>) => (found._tag === "NotPaired" ? found.reason : undefined)

describe("pairs", () => {
  it("are items of one task and id, whatever their order", () => {
    const found = paired(pairSamples(run([sample(1), sample(2, wrong)], 0.5), run([sample(2), sample(1)], 1), unit))
    assert.deepInclude(found, { baseline: [1, 0], candidate: [1, 1], binary: true, union: 2, promptsUnknown: 2 })
  })
  it("items of one run only and those that failed in one are dropped, counted, and bound the worst case", () => {
    const found = paired(
      pairSamples(
        run([sample(1), sample(2), sample(3)], 1),
        run([sample(1), sample(2, { verdict: "error" }), sample(4, wrong)], 0.5),
        unit
      )
    )
    assert.deepInclude(found, {
      baseline: [1],
      candidate: [1],
      union: 4,
      baselineOnly: 1,
      candidateOnly: 1,
      unscored: 1
    })
    // item 2 and 3: −1 to 0; item 4: −1 to 0; item 1: 0
    assert.deepEqual(found.worstCase, { low: -0.75, high: 0 })
  })
  it("repeats are averaged, and are no yes-or-no items", () => {
    const found = paired(
      pairSamples(
        run([sample(1), sample(1, { ...wrong, repeat: 1 })], 0.5),
        run([sample(1), sample(1, { repeat: 1 }), sample(1, { ...wrong, repeat: 2 })], 2 / 3),
        unit
      )
    )
    assert.deepEqual(
      [found.baseline, found.candidate.map((x) => x.toFixed(3)), found.binary],
      [[0.5], ["0.667"], false]
    )
  })
  it("scores count when every scored sample has one, else the verdicts", () => {
    const scored = [sample(1, { score: 0.25 }), sample(2, { score: 0.75 })]
    assert.deepEqual(paired(pairSamples(run(scored, 0.5), run(scored, 0.5), unit)).baseline, [0.25, 0.75])
    const partly = [sample(1, { score: 0.25 }), sample(2, wrong)]
    assert.deepEqual(paired(pairSamples(run(partly, 0.5), run(partly, 0.5), unit)).baseline, [1, 0])
  })
  it("right and wrong are the ends of the scale, either way round", () => {
    const samples = [sample(1), sample(2, wrong), sample(3, wrong), sample(4, wrong)]
    const percent = { min: 0, max: 100 }
    assert.deepEqual(paired(pairSamples(run(samples, 25), run(samples, 25), percent)).baseline, [100, 0, 0, 0])
    // a rate of errors
    assert.deepEqual(paired(pairSamples(run(samples, 0.75), run(samples, 0.75), unit)).baseline, [0, 1, 1, 1])
  })
  it("clusters are numbered; where every item stands alone there are none", () => {
    const named = [sample(1, { cluster: "a" }), sample(2, { cluster: "b" }), sample(3, { cluster: "a" }), sample(4)]
    assert.deepEqual(paired(pairSamples(run(named, 1), run(named, 1), unit)).clusters, [0, 1, 0, 2])
    const alone = [sample(1, { cluster: "a" }), sample(2)]
    assert.isUndefined(paired(pairSamples(run(alone, 1), run(alone, 1), unit)).clusters)
  })
})

describe("refusals", () => {
  const one = [sample(1), sample(2)]
  it("no samples", () => assert.strictEqual(reasonOf(pairSamples(run([], 1), run(one, 1), unit)), "samples_missing"))
  it("other items", () =>
    assert.strictEqual(reasonOf(pairSamples(run(one, 1), run([sample(3)], 1), unit)), "no_common_items"))
  it("a value that is not the mean of its items", () =>
    assert.strictEqual(reasonOf(pairSamples(run(one, 0.7), run(one, 1), unit)), "metric_not_a_mean"))
  it("another prompt, once, refuses all of it", () => {
    const found = pairSamples(
      run([sample(1, { prompt: "a" }), sample(2, { prompt: "b" })], 1),
      run([sample(1, { prompt: "a" }), sample(2, { prompt: "c" })], 1),
      unit
    )
    assert.deepInclude(found, { reason: "prompts_differ", count: 1 })
  })
})
