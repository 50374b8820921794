/**
 * What gates promise where the truth lies on the line of a criterion: a wrong GO, and a wrong NO-GO, in at most 5.5 of 100 (6 where fewer
 * than 25 pairs differ), of shares of the baseline that must be kept and of several criteria together. Drawn from a fixed seed.
 */
import { afterAll, afterEach, assert, describe, it } from "vitest"
import type { BenchmarkComparison, Side } from "../../domain/comparison/compare-benchmark.ts"
import { judgeDamage } from "../../domain/comparison/tolerance.ts"
import type { Criterion, Direction } from "../../domain/gate/criteria.ts"
import { fractionLoss } from "../../domain/gate/judge-criterion.ts"
import { judgeGate } from "../../domain/gate/judge-gate.ts"
import type { CriterionEvidence } from "../../domain/gate/measured.ts"
import { sampleBenchmark } from "../support/sample-job.ts"
import { betaValue, binomial, chance, type Draw, normal } from "./simulation.ts"

// a worker that reckons for a minute without a turn for others counts as lost
afterEach(() => new Promise<void>((resolve) => setImmediate(resolve)))

const percent = (share: number) => `${(100 * share).toFixed(2)} %`
const alpha = 0.05

/** every simulated cell, printed at the end */
const lines: Array<string> = []
afterAll(() => void process.stdout.write(`${lines.join("\n")}\n`))

/** how often so many gates say GO and NO-GO */
const counted = (name: string, runs: number, make: () => "GO" | "NO-GO" | "INCONCLUSIVE") => {
  const found = { GO: 0, "NO-GO": 0, INCONCLUSIVE: 0 }
  for (let run = 0; run < runs; run++) found[make()] += 1
  lines.push(`${name}: of ${runs} GO ${found.GO}, NO-GO ${found["NO-GO"]}, INCONCLUSIVE ${found.INCONCLUSIVE}`)
  return { go: found.GO / runs, noGo: found["NO-GO"] / runs }
}

const assertWithin = (found: { readonly go: number; readonly noGo: number }, most: number, what: string) => {
  assert.isAtMost(found.go, most, `${what}: wrong GO ${percent(found.go)}`)
  assert.isAtMost(found.noGo, most, `${what}: wrong NO-GO ${percent(found.noGo)}`)
}

describe("a share of the baseline that must be kept, lost to the point", () => {
  const runs = 20_000
  const outcomes = { pass: "GO", breach: "NO-GO", inconclusive: "INCONCLUSIVE" } as const

  /** gates on one criterion over items that are drawn anew each time */
  const fractions = (
    name: string,
    n: number,
    share: number,
    pair: () => readonly [before: number, after: number],
    scale: { readonly direction: Direction; readonly range: { readonly min: number; readonly max: number } | undefined }
  ) => {
    const [baseline, candidate]: [Array<number>, Array<number>] = [[], []]
    return counted(`${name}, ${n} items, a share of ${share}`, runs, () => {
      for (let at = 0; at < n; at++) [baseline[at], candidate[at]] = pair() as [number, number]
      const loss = fractionLoss({ baseline, candidate }, share, scale)
      return loss === undefined ? "INCONCLUSIVE" : outcomes[judgeDamage(loss, 0, alpha)]
    })
  }
  const unit = { direction: "higher", range: { min: 0, max: 1 } } as const

  for (const n of [100, 400])
    for (const right of [0.5, 0.85])
      it(`${n} items, ${percent(right)} right: ${runs} gates of each share`, () => {
        for (const share of [0.02, 0.05, 0.1]) {
          const [rising, draw] = [0.1, chance("fraction", n, right, share)]
          const falling = share + ((1 - right) * rising) / right
          const found = fractions(
            `right or wrong, ${percent(right)} right`,
            n,
            share,
            () => (draw() < right ? [1, Number(draw() >= falling)] : [0, Number(draw() < rising)]),
            unit
          )
          const differing = n * (right * falling + (1 - right) * rising)
          assertWithin(found, differing >= 25 ? 0.055 : 0.06, `share ${share}`)
        }
      })

  it(`scores between 0 and 1: ${runs} gates of each share`, () => {
    for (const n of [50, 200])
      for (const share of [0.05, 0.2]) {
        const draw = chance("fraction of scores", n, share)
        const found = fractions(
          "scores",
          n,
          share,
          () => {
            const score = betaValue(2, 2, draw)
            return [score, draw() < share ? 0 : score]
          },
          unit
        )
        assertWithin(found, n * share >= 25 ? 0.055 : 0.06, `${n} items, share ${share}`)
      }
  })

  it(`times, where lower is better and there is no largest one: ${runs} gates of each share`, () => {
    for (const n of [50, 200])
      for (const share of [0.05, 0.2]) {
        const draw = chance("fraction of times", n, share)
        const found = fractions(
          "times",
          n,
          share,
          () => {
            const time = 5 + 20 * betaValue(2, 5, draw)
            return [time, time * (1 + share) * (1 + 0.2 * normal(draw))]
          },
          { direction: "lower", range: undefined }
        )
        assertWithin(found, 0.055, `${n} items, share ${share}`)
      }
  })
})

/** draws a number of successes out of n */
const counter = (n: number, p: number): ((draw: Draw) => number) => {
  let sum = 0
  const upTo = binomial(n, p).map((weight) => {
    sum += weight
    return sum
  })
  return (draw) => {
    const at = draw()
    let [low, high] = [0, n]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((upTo[middle] ?? 1) < at) low = middle + 1
      else high = middle
    }
    return low
  }
}

describe("several criteria together", () => {
  const runs = 10_000
  const n = 200
  const tolerance = 0.05
  const criterion = (given: Partial<Criterion>): Criterion => ({
    ...{ benchmark: "b", kind: "relative_to_baseline", tolerance, tier: "gating", alpha },
    ...given
  })
  const evidence = (given: Partial<Criterion>, candidate: Side, known?: BenchmarkComparison): CriterionEvidence => {
    const asked = criterion(given)
    const sides = { candidate, baseline: candidate }
    return { criterion: asked, alpha: asked.alpha, ...sides, ...(known === undefined ? {} : { known }) }
  }
  const bare: Side = {
    benchmark: sampleBenchmark({ state: "completed", result: { metrics: { acc: 0.5 } } }),
    samples: undefined
  }

  /** on a comparison in which a fifth of the pairs differs and `loss` of all items are lost */
  const losing = (loss: number, given: Partial<Criterion> = {}) => {
    const psi = 0.2
    const differs = counter(n, psi)
    const falls = Array.from({ length: n + 1 }, (_, differing) => counter(differing, (1 + loss / psi) / 2))
    return (draw: Draw): CriterionEvidence => {
      const differing = differs(draw)
      const down = falls[differing]?.(draw) ?? 0
      const up = differing - down
      const dropped = { baselineOnly: 0, candidateOnly: 0, unscored: 0 }
      const compared = {
        n,
        dropped,
        mean: (up - down) / n,
        method: "bonett_price",
        down,
        up,
        pWorse: 1,
        pBetter: 1
      } as const
      return evidence(given, bare, { providerId: "p", benchmarkId: "b", outcome: "inconclusive", compared })
    }
  }
  const reaching = (right: number, threshold: number) => {
    const rightOf = counter(n, right)
    return (draw: Draw): CriterionEvidence => {
      const successes = rightOf(draw)
      const result = { metrics: { acc: successes / n }, metricsSchema: [{ name: "acc", n, successes }] }
      const benchmark = sampleBenchmark({ state: "completed", result })
      return evidence({ kind: "absolute", threshold }, { benchmark, samples: [] })
    }
  }
  const gates = (name: string, make: () => ReadonlyArray<CriterionEvidence>) =>
    counted(name, runs, () => judgeGate(make()).outcome)
  const times = (count: number, make: () => CriterionEvidence) => Array.from({ length: count }, make)

  for (const count of [1, 2, 5, 10])
    it(`${count}: no wrong GO where one is lost to the point and the others hold, ${runs} gates`, () => {
      const [draw, lost, held] = [chance("one lost", count), losing(tolerance), losing(-0.05)]
      const { go } = gates(`one of ${count} on the line`, () => [lost(draw), ...times(count - 1, () => held(draw))])
      assert.isAtMost(go, 0.055, percent(go))
    })

  for (const count of [2, 5, 10])
    it(`${count}: no wrong GO or NO-GO where all lie on the line, on items of their own or all on the same, ${runs} gates`, () => {
      const [draw, lost] = [chance("all on the line", count), losing(tolerance)]
      const own = gates(`all of ${count} on the line`, () => times(count, () => lost(draw)))
      assertWithin(own, 0.055, "items of their own")
      const same = gates(`all of ${count} on the line, the same items`, () => {
        const one = lost(draw)
        return times(count, () => one)
      })
      assertWithin(same, 0.055, "the same items")
    })

  it(`of different kinds and levels: no wrong GO or NO-GO, ${runs} gates`, () => {
    const draw = chance("mixed")
    const all = [reaching(0.8, 0.8), losing(tolerance), losing(0.1, { tolerance: 0.1, alpha: 0.01 })]
    const found = gates("an absolute one, a relative one and one of level 0.01, all on the line", () =>
      all.map((one) => one(draw))
    )
    assertWithin(found, 0.055, "all on the line")
  })

  it(`a broken one among good ones is told, and advisory ones decide nothing, ${runs} gates`, () => {
    const [draw, broken, held] = [chance("told"), losing(0.19), losing(-0.08)]
    const told = gates("one of 5 broken", () => [broken(draw), ...times(4, () => held(draw))])
    assert.isAtLeast(told.noGo, 0.95, percent(told.noGo))
    const advice = losing(0.19, { tier: "advisory" })
    const advisory = gates("an advisory one broken", () => [advice(draw), held(draw)])
    assert.strictEqual(advisory.noGo, 0)
    assert.isAtLeast(advisory.go, 0.95, percent(advisory.go))
  })
})
