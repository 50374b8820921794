/**
 * The intervals that the embedded provider publishes beside its metrics, each made by the function the benchmark uses: they hold the truth
 * in at least 94 of 100 runs from twenty items on, in at least 92 below, or there is none.
 */
import { afterEach, assert, describe, it } from "vitest"
import { makeArrivals, type Window } from "../../providers/evald/performance/arrivals.ts"
import { percentileLimits } from "../../providers/evald/performance/durations.ts"
import { latencies } from "../../providers/evald/performance/load-metrics.ts"
import { type Rate, requestRate, tokenRate } from "../../providers/evald/performance/throughput.ts"
import type { LoadRequest } from "../../providers/evald/performance/timeline.ts"
import { groupedProportion, meanMetric, proportion } from "../../providers/evald/proportion.ts"
import { bleuOf } from "../../providers/evald/scorers/bleu.ts"
import { chrfOf } from "../../providers/evald/scorers/chrf.ts"
import { jackknife, mean, percentileInterval } from "../../providers/evald/statistics.ts"
import type { Metric } from "../../providers/sdk/adapter.ts"
import { beta, betaValue, chance, type Draw, drawn, missesOf, normal } from "./simulation.ts"

// a worker that reckons for a minute without a turn for others counts as lost
afterEach(() => new Promise<void>((resolve) => setImmediate(resolve)))

const limitsOf = (metric: Metric | undefined) => {
  const [low, high] = metric?.ci ?? []
  return low === undefined || high === undefined ? undefined : { low, high }
}

const percent = (share: number) => `${(100 * share).toFixed(1)} %`

/** the ends are bounds by themselves, by which the server decides where nothing else is known */
const covers = (what: string, n: number, { covered, below, above }: ReturnType<typeof missesOf>) => {
  assert.isAtLeast(covered, n < 20 ? 0.92 : 0.94, `${what}, n = ${n}: holds the truth in ${percent(covered)}`)
  for (const [side, share] of Object.entries({ below, above }))
    assert.isAtMost(share, 0.055, `${what}, n = ${n}: the truth lies ${side} its end in ${percent(share)}`)
}

describe("metrics that are means of items", () => {
  it("shares, as the error rate and each probe's success rate are published", () => {
    for (const n of [5, 20, 100]) {
      for (const truth of [0.02, 0.3, 0.5, 0.95]) {
        const draw = chance("share", n, truth)
        const misses = missesOf(4000, () => {
          const successes = Array.from({ length: n }, () => (draw() < truth ? 1 : 0)).reduce(
            (sum: number, one) => sum + one,
            0
          )
          return { truth, limits: limitsOf(proportion("error_rate", successes, n)[0]) }
        })
        covers(`share ${truth}`, n, misses)
      }
    }
  })
  it("scores, as overlap of words is published; on a scale of its own, as Brier's score is", () => {
    for (const n of [5, 20, 100]) {
      const scores = beta(2, 5)
      const draw = chance("score", n)
      covers(
        "F1",
        n,
        missesOf(4000, () => ({ truth: scores.mean, limits: limitsOf(meanMetric("f1", drawn(n, scores, draw))) }))
      )
      const brier = missesOf(4000, () => ({
        truth: 2 * scores.mean,
        limits: limitsOf(
          meanMetric(
            "brier",
            drawn(n, scores, draw).map((score) => 2 * score),
            true,
            { min: 0, max: 2 }
          )
        )
      }))
      covers("Brier", n, brier)
    }
  })
  it("shares of rules, of which one prompt has one to three", () => {
    for (const prompts of [15, 50]) {
      const draw = chance("rules", prompts)
      const misses = missesOf(4000, () => {
        const groups = Array.from({ length: prompts }, (_, at) => {
          const own = betaValue(2.4, 0.6, draw)
          const n = 1 + (at % 3)
          return {
            n,
            successes: Array.from({ length: n }, () => (draw() < own ? 1 : 0)).reduce(
              (sum: number, one) => sum + one,
              0
            )
          }
        })
        return { truth: 0.8, limits: limitsOf(groupedProportion("inst_level_strict_acc", groups)[0]) }
      })
      covers("rules", prompts, misses)
    }
  })
})

/** BLEU counts of one answer: each word is right with a chance of its own, longer pieces as often as all their words */
const bleuRow = (draw: Draw, right: number) => {
  const length = 8 + Math.floor(draw() * 12)
  const words = Array.from({ length }, () => draw() < right)
  const sizes = [1, 2, 3, 4]
  return {
    totals: sizes.map((size) => length - size + 1),
    matches: sizes.map(
      (size) => words.filter((_, at) => at + size <= length && words.slice(at, at + size).every(Boolean)).length
    ),
    answerLength: length,
    referenceLength: length
  }
}

/** a closed loop of streams whose requests last differently long, seen until half a second after the window */
const closedLoop = (streams: number, meanMs: number, spread: number, window: Window, draw: Draw) => {
  const end = window.toMs + 500
  const arrivals = makeArrivals(0, end)
  const requests = Array.from({ length: streams }, () => {
    const own: Array<LoadRequest> = []
    for (let startMs = 0; startMs < window.toMs; ) {
      const time = meanMs * Math.exp(spread * normal(draw) - spread ** 2 / 2)
      const tokens = 10 + Math.floor(20 * draw())
      const endMs = startMs + time
      const times = Array.from({ length: tokens }, (_, at) => startMs + ((at + 1) * time) / tokens)
      arrivals.add({ times: times.filter((at) => at < end), tokens: endMs > end ? undefined : tokens })
      own.push(
        endMs > end
          ? { outcome: "incomplete", startMs, endMs: end }
          : {
              outcome: "successful",
              startMs,
              endMs,
              promptTokens: 5,
              outputTokens: tokens,
              estimated: false,
              retries: 0
            }
      )
      startMs = endMs
    }
    return own
  }).flat()
  return { requests, arrivals, loop: "closed" as const }
}

const ratesCover = (what: string, n: number, truth: number, rates: (at: number) => Rate) => {
  const misses = missesOf(1500, (at) => {
    const { interval } = rates(at)
    return { truth, limits: interval === undefined ? undefined : { low: interval[0], high: interval[1] } }
  })
  covers(what, n, misses)
}

describe("rates of a measurement", () => {
  for (const [streams, meanMs, spread, seconds] of [
    [1, 700, 0.3, 10],
    [4, 700, 0.3, 10],
    [4, 3000, 0.3, 30],
    [8, 500, 0.6, 10]
  ] as const) {
    const window = { fromMs: 2000, toMs: 2000 + 1000 * seconds }
    const perSecond = (streams * 1000) / meanMs
    it(`requests and tokens of ${streams} streams that take ${meanMs} ms for each, in ${seconds} s`, () => {
      const what = `${streams} × ${meanMs} ms`
      const [asked, counted] = [chance("requests", what), chance("tokens", what)]
      ratesCover(`requests of ${what}`, perSecond * seconds, perSecond, () =>
        requestRate(closedLoop(streams, meanMs, spread, window, asked).requests, window, "closed")
      )
      ratesCover(`tokens of ${what}`, perSecond * seconds, perSecond * 19.5, () =>
        tokenRate(closedLoop(streams, meanMs, spread, window, counted), window)
      )
    })
  }
  it("requests that come by chance, whether or not the answers to those before have come", () => {
    for (const [perSecond, seconds] of [
      [1.5, 10],
      [5, 10],
      [5, 30]
    ] as const) {
      const window = { fromMs: 2000, toMs: 2000 + 1000 * seconds }
      const draw = chance("open", perSecond, seconds)
      ratesCover(`open ${perSecond}`, perSecond * seconds, perSecond, () => {
        const requests: Array<LoadRequest> = []
        let startMs = 0
        while (startMs < window.toMs) {
          startMs += (-Math.log(1 - draw()) * 1000) / perSecond
          const endMs = startMs + 500 * Math.exp(0.3 * normal(draw))
          requests.push({
            outcome: "successful",
            startMs,
            endMs,
            promptTokens: 5,
            outputTokens: 9,
            estimated: false,
            retries: 0
          })
        }
        return requestRate(requests, window, "open")
      })
    }
  })
  it("a closed loop of four requests has no interval", () => {
    const four = Array.from({ length: 4 }, (_, at): LoadRequest => {
      return {
        outcome: "successful",
        startMs: at * 2500,
        endMs: at * 2500 + 2400,
        promptTokens: 5,
        outputTokens: 9,
        estimated: false,
        retries: 0
      }
    })
    assert.isUndefined(requestRate(four, { fromMs: 0, toMs: 10_000 }, "closed").interval)
  })
})

describe("metrics that are no means", () => {
  it("BLEU of a set", () => {
    const rowOf = (draw: Draw) => bleuRow(draw, betaValue(8, 3, draw))
    const all = chance("bleu, all")
    const truth = bleuOf(Array.from({ length: 200_000 }, () => rowOf(all)))
    for (const n of [20, 100]) {
      const draw = chance("bleu", n)
      const misses = missesOf(2000, () => ({
        truth,
        limits: jackknife(
          Array.from({ length: n }, () => rowOf(draw)),
          bleuOf,
          { min: 0, max: 1 }
        )
      }))
      covers("BLEU", n, misses)
    }
  })
  it("chrF of a set", () => {
    const sizes = [1, 2, 3, 4, 5, 6]
    const rowOf = (draw: Draw) => {
      const right = betaValue(8, 3, draw)
      const length = 20 + Math.floor(draw() * 60)
      const letters = Array.from({ length }, () => draw() < right)
      const pieces = sizes.map((size) => length - size + 1)
      return {
        given: pieces,
        wanted: pieces,
        common: sizes.map(
          (size) => letters.filter((_, at) => at + size <= length && letters.slice(at, at + size).every(Boolean)).length
        )
      }
    }
    const all = chance("chrf, all")
    const truth = chrfOf(Array.from({ length: 100_000 }, () => rowOf(all)))
    for (const n of [30, 100]) {
      const draw = chance("chrf", n)
      const misses = missesOf(2000, () => ({
        truth,
        limits: jackknife(
          Array.from({ length: n }, () => rowOf(draw)),
          chrfOf,
          { min: 0, max: 1 }
        )
      }))
      covers("chrF", n, misses)
    }
  })
  it("bits per byte: losses of texts of different length", () => {
    interface Text {
      readonly bytes: number
      readonly nats: number
    }
    const rowOf = (draw: Draw): Text => {
      const bytes = 200 + Math.floor(draw() * 600)
      return { bytes, nats: bytes * 0.7 * Math.exp(0.25 * normal(draw)) }
    }
    const loss = (texts: ReadonlyArray<Text>) =>
      texts.reduce((sum, { nats }) => sum + nats, 0) / texts.reduce((sum, { bytes }) => sum + bytes, 0)
    const truth = 0.7 * Math.exp(0.25 ** 2 / 2)
    for (const n of [20, 100, 300]) {
      const draw = chance("bits", n)
      const misses = missesOf(3000, () => ({
        truth,
        limits: jackknife(
          Array.from({ length: n }, () => rowOf(draw)),
          loss,
          { min: 0, max: Number.POSITIVE_INFINITY }
        )
      }))
      covers("bits per byte", n, misses)
    }
  })
  it("percentiles of times, however skewed; none where the values are too few", () => {
    // the percentile of a lognormal distribution is that of the normal one, raised
    const quantiles = { 50: 0, 90: 1.2815515655446004, 95: 1.6448536269514722, 99: 2.3263478740408408 }
    for (const n of [5, 20, 100, 400]) {
      for (const [percent, place] of Object.entries(quantiles)) {
        const draw = chance("times", n, percent)
        const misses = missesOf(3000, () => {
          const sorted = Array.from({ length: n }, () => Math.exp(5 + normal(draw))).sort((a, b) => a - b)
          return { truth: Math.exp(5 + place), limits: percentileInterval(sorted, Number(percent)) }
        })
        if (!Number.isNaN(misses.covered)) covers(`p${percent}`, n, misses)
        else
          assert.isTrue(
            n < 6 || (percent === "90" && n < 36) || (percent === "95" && n < 72) || (percent === "99" && n < 368),
            `${percent} of ${n}`
          )
      }
    }
  })
  it("percentiles of latencies in a window that cuts requests at both its edges; none where they are too few", () => {
    const quantiles = { 50: 0, 90: 1.2815515655446004, 95: 1.6448536269514722, 99: 2.3263478740408408 }
    const made = new Set<string>()
    for (const [streams, meanMs, spread, seconds] of [
      [4, 700, 0.6, 10],
      [16, 3000, 0.5, 20],
      [32, 700, 0.6, 15]
    ] as const) {
      const window = { fromMs: 2000, toMs: 2000 + 1000 * seconds }
      for (const [percent, place] of Object.entries(quantiles)) {
        const draw = chance("window", streams, percent)
        const truth = meanMs * Math.exp(spread * place - spread ** 2 / 2)
        const misses = missesOf(500, () => {
          const { requests } = closedLoop(streams, meanMs, spread, window, draw)
          return { truth, limits: percentileLimits(latencies(requests, window), Number(percent)) }
        })
        if (Number.isNaN(misses.covered)) continue
        made.add(percent)
        covers(`p${percent} of ${streams} × ${meanMs} ms`, (streams * 1000 * seconds) / meanMs, misses)
      }
    }
    assert.deepStrictEqual([...made], ["50", "90", "95", "99"])
  })
  it("a set of few rows has none: they would promise too much", () => {
    assert.isUndefined(
      jackknife(
        Array.from({ length: 19 }, (_, index) => index),
        mean,
        { min: 0, max: 100 }
      )
    )
  })
})
