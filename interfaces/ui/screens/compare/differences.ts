/** The rows of a comparison in the order in which they matter, and the scales that they are drawn on. */
import type { RecordOf } from "../../data/answer.ts"

export type Comparison = RecordOf<"createComparison">
export type Candidate = Comparison["candidates"][number]
export type Compared = Candidate["benchmarks"][number]
export type Outcome = Compared["outcome"]

export interface Row {
  readonly candidate: Candidate
  readonly benchmark: Compared
}

/** what has become worse first, then what cannot be told */
const order: ReadonlyArray<Outcome> = [
  "worse",
  "inconclusive",
  "not_comparable",
  "better",
  "no_difference_shown",
  "not_worse"
]

const differs = ({ outcome }: Compared): boolean => outcome === "worse" || outcome === "better"

/** reasons for which there are no items that were asked alike in both jobs, and kept */
const unpaired: ReadonlySet<Compared["reason"]> = new Set([
  ...(["samples_missing", "prompts_differ", "no_common_items", "profiles_differ"] as const)
])

/** whether the answers of both jobs can be held against each other; requests of performance benchmarks are not kept with their texts */
export const hasPairs = ({ baseline_index: one, candidate_index: other, reason, percentiles }: Compared): boolean =>
  one !== undefined && other !== undefined && percentiles === undefined && !unpaired.has(reason)

/** within one outcome the surest loss first */
export const rowsOf = ({ candidates }: Comparison, onlyDiffering: boolean): ReadonlyArray<Row> =>
  candidates
    .flatMap((candidate) => candidate.benchmarks.map((benchmark) => ({ candidate, benchmark })))
    .filter(({ benchmark }) => !onlyDiffering || differs(benchmark))
    .sort(
      ({ benchmark: a }, { benchmark: b }) =>
        order.indexOf(a.outcome) - order.indexOf(b.outcome) || (a.p_worse ?? 1) - (b.p_worse ?? 1)
    )

/** how far from nought a row reaches */
const reachOf = ({ difference = 0, interval }: Compared, tolerance: number): number =>
  Math.max(Math.abs(difference), Math.abs(interval?.low ?? 0), Math.abs(interval?.high ?? 0), tolerance)

const nameOf = ({ provider_id, id }: Compared): string => `${provider_id}/${id}`

/**
 * How far to each side the axis of a row goes. Differences of at most 1 are drawn on one scale, so that they can be compared by eye; a benchmark
 * with larger ones, such as a latency, has its own.
 */
export const scalesOf = (rows: ReadonlyArray<Row>, tolerance = 0): ((benchmark: Compared) => number) => {
  const reaches = new Map<string, number>()
  for (const { benchmark } of rows) {
    const name = nameOf(benchmark)
    reaches.set(name, Math.max(reaches.get(name) ?? 0, reachOf(benchmark, tolerance)))
  }
  const common = Math.max(0, ...[...reaches.values()].filter((reach) => reach <= 1)) || 1
  return (benchmark) => {
    const reach = reaches.get(nameOf(benchmark)) ?? common
    return (reach <= 1 ? common : reach) * 1.1
  }
}
