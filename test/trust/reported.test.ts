/**
 * Verdicts made of what adapters report, and of whole jobs: a wrong pass or a wrong fail in at most 5.5 of 100 runs, also when the
 * adapter gives nothing but mean, standard error and number of items, as the frameworks do.
 */
import { afterEach, assert, describe, it } from "vitest"
import type { Benchmark, MetricDescription } from "../../domain/job/job.ts"
import { jobTest } from "../../domain/job/job-score.ts"
import { benchmarkTest } from "../../domain/job/scoring.ts"
import { decide } from "../../domain/score/verdict.ts"
import { summaryOf } from "../../values/mean-limits.ts"
import { sampleBenchmark, sampleSnapshot } from "../support/sample-job.ts"
import {
  beta,
  binomial,
  chance,
  type Draw,
  drawn,
  drawnSummary,
  missesOf,
  normal,
  type Population,
  sumsOf
} from "./simulation.ts"

// a worker that reckons for a minute without a turn for others counts as lost
afterEach(() => new Promise<void>((resolve) => setImmediate(resolve)))

const snapshot = (threshold: number, lowerIsBetter = false, weight = 1) =>
  sampleSnapshot({
    weight,
    primaryScore: { metric: "acc", lowerIsBetter, source: "job", scale: "unit" },
    threshold: { value: threshold, source: "job" }
  })

const frameworkError = (p: number, n: number) => Math.sqrt((p * (1 - p)) / (n - 1))

describe("yes-or-no items of a framework", () => {
  for (const n of [5, 10, 30, 100]) {
    it(`${n} of them: mean and standard error alone give verdicts as good as counts`, () => {
      const testOf = (k: number, threshold: number, lowerIsBetter: boolean) =>
        benchmarkTest(
          snapshot(threshold, lowerIsBetter),
          { acc: k / n },
          { schema: [{ name: "acc", n, stderr: frameworkError(k / n, n) }] }
        ).test
      const bounds = Array.from({ length: n + 1 }, (_, k) => testOf(k, 0.5, false)?.bounds)
      assert.isTrue(bounds.every((one) => one !== undefined))
      for (let step = 1; step < 100; step++) {
        const truth = step / 100
        const weights = binomial(n, truth)
        const share = (wrong: (k: number) => boolean) =>
          weights.reduce((sum, weight, k) => sum + (wrong(k) ? weight : 0), 0)
        // a truth a hair below the threshold must not pass, one on it must not fail
        for (const lowerIsBetter of [false, true]) {
          const hair = lowerIsBetter ? -1e-9 : 1e-9
          assert.isAtMost(
            share((k) => decide(bounds[k], truth + hair, lowerIsBetter) === "pass"),
            0.055,
            `wrong pass at ${truth}`
          )
          assert.isAtMost(
            share((k) => decide(bounds[k], truth, lowerIsBetter) === "fail"),
            0.055,
            `wrong fail at ${truth}`
          )
        }
      }
    })
  }
})

describe("means of scores with a standard error", () => {
  it("from thirty items on: a wrong verdict in at most 5.5 of 100 runs", () => {
    for (const population of [beta(1, 1), beta(9, 1), beta(0.5, 5)]) {
      for (const n of [30, 100]) {
        const draw = chance("reported", population.name, n)
        const misses = missesOf(8000, () => {
          const { mean, standardError } = summaryOf(sumsOf(drawn(n, population, draw)))
          const { test } = benchmarkTest(
            snapshot(0.5),
            { acc: mean, acc_stderr: standardError ?? Number.NaN },
            { schema: [{ name: "acc", n }] }
          )
          return { truth: population.mean, limits: test?.bounds }
        })
        assert.isAtMost(
          Math.max(misses.below, misses.above),
          0.055,
          `${population.name}, n = ${n}: ${JSON.stringify(misses)}`
        )
      }
    }
  })
  it("on an unbounded scale, for values near a normal distribution", () => {
    const given = sampleSnapshot({
      primaryScore: { metric: "acc", lowerIsBetter: true, source: "job", scale: "unbounded" }
    })
    const draw = chance("reported unbounded")
    const misses = missesOf(10_000, () => {
      const { mean, standardError } = summaryOf(sumsOf(Array.from({ length: 30 }, () => 3 + normal(draw))))
      const { test } = benchmarkTest(
        given,
        { acc: mean, acc_stderr: standardError ?? Number.NaN },
        { schema: [{ name: "acc", n: 30 }] }
      )
      return { truth: 3, limits: test?.bounds }
    })
    assert.isAtMost(Math.max(misses.below, misses.above), 0.055, JSON.stringify(misses))
  })
})

/** one benchmark of a simulated job: how it is defined, and how well the model truly does */
interface Part {
  readonly weight: number
  readonly n: number
  readonly lowerIsBetter: boolean
  /** a chance of right items, or scores */
  readonly truth: number | Population
}

const truthOf = ({ truth, lowerIsBetter }: Part): number => {
  const mean = typeof truth === "number" ? truth : truth.mean
  return lowerIsBetter ? 1 - mean : mean
}

const described = ({ truth, n }: Part, draw: Draw): { readonly value: number; readonly schema: MetricDescription } => {
  if (typeof truth !== "number") {
    const { mean, standardError = 0 } = drawnSummary(n, truth, draw)
    return { value: mean, schema: { name: "acc", n, stderr: standardError, clusters: n } }
  }
  let successes = 0
  for (let item = 0; item < n; item++) if (draw() < truth) successes++
  return { value: successes / n, schema: { name: "acc", n, successes } }
}

const ran = (part: Part, index: number, draw: Draw): Benchmark => {
  const { value, schema } = described(part, draw)
  const given = snapshot(0.5, part.lowerIsBetter, part.weight)
  const { test } = benchmarkTest(given, { acc: value }, { schema: [schema] })
  return sampleBenchmark({
    index,
    entry: { id: `b${index}`, providerId: "p" },
    state: "completed",
    snapshot: given,
    result: { metrics: {}, ...(test === undefined ? {} : { test }) }
  })
}

const shares = (truths: ReadonlyArray<number>, n: number): ReadonlyArray<Part> =>
  truths.map((truth, index) => ({ weight: 1, n, lowerIsBetter: index === truths.length - 1, truth }))

const jobs: ReadonlyArray<readonly [name: string, parts: ReadonlyArray<Part>]> = [
  ["seven small benchmarks of a smoke test", shares([0.85, 0.8, 0.8, 0.85, 0.9, 0.95, 0.1], 15)],
  ["the same of a model that knows nearly everything", shares([0.98, 0.99, 0.97, 0.99, 0.98, 0.99, 0.01], 20)],
  ["the same of a model that knows nearly nothing", shares([0.05, 0.02, 0.25, 0.03, 0.01, 0.02, 0.97], 20)],
  [
    "forty, of which each has hardly an error",
    shares(
      Array.from({ length: 40 }, (_, index) => (index === 39 ? 0.02 : 0.98)),
      20
    )
  ],
  ["one benchmark", shares([0.8, 0.2], 20).slice(0, 1)],
  [
    "two of very different weight",
    [
      { weight: 9, n: 20, lowerIsBetter: false, truth: 0.9 },
      { weight: 1, n: 200, lowerIsBetter: true, truth: 0.3 }
    ]
  ],
  [
    "counts and scores",
    [
      { weight: 1, n: 20, lowerIsBetter: false, truth: 0.7 },
      { weight: 2, n: 20, lowerIsBetter: false, truth: beta(2, 5) },
      { weight: 1, n: 50, lowerIsBetter: true, truth: beta(0.5, 5) },
      { weight: 1, n: 10, lowerIsBetter: false, truth: 0.95 }
    ]
  ]
]

describe("bounds of a job's score", () => {
  for (const [name, parts] of jobs) {
    it(`${name}: the truth lies beyond either bound in at most 5.5 of 100 runs`, () => {
      const weights = parts.reduce((sum, { weight }) => sum + weight, 0)
      const truth = parts.reduce((sum, part) => sum + (part.weight / weights) * truthOf(part), 0)
      const draw = chance("job", name)
      const misses = missesOf(parts.length > 10 ? 2000 : 8000, () => ({
        truth,
        limits: jobTest(
          { threshold: 0.5 },
          parts.map((part, index) => ran(part, index, draw))
        )?.bounds
      }))
      assert.isAtMost(Math.max(misses.below, misses.above), 0.055, JSON.stringify(misses))
    })
  }
})
