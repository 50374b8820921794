/**
 * Stops asking when it is certain enough what the criteria of the job's gate would say on all items. Answers are taken in the drawn order,
 * however they come; what was asked for meanwhile still counts. Reference: early-stop.md, "Rule".
 */
import {
  decidingTotals,
  fewestAsked,
  limitsOfTotal,
  totalsLeft,
  type Watch,
  watchFor
} from "../../../values/early-stop.ts"
import type { JobSpec } from "../../contract/job-spec.ts"
import type { Metric } from "../../sdk/adapter.ts"
import type { Item, ItemBenchmark, ScoredItem } from "../benchmark.ts"
import { UNIT } from "../proportion.ts"

/** of the interval that is reported; its halves go to stopping and to the items that might have been others */
const level = 0.9

interface Stopped {
  /** `additional_info.stopping` */
  readonly members: { readonly [member: string]: unknown }
  readonly metric: string
  readonly ci: readonly [low: number, high: number]
  readonly note: string
}

export interface EarlyStop {
  /** the item at this place of the drawn order was asked */
  readonly take: (index: number, scored: ScoredItem) => void
  /** nothing more needs to be asked */
  readonly isCertain: () => boolean
  /** undefined: all items were asked. `asked`: so many were. */
  readonly stopped: (asked: number) => Stopped | undefined
  /** of a run that asked all */
  readonly members: () => { readonly [member: string]: unknown }
}

/** undefined: nothing is to be stopped for, or not by this rule, so that all items are asked */
export const earlyStopOf = (
  { early_stop: plan, primary_score: primary }: JobSpec,
  { metrics }: ItemBenchmark,
  items: ReadonlyArray<Item>
): EarlyStop | undefined => {
  const mean = metrics.find(({ name }) => name === primary?.metric)
  if (plan === undefined || mean === undefined || items.length < fewestAsked) return undefined
  // items that belong together are judged by another rule
  const clusters = items.flatMap(({ cluster }) => (cluster === undefined ? [] : [cluster]))
  if (new Set(clusters).size < clusters.length) return undefined
  const { min, max } = mean.range ?? UNIT
  const isLower = primary?.lower_is_better === true
  const placeOf = (value: number) => (isLower ? max - value : value - min) / (max - min)
  const valueAt = (place: number) => (isLower ? max - place * (max - min) : min + place * (max - min))
  const of = items.length
  const { alpha, gating, criteria } = plan
  // a breach must survive the correction for the number of criteria
  const watches: ReadonlyArray<Watch> = criteria.map(({ threshold, alpha: own }) =>
    watchFor(of, decidingTotals(of, { threshold: placeOf(threshold), tails: { pass: own, breach: own / gating } }))
  )
  const waiting = new Map<number, number | undefined>()
  const values: Array<number | undefined> = []
  let outcome: "PASS" | "BREACH" | undefined

  const worth = ({ outcome: found }: ScoredItem): number | undefined => {
    const value = found._tag === "Scored" ? found.verdict.scores[mean.name] : undefined
    return value === undefined ? undefined : placeOf(value)
  }
  const judge = (): typeof outcome => {
    const chances = watches.map((watch) => watch.chances())
    if (chances.some(({ breach }) => breach <= alpha / (2 * gating))) return "BREACH"
    return chances.every(({ pass }) => pass <= alpha / 2) ? "PASS" : undefined
  }
  const told = { alpha, of }
  return {
    take: (index, scored) => {
      waiting.set(index, worth(scored))
      while (waiting.has(values.length)) {
        const value = waiting.get(values.length)
        waiting.delete(values.length)
        values.push(value)
        for (const watch of watches) watch.take(value)
        if (outcome === undefined && values.length >= fewestAsked) outcome = judge()
      }
    },
    isCertain: () => outcome !== undefined,
    stopped: (asked) => {
      if (outcome === undefined || asked >= of) return undefined
      const tail = (1 - level) / 4
      const totals = totalsLeft(values, of, { low: tail, high: tail })
      const ends = [limitsOfTotal(totals.low, of, tail).low, limitsOfTotal(totals.high, of, tail).high].map(valueAt)
      return {
        members: { stopped: true, asked, ...told, outcome },
        metric: mean.name,
        ci: [Math.min(...ends), Math.max(...ends)],
        note: `early_stop: stopped after ${asked} of ${of} items, because the gate would find ${outcome} on all of them, but for a chance of ${alpha} beside its own alpha; only ${mean.name} has an interval, which holds whenever asking is stopped`
      }
    },
    members: () => ({ stopped: false, asked: of, ...told })
  }
}

/** intervals of a number of items that was fixed before do not hold when the items decide it */
export const metricsOfStopped = (
  metrics: ReadonlyArray<Metric>,
  stopped: Stopped | undefined
): ReadonlyArray<Metric> =>
  stopped === undefined
    ? metrics
    : metrics.map(
        ({
          ci: _ci,
          ciLevel: _level,
          ciMethod: _method,
          stderr: _error,
          successes: _count,
          clusters: _worth,
          ...metric
        }) =>
          metric.name === stopped.metric && typeof metric.value === "number"
            ? {
                ...metric,
                ci: [Math.min(stopped.ci[0], metric.value), Math.max(stopped.ci[1], metric.value)],
                ciLevel: level,
                ciMethod: "betting"
              }
            : metric
      )
