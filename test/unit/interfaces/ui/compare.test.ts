import { assert, describe, it } from "vitest"
import {
  type Candidate,
  type Compared,
  type Comparison,
  rowsOf,
  scalesOf
} from "../../../../interfaces/ui/screens/compare/differences.ts"
import { signed } from "../../../../interfaces/ui/screens/compare/forest.tsx"
import { addressOf, requestOf, selectionOf } from "../../../../interfaces/ui/screens/compare/selection.ts"

const selected = (search: string) => selectionOf(new URLSearchParams(search))

describe("what is compared", () => {
  it("stands in the address, and comes back from it", () => {
    const selection = selected("jobs=a,b,c&tolerance=0.02&differing=1")
    assert.deepStrictEqual(selection, {
      jobs: ["a", "b", "c"],
      tolerance: 0.02,
      hasWrongTolerance: false,
      onlyDiffering: true
    })
    assert.deepStrictEqual(selected(addressOf(selection).split("?")[1] ?? ""), selection)
    assert.strictEqual(addressOf(selected("")), "/compare")
  })
  it("is at most eight jobs, each once", () => {
    assert.deepStrictEqual(selected("jobs=a,b,a,,c").jobs, ["a", "b", "c"])
    assert.lengthOf(selected("jobs=1,2,3,4,5,6,7,8,9,10").jobs, 8)
  })
  it("is asked for with two jobs or more, the first as the baseline", () => {
    assert.isUndefined(requestOf(selected("jobs=a")))
    assert.deepStrictEqual(requestOf(selected("jobs=a,b,c&tolerance=0")), {
      payload: { baseline: { job: "a" }, candidates: [{ job: "b" }, { job: "c" }], tolerance: 0 }
    })
  })
  it.each(["-1", "much", "1e999", "NaN"])("an accepted loss of %s is left out, and said", (text) => {
    const { tolerance, hasWrongTolerance } = selected(`jobs=a,b&tolerance=${text}`)
    assert.deepStrictEqual([tolerance, hasWrongTolerance], [undefined, true])
  })
})

const compared = (id: string, outcome: Compared["outcome"], more: Partial<Compared> = {}): Compared => ({
  provider_id: "evald",
  id,
  outcome,
  ...more
})
const candidate = (job: string, benchmarks: ReadonlyArray<Compared>): Candidate => ({
  job,
  name: job,
  model: { url: "http://127.0.0.1:9/v1", name: "m" },
  benchmarks
})
const comparison = (...candidates: ReadonlyArray<Candidate>): Comparison => ({
  resource: { id: "c", tenant: "t", owner: "o", created_at: "2026-01-01T00:00:00.000Z" },
  alpha: 0.05,
  inputs_sha256: "0".repeat(64),
  baseline: { job: "a", name: "a", model: { url: "http://127.0.0.1:9/v1", name: "m" } },
  candidates
})

describe("the rows of a comparison", () => {
  const all = comparison(
    candidate("b", [
      compared("same", "no_difference_shown"),
      compared("gain", "better"),
      compared("loss", "worse", { p_worse: 0.02 }),
      compared("refused", "not_comparable")
    ]),
    candidate("c", [compared("loss", "worse", { p_worse: 0.001 }), compared("gain", "inconclusive")])
  )
  const shown = (onlyDiffering: boolean) =>
    rowsOf(all, onlyDiffering).map(({ candidate: { job }, benchmark: { id } }) => `${job} ${id}`)

  it("begin with the surest loss, then what cannot be told", () => {
    assert.deepStrictEqual(shown(false), ["c loss", "b loss", "c gain", "b refused", "b gain", "b same"])
  })
  it("are those that differ, when that is asked for", () => {
    assert.deepStrictEqual(shown(true), ["c loss", "b loss", "b gain"])
  })
  it("share one scale, but for benchmarks that need one of their own", () => {
    const small = compared("small", "worse", { difference: -0.1, interval: { low: -0.2, high: 0 } })
    const smaller = compared("smaller", "better", { difference: 0.05, interval: { low: 0.01, high: 0.09 } })
    const latency = compared("latency", "worse", { difference: -120, interval: { low: -300, high: 20 } })
    const reach = scalesOf(rowsOf(comparison(candidate("b", [small, smaller, latency])), false))
    assert.closeTo(reach(small), 0.22, 1e-9)
    assert.strictEqual(reach(smaller), reach(small))
    assert.closeTo(reach(latency), 330, 1e-9)
    const accepted = scalesOf(rowsOf(comparison(candidate("b", [smaller])), false), 0.5)
    assert.closeTo(accepted(smaller), 0.55, 1e-9)
  })
  it("nothing to draw is no division by nought", () => {
    const nothing = compared("nothing", "not_comparable")
    assert.isAbove(scalesOf(rowsOf(comparison(candidate("b", [nothing])), false))(nothing), 0)
  })
})

describe("a difference", () => {
  it("has its sign", () => {
    assert.deepStrictEqual([0.1, -0.1, 0].map(signed), ["+0.100", "−0.100", "0.000"])
  })
})
