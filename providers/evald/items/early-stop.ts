/**
 * Stops asking when it is certain enough what the criteria of the job's gate would say on all items. Answers are taken in the drawn order,
 * however they come; what was asked for meanwhile still counts. Reference: early-stop.md, "Rule", "Pairs".
 */
import type { Watch } from "../../../values/early-stop/bet.ts"
import { decidingGains, gainsOf, watchGains } from "../../../values/early-stop/differences.ts"
import { decidingTotals, fewestAsked, limitsOfTotal, totalsLeft, watchFor } from "../../../values/early-stop/totals.ts"
import type { Range } from "../../../values/mean-limits.ts"
import type { JobSpec } from "../../contract/job-spec.ts"
import type { Metric } from "../../sdk/adapter.ts"
import type { Item, ItemBenchmark, ScoredItem } from "../benchmark.ts"
import { UNIT } from "../proportion.ts"
import type { DrawnSet } from "./item-set.ts"

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
  /** why it never stops */
  readonly notes: ReadonlyArray<string>
}

type Plan = NonNullable<JobSpec["early_stop"]>

/** largest share of the items that the gate may find in one of the runs only */
const mostApart = 0.02

/** why the items can not be held against those of the baseline; undefined: they can */
const strangeness = ({ criteria, baseline }: Plan, { items, dataset }: DrawnSet): string | undefined => {
  if (criteria.every((criterion) => "threshold" in criterion)) return undefined
  if (baseline === undefined) return "the job file has no items of the baseline"
  const digest = baseline.dataset_sha256
  if (digest !== undefined && digest !== dataset.sha256)
    return "the baseline was asked from another state of the data set"
  const known = Object.keys(baseline.items).length
  const common = items.filter(({ id }) => Object.hasOwn(baseline.items, id)).length
  const union = items.length + known - common
  return union - common > mostApart * union
    ? `${union - common} of ${union} items are not in both this run and the baseline`
    : undefined
}

/** one criterion: what it makes of an item that is worth `value`, undefined: nothing came of it */
interface Watched {
  readonly watch: Watch
  readonly take: (item: Item, value: number | undefined) => void
}

const watchedBy = (
  criterion: Plan["criteria"][number],
  { gating, baseline }: Plan,
  of: number,
  scale: { readonly range: Range; readonly isLower: boolean; readonly placeOf: (value: number) => number }
): Watched => {
  // a breach must survive the correction for the number of criteria
  const tails = { pass: criterion.alpha, breach: criterion.alpha / gating }
  if ("threshold" in criterion) {
    const watch = watchFor(of, decidingTotals(of, { threshold: scale.placeOf(criterion.threshold), tails }))
    return { watch, take: (_item, value) => watch.take(value === undefined ? undefined : scale.placeOf(value)) }
  }
  const gains = gainsOf(criterion, scale)
  const watch = watchGains(decidingGains(of, gains, tails))
  const before = new Map(Object.entries(baseline?.items ?? {}))
  return {
    watch,
    take: ({ id }, value) => {
      const known = before.get(id)
      watch.take(known === undefined || value === undefined ? undefined : gains.of(known, value))
    }
  }
}

/** undefined: nothing is to be stopped for, or not by this rule, so that all items are asked */
export const earlyStopOf = (
  { early_stop: plan, primary_score: primary }: JobSpec,
  { metrics }: ItemBenchmark,
  drawn: DrawnSet
): EarlyStop | undefined => {
  const { items } = drawn
  const mean = metrics.find(({ name }) => name === primary?.metric)
  if (plan === undefined || mean === undefined || items.length < fewestAsked) return undefined
  // items that belong together are judged by another rule
  const clusters = items.flatMap(({ cluster }) => (cluster === undefined ? [] : [cluster]))
  if (new Set(clusters).size < clusters.length) return undefined
  const range = mean.range ?? UNIT
  const { min, max } = range
  const isLower = primary?.lower_is_better === true
  const placeOf = (value: number) => (isLower ? max - value : value - min) / (max - min)
  const valueAt = (place: number) => (isLower ? max - place * (max - min) : min + place * (max - min))
  const of = items.length
  const { alpha, gating, criteria } = plan
  const strange = strangeness(plan, drawn)
  const watched =
    strange === undefined
      ? criteria.map((criterion) => watchedBy(criterion, plan, of, { range, isLower, placeOf }))
      : []
  const waiting = new Map<number, number | undefined>()
  const values: Array<number | undefined> = []
  let outcome: "PASS" | "BREACH" | undefined

  const worth = ({ outcome: found }: ScoredItem): number | undefined =>
    found._tag === "Scored" ? found.verdict.scores[mean.name] : undefined
  const judge = (): typeof outcome => {
    const chances = watched.map(({ watch }) => watch.chances())
    if (chances.some(({ breach }) => breach <= alpha / (2 * gating))) return "BREACH"
    return chances.every(({ pass }) => pass <= alpha / 2) ? "PASS" : undefined
  }
  const told = { alpha, of }
  return {
    take: (index, scored) => {
      waiting.set(index, worth(scored))
      for (let item = items[values.length]; item !== undefined && waiting.has(values.length); ) {
        const value = waiting.get(values.length)
        waiting.delete(values.length)
        values.push(value === undefined ? undefined : placeOf(value))
        for (const { take } of watched) take(item, value)
        if (outcome === undefined && watched.length > 0 && values.length >= fewestAsked) outcome = judge()
        item = items[values.length]
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
    members: () => ({ stopped: false, asked: of, ...told }),
    notes: strange === undefined ? [] : [`early_stop: all items were asked, because ${strange}`]
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
