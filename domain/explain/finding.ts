/** What is said about a job: a cause, what shows it, and what to do. Reference: explain.md, "Findings". */
import { defined } from "../../values/defined.ts"
import type { Gate } from "../gate/gate.ts"
import type { Benchmark, Job, JobHead } from "../job/job.ts"
import type { Sentence } from "../sentence.ts"
import type { WireCounts } from "../validity/wire-counts.ts"

export const evidenceKinds = [
  "message",
  "log",
  "condition",
  "traffic",
  "progress",
  "runtime",
  "flag",
  "verdict",
  "gate"
] as const

export interface Evidence {
  readonly kind: (typeof evidenceKinds)[number]
  /** `job`, `benchmarks/<index>`, the address below the job where it can be read (`benchmarks/<index>/logs`, `gates/<id>`), or another job: `jobs/<id>` */
  readonly ref: string
  readonly text: string
}

export interface Finding {
  readonly code: string
  readonly says: string
  readonly evidence: ReadonlyArray<Evidence>
  readonly remedy: Sentence
  /** since when it is so, ISO time */
  readonly since: string
  /** when the benchmark it is about may end, ISO time */
  readonly eta?: string
}

/** what is known right now of the process or pod of a benchmark that has not ended, and what was seen of its model's traffic */
export interface UnitSight {
  readonly index: number
  readonly status?: "Queued" | "Alive" | "Gone"
  readonly traffic?: WireCounts
}

/** a benchmark that has a place to run; of another tenant nothing more is told */
export interface Holder {
  readonly job?: Pick<JobHead, "id" | "name">
}

/** everything an explanation is made of */
export interface Situation {
  readonly job: Job
  /** ISO time */
  readonly now: string
  readonly runtime: {
    readonly kind: "local" | "cluster"
    /** launches that may start at once; absent where it could not be told */
    readonly freeSlots?: number
    /** who has the places where none is free; absent where it was not asked */
    readonly holders?: ReadonlyArray<Holder>
  }
  readonly units: ReadonlyArray<UnitSight>
  /** the newest decision about the job */
  readonly gate?: Gate
}

/** a finding about one benchmark; those of the same code are told together */
export interface Cause {
  readonly code: string
  readonly says: string
  readonly remedy: Sentence
  readonly since: string
  readonly evidence: ReadonlyArray<Evidence>
  readonly eta?: string
}

export const placeOf = ({ index }: Benchmark): string => `benchmarks/${index}`
export const nameOf = ({ index, entry }: Benchmark): string => `benchmark ${index} (${entry.providerId}/${entry.id})`

const mostEvidence = 20

const merged = (all: ReadonlyArray<Cause>): Finding => {
  const [first, ...rest] = all.toSorted((a, b) => (a.since < b.since ? -1 : a.since > b.since ? 1 : 0))
  if (first === undefined) throw new Error("a group has a member")
  const etas = all.flatMap(({ eta }) => (eta === undefined ? [] : [eta])).toSorted()
  const eta = etas.length === all.length ? etas.at(-1) : undefined
  const { eta: _, ...told } = first
  return {
    ...told,
    says: rest.length === 0 ? first.says : `${first.says} (and ${rest.length} more of the same)`,
    evidence: [first, ...rest].flatMap(({ evidence }) => evidence).slice(0, mostEvidence),
    ...defined({ eta })
  }
}

/** one finding for each code, the one that began first at the front */
export const findingsOf = (causes: ReadonlyArray<Cause>): ReadonlyArray<Finding> => {
  const groups = new Map<string, Array<Cause>>()
  for (const cause of causes) groups.set(cause.code, [...(groups.get(cause.code) ?? []), cause])
  return [...groups.values()].map(merged).toSorted((a, b) => (a.since < b.since ? -1 : a.since > b.since ? 1 : 0))
}
