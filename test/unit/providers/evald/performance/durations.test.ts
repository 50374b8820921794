import { assert, describe, it } from "@effect/vitest"
import {
  durationsOf,
  type Observed,
  percentileLimits,
  weightedMean,
  weightedPercentile
} from "../../../../../providers/evald/performance/durations.ts"
import { seededRandom } from "../../../../../providers/evald/random.ts"
import { percentile, percentileInterval } from "../../../../../providers/evald/statistics.ts"

const ended = (duration: number, entry = 0): Observed => ({ entry, duration, isFinished: true })
const open = (duration: number, entry = 0): Observed => ({ entry, duration, isFinished: false })

describe("durations of which some are lower bounds", () => {
  it("all finished: every value weighs the same, and percentiles are the usual ones", () => {
    const values = [5, 1, 4, 2, 3, 3]
    const { values: weighted, unknown, n } = durationsOf(values.map((value) => ended(value)))
    assert.deepStrictEqual([unknown, n], [0, 6])
    assert.closeTo(weightedMean(weighted), 3, 1e-12)
    const sorted = [...values].sort((a, b) => a - b)
    for (const percent of [0, 10, 50, 90, 99, 100])
      assert.closeTo(weightedPercentile(weighted, percent), percentile(sorted, percent), 1e-9, String(percent))
  })

  it("the textbook example: remission times with censored ones", () => {
    // Freireich 1963, treated group: S(6) = .857, S(10) = .753, S(16) = .627, S(23) = .448
    const done = [6, 6, 6, 7, 10, 13, 16, 22, 23]
    const cut = [6, 9, 10, 11, 17, 19, 20, 25, 32, 32, 34, 35]
    const { values, unknown } = durationsOf([...done.map((one) => ended(one)), ...cut.map((one) => open(one))])
    const survives = (time: number) =>
      values.filter(({ value, weight }) => value > time && weight > 0).reduce((sum, { weight }) => sum + weight, 0)
    for (const [time, share] of [
      [6, 0.857],
      [10, 0.753],
      [16, 0.627],
      [23, 0.448]
    ] as const)
      assert.closeTo(survives(time), share, 5e-4, String(time))
    assert.closeTo(unknown, 0.448, 5e-4)
  })

  it("late entry: what began before the window was not at risk there while it was young", () => {
    const { values } = durationsOf([ended(10, 8), ended(2), ended(10), open(5)])
    // at 2 three were watched, at 10 two
    assert.deepStrictEqual(
      values.map(({ value, weight }) => [value, Math.round(weight * 1e6) / 1e6]),
      [
        [2, 0.333333],
        [10, 0.333333],
        [10, 0.333333]
      ]
    )
  })

  it("nothing finished, nothing known", () => {
    const unknown = { values: [{ value: 7, weight: 1 }], ended: [], unknown: 1, n: 0 }
    assert.deepStrictEqual(durationsOf([open(5), open(7)]), unknown)
    assert.isUndefined(percentileLimits(unknown, 50))
    assert.strictEqual(durationsOf([]).n, 0)
  })

  it("limits of a percentile are its order statistics where every value is known, and wider where some are lower bounds", () => {
    const sorted = Array.from({ length: 120 }, (_, at) => 10 + at)
    const known = durationsOf(sorted.map((duration) => ended(duration)))
    for (const percent of [50, 90, 95]) {
      const { low, high } = percentileInterval(sorted, percent) ?? {}
      assert.deepStrictEqual(percentileLimits(known, percent), { low, high })
    }
    const cut = durationsOf(sorted.map((duration, at) => (at % 3 === 0 ? open(duration) : ended(duration))))
    const [whole, part] = [percentileLimits(known, 50), percentileLimits(cut, 50)]
    assert.isAbove((part?.high ?? 0) - (part?.low ?? 0), (whole?.high ?? 0) - (whole?.low ?? 0))
    assert.isUndefined(percentileLimits(known, 99), "too few")
  })

  it("a closed loop seen through a window: the survivors alone are too quick, the estimate is right", () => {
    const random = seededRandom("durations")
    const drawn = () => -Math.log(1 - random.next()) * 4000 + 100
    const observed: Array<Observed> = []
    const survivors: Array<number> = []
    const [from, to] = [2000, 12_000]
    for (let stream = 0; stream < 400; stream++) {
      for (let start = 0; start < to; ) {
        const duration = drawn()
        const end = start + duration
        if (end >= from)
          observed.push({
            entry: Math.max(0, from - start),
            duration: Math.min(end, to) - start,
            isFinished: end <= to
          })
        if (start >= from && end <= to) survivors.push(duration)
        start = end
      }
    }
    const { values } = durationsOf(observed)
    const truth = (share: number) => -Math.log(1 - share) * 4000 + 100
    for (const share of [0.5, 0.9])
      assert.closeTo(weightedPercentile(values, share * 100), truth(share), 0.08 * truth(share), String(share))
    survivors.sort((a, b) => a - b)
    assert.isBelow(percentile(survivors, 90), 0.75 * truth(0.9))
  })
})
