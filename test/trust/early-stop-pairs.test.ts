/**
 * Ten thousand jobs a cell that stop early on a difference to their baseline, each held against the gate on all its pairs: how often their outcome is
 * another one, and how many of the items were asked. Wrong is a stop on another outcome than all pairs have, those that finally failed
 * counting as in the rule.
 */
import { afterEach, assert, describe, it } from "vitest"
import { judgeDamage } from "../../domain/comparison/tolerance.ts"
import { fractionLoss } from "../../domain/gate/judge-criterion.ts"
import { decidingGains, gainsLeft, gainsOf, type Tolerated, watchGains } from "../../values/early-stop/differences.ts"
import { fewestAsked } from "../../values/early-stop/totals.ts"
import { type Estimate, estimateOf, turned } from "../../values/paired-estimate.ts"
import { betaValue, chance, type Draw, upperLimit } from "./simulation.ts"

// a worker that reckons for a minute without a turn for others counts as lost
afterEach(() => new Promise<void>((resolve) => setImmediate(resolve)))

const jobs = 10_000

interface Cell {
  readonly items: number
  readonly kind: Tolerated["kind"]
  readonly tolerance: number
  /** share of the pairs that differ, and the mean gain */
  readonly differ: number
  readonly gain: number
  /** of the baseline */
  readonly before: number
  /** beta distributed scores instead of yes or no: the pairs that differ are drawn anew around their mean */
  readonly spread?: number
  /** share of the pairs of which one finally fails */
  readonly failing?: number
}

/** of stopping, beside the gate's own: 5 of 100 in all, half of it for either outcome */
const alpha = 0.05
const gateAlpha = 0.05
const range = { min: 0, max: 1 }

type Pair = readonly [before: number, after: number]

const drawnPair = ({ differ, gain, before, spread }: Cell, draw: Draw): Pair => {
  if (spread === undefined) {
    const at = draw()
    if (at < (differ - gain) / 2) return [1, 0]
    if (at < differ) return [0, 1]
    // of the rest as many were right as make the baseline
    const right = (before - (differ - gain) / 2) / (1 - differ)
    return draw() < right ? [1, 1] : [0, 0]
  }
  const first = betaValue(before * spread, (1 - before) * spread, draw)
  if (draw() >= differ) return [first, first]
  const mean = before + gain / differ
  return [first, betaValue(mean * spread, (1 - mean) * spread, draw)]
}

/** of the gate on these pairs; yes-or-no ones are counted as it does */
const gateOn = ({ kind, tolerance, spread }: Cell, pairs: ReadonlyArray<Pair>): "pass" | "breach" | "inconclusive" => {
  const [baseline, candidate] = [pairs.map(([before]) => before), pairs.map(([, after]) => after)]
  if (kind === "relative_fraction") {
    const loss = fractionLoss({ baseline, candidate }, tolerance, { direction: "higher", range })
    return loss === undefined ? "inconclusive" : judgeDamage(loss, 0, gateAlpha)
  }
  const gains = pairs.map(([before, after]) => after - before)
  const count = (one: number) => gains.filter((gain) => gain === one).length
  const estimate: Estimate =
    spread === undefined
      ? { _tag: "Counted", n: gains.length, down: count(-1), up: count(1), width: 1 }
      : estimateOf(gains, 1)
  return judgeDamage(turned(estimate), tolerance, gateAlpha)
}

const simulate = (cell: Cell, times = jobs) => {
  const { items, failing = 0 } = cell
  const gains = gainsOf(cell, { range, isLower: false })
  const deciding = decidingGains(items, gains, { pass: gateAlpha, breach: gateAlpha })
  const draw = chance("early stop of pairs", JSON.stringify(cell))
  let [wrong, asked, stopped] = [0, 0, 0]
  for (let job = 0; job < times; job++) {
    const watch = watchGains(deciding)
    const pairs = Array.from({ length: items }, () =>
      failing > 0 && draw() < failing ? undefined : drawnPair(cell, draw)
    )
    let found: "PASS" | "BREACH" | undefined
    let taken = 0
    for (const pair of pairs) {
      watch.take(pair === undefined ? undefined : gains.of(...pair))
      taken += 1
      // chances only fall, and are the work of it: looking at every eighth item finds nothing that is not there
      if (taken < fewestAsked || taken % 8 !== 0) continue
      const { pass, breach } = watch.chances()
      found = breach <= alpha / 2 ? "BREACH" : pass <= alpha / 2 ? "PASS" : undefined
      if (found !== undefined) break
    }
    asked += taken
    if (found === undefined) continue
    stopped += 1
    // the totals of the question that was answered
    const worst: Pair = found === "PASS" ? [1, 0] : [0, 1]
    const all = gateOn(
      cell,
      pairs.map((pair) => pair ?? worst)
    )
    if (all !== (found === "PASS" ? "pass" : "breach")) wrong += 1
  }
  return { wrong, stopped: stopped / times, asked: asked / (times * items) }
}

const percent = (share: number) => `${(100 * share).toFixed(1)} %`
const plain = { kind: "relative_to_baseline", before: 0.8, gain: 0 } as const

describe("an early stop on a difference ends as all pairs would, but in five of a hundred jobs", () => {
  const cells: ReadonlyArray<Cell> = [
    ...[0, -0.04, -0.08].map((gain) => ({ ...plain, items: 500, tolerance: 0.05, differ: 0.1, gain })),
    ...[0, -0.03].map((gain) => ({ ...plain, items: 2000, tolerance: 0.03, differ: 0.1, gain })),
    { ...plain, items: 500, tolerance: 0.1, differ: 0.3 },
    { ...plain, items: 200, tolerance: 0.1, differ: 0.1 },
    { ...plain, items: 500, tolerance: 0.05, differ: 0.05, failing: 0.01 },
    { ...plain, items: 500, tolerance: 0.05, differ: 0.3, spread: 3 },
    { ...plain, items: 500, tolerance: 0.05, differ: 0.3, gain: -0.09, spread: 3 },
    { ...plain, items: 500, kind: "relative_fraction", tolerance: 0.1, differ: 0.1 },
    { ...plain, items: 500, kind: "relative_fraction", tolerance: 0.05, differ: 0.12, gain: -0.1 }
  ]
  for (const cell of cells)
    it(`${JSON.stringify(cell)}`, () => {
      const { wrong, stopped, asked } = simulate(cell)
      console.info(
        `early stop of pairs ${JSON.stringify(cell)}: ${wrong} of ${jobs} wrong, ${percent(stopped)} stopped, ${percent(asked)} of the items asked`
      )
      assert.isAtMost(upperLimit(wrong, jobs), 0.055)
    })
})

describe("what is left open of a stopped run holds the totals of all pairs", () => {
  const runs = 500
  for (const gain of [-0.05, 0, 0.08])
    it(`${runs} runs of 300 pairs with a gain of ${gain}, stopped where it is most tempting: either end wrong in at most 5.5 of 100`, () => {
      const [items, tail] = [300, 0.05]
      const draw = chance("open gains", gain)
      let [below, above] = [0, 0]
      for (let run = 0; run < runs; run++) {
        const gains = Array.from({ length: items }, () => {
          const [before, after] = drawnPair({ ...plain, items, tolerance: 0, differ: 0.15, gain }, draw)
          return after - before
        })
        const sum = gains.reduce((total, one) => total + one, 0)
        const squares = gains.reduce((total, one) => total + one * one, 0)
        let [sofar, farthest, at] = [0, 0, fewestAsked]
        for (const [index, one] of gains.entries()) {
          sofar += one
          const apart = Math.abs(sofar / (index + 1) - sum / items) * Math.sqrt(index + 1)
          if (index + 1 >= fewestAsked && apart > farthest) [farthest, at] = [apart, index + 1]
        }
        const { least, most } = gainsLeft(gains.slice(0, at), items, { pass: tail, breach: tail })
        if (sum < least.sum || squares > least.squares) below += 1
        if (sum > most.sum || squares > most.squares) above += 1
      }
      console.info(`open gains at ${gain}: ${below} below and ${above} above of ${runs}`)
      assert.isAtMost(below / runs, 0.055)
      assert.isAtMost(above / runs, 0.055)
    })
})
