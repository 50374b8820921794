import { assert, describe, it } from "@effect/vitest"
import { constantSchedule, poissonSchedule } from "../../../../../providers/evald/performance/schedule.ts"
import { seededRandom } from "../../../../../providers/evald/random.ts"

describe("open-loop schedules", () => {
  it("constant: equal gaps from the start, none at the end", () => {
    assert.deepStrictEqual(constantSchedule(2, 2000), [0, 500, 1000, 1500])
    assert.deepStrictEqual(constantSchedule(0.5, 5000), [0, 2000, 4000])
    assert.deepStrictEqual(constantSchedule(10, 1000, 3), [0, 100, 200])
    assert.closeTo(constantSchedule(3, 30_000).at(-1) ?? 0, 89_000 / 3, 1e-9)
  })

  it("poisson: the same for the same seed, ascending, within the time and the limit", () => {
    const due = (seed: number, max?: number) => poissonSchedule(seededRandom("poisson", seed), 5, 30_000, max)
    assert.deepStrictEqual(due(1), due(1))
    assert.notDeepEqual(due(1), due(2))
    assert.deepStrictEqual(
      due(1),
      [...due(1)].sort((a, b) => a - b)
    )
    assert.isTrue(due(1).every((at) => at >= 0 && at < 30_000))
    assert.lengthOf(due(1, 7), 7)
  })

  it("poisson: gaps have the mean 1/rate and the spread of an exponential distribution", () => {
    const due = poissonSchedule(seededRandom("poisson", 11), 100, 200_000)
    const gaps = due.slice(1).map((at, index) => at - (due[index] ?? 0))
    const mean = gaps.reduce((sum, gap) => sum + gap, 0) / gaps.length
    const deviation = Math.sqrt(gaps.reduce((sum, gap) => sum + (gap - mean) ** 2, 0) / gaps.length)
    // 20,000 gaps: the standard error of the mean is 0.07 ms
    assert.closeTo(mean, 10, 0.3)
    assert.closeTo(deviation, 10, 0.4)
  })
})
