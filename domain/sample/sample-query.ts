/** What a list of samples is asked for. Reference: samples.md, "Lists". */
import type { Sample, SampleReason, SampleVerdict } from "./sample.ts"

/** members with an order that is kept ready */
export const sortMembers = ["index", "score", "tokens", "latency_ms"] as const
export type SortMember = (typeof sortMembers)[number]

export interface SampleSort {
  readonly by: SortMember
  readonly descending: boolean
}

/** place after which a page goes on: benchmark, value of the sort member, number of the row */
export interface SamplePosition {
  readonly benchmark: number
  readonly value: number
  readonly row: number
}

export interface SampleFilter {
  readonly verdict?: SampleVerdict
  readonly flag?: string
  readonly finishReason?: string
}

export interface SampleQuery {
  readonly filter: SampleFilter
  readonly sort: SampleSort
  readonly limit: number
  readonly after?: SamplePosition
}

/** below every value that a record can have, so that samples without the sort member have a place too */
export const absent = { score: -1e308, tokens: -1, latency: -1 } as const

/** what samples are filtered by; a benchmark has few kinds, and they are counted */
export interface SampleKind {
  readonly verdict: SampleVerdict
  readonly reason?: SampleReason
  readonly finishReason?: string
  readonly flags: ReadonlyArray<string>
}

/** equal for samples of one kind */
export const kindText = ({ verdict, reason, finishReason, flags }: SampleKind): string =>
  JSON.stringify([verdict, reason, finishReason, flags.join(",")])

/** what a sample is ordered by */
export const sortValue = (
  sample: Pick<Sample, "index" | "score" | "completionTokens" | "latencyMillis">,
  by: SortMember
): number => {
  if (by === "index") return sample.index
  if (by === "score") return sample.score ?? absent.score
  return by === "tokens" ? (sample.completionTokens ?? absent.tokens) : (sample.latencyMillis ?? absent.latency)
}

export const matchesKind = (kind: SampleKind, { verdict, flag, finishReason }: SampleFilter): boolean =>
  (verdict === undefined || kind.verdict === verdict) &&
  (flag === undefined || kind.flags.includes(flag)) &&
  (finishReason === undefined || kind.finishReason === finishReason)

interface Placed {
  readonly position: SamplePosition
}

/** by benchmark first where the order is the data set's, else over all benchmarks of the job */
export const compareSamples =
  ({ by, descending }: SampleSort) =>
  ({ position: a }: Placed, { position: b }: Placed): number => {
    const sign = descending ? -1 : 1
    if (by === "index" && a.benchmark !== b.benchmark) return sign * (a.benchmark - b.benchmark)
    return sign * (a.value - b.value || a.row - b.row)
  }
