/**
 * Ten thousand jobs a cell that stop early, each held against the gate on all its items: how often their outcome is another one, and how many of
 * the items were asked. Wrong is a stop on another outcome than the totals of all items have, those that finally failed counting as in the rule.
 */
import { assert, describe, it } from "vitest"
import { decidingTotals, fewestAsked, totalsLeft, watchFor } from "../../values/early-stop/totals.ts"
import { betaValue, chance, type Draw, upperLimit } from "./simulation.ts"

const jobs = 10_000

interface Cell {
  readonly items: number
  readonly threshold: number
  readonly truth: number
  /** beta distributed scores around the truth instead of yes or no */
  readonly spread?: number
  /** share of the items that finally fail */
  readonly failing?: number
}

/** of stopping, beside the gate's own: 5 of 100 in all, half of it for either outcome */
const alpha = 0.05
const gateAlpha = 0.05

const drawnValue = ({ truth, spread }: Cell, draw: Draw): number =>
  spread === undefined ? Number(draw() < truth) : betaValue(truth * spread, (1 - truth) * spread, draw)

/** independent values come in no order, so that the drawn one is theirs */
const simulate = (cell: Cell) => {
  const { items, threshold, failing = 0 } = cell
  const question = { threshold, tails: { pass: gateAlpha, breach: gateAlpha } }
  const totals = decidingTotals(items, question)
  const { passes, breaches } = totals
  const draw = chance("early stop", JSON.stringify(cell))
  let [wrong, asked, stopped] = [0, 0, 0]
  for (let job = 0; job < jobs; job++) {
    const watch = watchFor(items, totals)
    let found: "PASS" | "BREACH" | undefined
    let [least, most] = [0, 0]
    for (let at = 0; at < items; at++) {
      const value = failing > 0 && draw() < failing ? undefined : drawnValue(cell, draw)
      least += value ?? 0
      most += value ?? 1
      if (found !== undefined) continue
      watch.take(value)
      asked += 1
      if (at + 1 < fewestAsked) continue
      const { pass, breach } = watch.chances()
      found = breach <= alpha / 2 ? "BREACH" : pass <= alpha / 2 ? "PASS" : undefined
    }
    if (found !== undefined) stopped += 1
    if ((found === "PASS" && least < passes) || (found === "BREACH" && most > breaches)) wrong += 1
  }
  return { wrong, stopped: stopped / jobs, asked: asked / (jobs * items) }
}

const percent = (share: number) => `${(100 * share).toFixed(1)} %`

describe("an early stop ends as all items would, but in five of a hundred jobs", () => {
  const cells: ReadonlyArray<Cell> = [
    ...[200, 2000].flatMap((items) =>
      [0.55, 0.65, 0.7, 0.72, 0.75, 0.85].map((truth) => ({ items, threshold: 0.7, truth }))
    ),
    ...[0.75, 0.9, 0.97].map((truth) => ({ items: 500, threshold: 0.9, truth })),
    { items: 500, threshold: 0.7, truth: 0.78, failing: 0.01 },
    { items: 500, threshold: 0.7, truth: 0.8, spread: 3 },
    { items: 500, threshold: 0.7, truth: 0.6, spread: 3 }
  ]
  for (const cell of cells)
    it(`${JSON.stringify(cell)}`, () => {
      const { wrong, stopped, asked } = simulate(cell)
      console.info(
        `early stop ${JSON.stringify(cell)}: ${wrong} of ${jobs} wrong, ${percent(stopped)} stopped, ${percent(asked)} of the items asked`
      )
      assert.isAtMost(upperLimit(wrong, jobs), 0.055)
    })

  it("asks few items where the answer is clear: of 2,000 at a threshold of 0.7 at most 8 % at 0.55 and 0.85", () => {
    for (const truth of [0.55, 0.85]) assert.isBelow(simulate({ items: 2000, threshold: 0.7, truth }).asked, 0.08)
  })
})

describe("the interval of a stopped run holds the total of all items", () => {
  const runs = 2000
  for (const truth of [0.3, 0.72, 0.95])
    it(`${runs} runs of 300 items at ${truth}, stopped where it is most tempting: each end wrong in at most 5.5 of 100`, () => {
      const [items, tail] = [300, 0.05]
      const draw = chance("early stop interval", truth)
      let [below, above] = [0, 0]
      for (let run = 0; run < runs; run++) {
        const values = Array.from({ length: items }, () => Number(draw() < truth))
        const total = values.reduce((sum, value) => sum + value, 0)
        // the moment at which the mean lies farthest from that of all items
        let [sum, farthest, at] = [0, 0, fewestAsked]
        for (const [index, value] of values.entries()) {
          sum += value
          const asked = index + 1
          const apart = Math.abs(sum / asked - total / items) * Math.sqrt(asked)
          if (asked >= fewestAsked && apart > farthest) [farthest, at] = [apart, asked]
        }
        const { low, high } = totalsLeft(values.slice(0, at), items, { low: tail, high: tail })
        if (total < low) below += 1
        if (total > high) above += 1
      }
      console.info(`early stop interval at ${truth}: ${below} below and ${above} above of ${runs}`)
      assert.isAtMost(below / runs, 0.055)
      assert.isAtMost(above / runs, 0.055)
    })
})
