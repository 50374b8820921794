/**
 * The verdict of a benchmark: which reported number is its primary score, whether it passes, and what its items show. Nothing is guessed: a
 * value that is not there is said to be missing. Reference: states-and-scores.md, "Primary metric", "Verdicts".
 */

import { defined } from "../../values/defined.ts"
import { summaryOf, type ValueSums } from "../../values/mean-limits.ts"
import type { EarlyStopped } from "../gate/early-stop.ts"
import { inferredScale, isOutside, rangeOf, type Scale, shownRange } from "../score/scale.ts"
import type { Validity } from "../score/validity.ts"
import { decide, limitsOf } from "../score/verdict.ts"
import { shown } from "../violation.ts"
import type { BenchmarkSnapshot, BenchmarkTest, MetricDescription, Metrics } from "./job.ts"

export type MetricMatch =
  | { readonly _tag: "Found"; readonly name: string; readonly value: number }
  | { readonly _tag: "Missing"; readonly note: string }

const maxNamed = 20
const named = (names: ReadonlyArray<string>): string => {
  if (names.length === 0) return "none"
  const rest = names.length - maxNamed
  return `${names.slice(0, maxNamed).map(shown).join(", ")}${rest > 0 ? ` and ${rest} more` : ""}`
}
const missing = (note: string): MetricMatch => ({ _tag: "Missing", note })

/** a reported name that stands for `name` with a group before it or a filter after it: `task/acc`, `task.acc`, `acc,none` */
const standsFor = (reported: string, name: string): boolean =>
  reported.endsWith(`/${name}`) || reported.endsWith(`.${name}`) || reported.startsWith(`${name},`)

/** exact name first, else the only name that stands for it, else no value and the reported names */
export const resolveMetric = (metrics: Metrics, name: string): MetricMatch => {
  const names = Object.keys(metrics)
  const found = Object.hasOwn(metrics, name) ? [name] : names.filter((reported) => standsFor(reported, name))
  const [match, second] = found
  if (match === undefined) return missing(`Primary metric ${shown(name)} was not reported. Reported: ${named(names)}.`)
  if (second !== undefined) return missing(`Primary metric ${shown(name)} is ambiguous. Reported: ${named(found)}.`)
  const value = metrics[match]
  if (typeof value === "number" && Number.isFinite(value)) return { _tag: "Found", name: match, value }
  return missing(`Primary metric ${shown(match)} has the value ${shown(value)}, which is not a number.`)
}

/** the scale of the primary metric: declared, else what the definition means */
export const scaleOf = ({ primaryScore, threshold }: Pick<BenchmarkSnapshot, "primaryScore" | "threshold">): Scale =>
  primaryScore?.scale ?? inferredScale(threshold?.value)

/** what is known of a result beside the reported metrics */
export interface Known {
  /** descriptions of the metrics as the adapter gives them */
  readonly schema?: ReadonlyArray<MetricDescription>
  /** sums over the stored items, of the primary metric on its scale */
  readonly samples?: ValueSums
  readonly validity?: Validity
  /** asking ended for what the items showed */
  readonly earlyStopped?: EarlyStopped
}

/** `acc_stderr` of `acc`, `acc_stderr,none` of `acc,none` */
const standardErrorOf = (metrics: Metrics, name: string): number | undefined => {
  const comma = name.indexOf(",")
  const value = metrics[comma < 0 ? `${name}_stderr` : `${name.slice(0, comma)}_stderr${name.slice(comma)}`]
  return typeof value === "number" ? value : undefined
}

/** shares by their names, whichever group or filter stands around them */
const rate =
  /(?:^|[/.])(?:acc|acc_norm|accuracy|exact_match|exact_match_flexible|f1|mc[12]|pass@\d+|(?:\w+_)?(?:acc|accuracy|asr)|(?:\w+_)?(?:error|success|refusal|mismatch|invalid|resolve|pass|win|failure|compile)_rate)(?:,|$)/

/** rates lie between 0 and 1, whoever reports them; a metric with a declared scale of its own is not asked */
const strayRates = (metrics: Metrics, except: string | undefined): ReadonlyArray<string> => {
  const stray = Object.entries(metrics).flatMap(([name, value]) =>
    name !== except && typeof value === "number" && rate.test(name) && isOutside("unit", value)
      ? [`${name} ${value}`]
      : []
  )
  return stray.length === 0 ? [] : [`value_outside_scale: rates lie between 0 and 1, reported were ${named(stray)}.`]
}

const outside = (name: string, value: number, scale: Scale): string => {
  const range = rangeOf(scale)
  const ends = range === undefined ? "" : ` ${shownRange(range)}`
  return `value_outside_scale: ${shown(name)} is ${value}, outside its scale${ends}: no verdict, and it does not count in the score. Where it has another scale, primary_score.scale says so.`
}

const unbound = (name: string): string =>
  `no_bounds: nothing tells how far ${shown(name)} may lie from its true value (no samples, counts, standard error or interval, or too few of them), so that its verdict is inconclusive.`

/** the verdict of one benchmark, and notes on what stands in its way */
export const benchmarkTest = (
  snapshot: Pick<BenchmarkSnapshot, "primaryScore" | "threshold">,
  metrics: Metrics,
  { schema, samples, validity, earlyStopped }: Known = {}
): { readonly test?: BenchmarkTest; readonly notes: ReadonlyArray<string> } => {
  const primary = snapshot.primaryScore
  if (primary === undefined)
    return {
      notes: ["No primary metric is defined for this benchmark, so it has no score.", ...strayRates(metrics, undefined)]
    }
  const match = resolveMetric(metrics, primary.metric)
  if (match._tag === "Missing") return { notes: [match.note, ...strayRates(metrics, undefined)] }
  const { name, value } = match
  const { lowerIsBetter } = primary
  const scale = scaleOf(snapshot)
  const limit = snapshot.threshold === undefined ? {} : { threshold: snapshot.threshold.value }
  const test = { primaryScore: value, metric: name, lowerIsBetter, ...limit }
  const notes = strayRates(metrics, name)
  if (isOutside(scale, value))
    return {
      test: { ...test, ...(limit.threshold === undefined ? {} : { decided: "inconclusive" as const }) },
      notes: [outside(name, value, scale), ...notes]
    }
  const stored = samples === undefined ? undefined : summaryOf(samples, rangeOf(scale))
  const described = schema?.find((metric) => metric.name === name)
  const stderr = described?.stderr ?? standardErrorOf(metrics, name)
  const limits = limitsOf({ value, ...described, ...defined({ stderr }) }, scale, stored, earlyStopped !== undefined)
  const { bounds } = limits
  const { threshold } = limit
  if (threshold === undefined) return { test: { ...test, ...limits }, notes }
  if (validity?.status === "invalid") return { test: { ...test, decided: "inconclusive", ...limits }, notes }
  const pass = lowerIsBetter ? value <= threshold : value >= threshold
  const decided = decide(bounds, threshold, lowerIsBetter)
  // an adapter that describes a metric could have said how precise it is
  const open = bounds === undefined && described !== undefined ? [unbound(name)] : []
  return { test: { ...test, pass, decided, ...limits }, notes: [...open, ...notes] }
}
