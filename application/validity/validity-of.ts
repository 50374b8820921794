/**
 * Whether the result in a terminal event can be believed: what the gateway saw, what the samples say, and what the adapter says against its
 * own score, before the event is decided. Reference: validity.md, "Witnesses".
 */
import { Context, Effect, Layer } from "effect"
import type { Benchmark, JobHead } from "../../domain/job/job.ts"
import type { StatusEvent } from "../../domain/job/status-event.ts"
import type { SamplePosition } from "../../domain/sample/sample-query.ts"
import { type SampleSeal, type SampleSummary, sumsOf } from "../../domain/sample/summary.ts"
import type { Validity } from "../../domain/score/validity.ts"
import { declaredFlags } from "../../domain/validity/declared-flags.ts"
import { judgeValidity } from "../../domain/validity/judge-validity.ts"
import { defaultLimits, type OwnLimits, type ValidityLimits } from "../../domain/validity/limits.ts"
import { recordTally, type SampleFigures } from "../../domain/validity/sample-figures.ts"
import type { WireCounts } from "../../domain/validity/wire-counts.ts"
import type { Calls } from "../../values/benchmark/calls.ts"
import { defined } from "../../values/defined.ts"
import type { ValueSums } from "../../values/mean-limits.ts"
import type { Unavailable } from "../errors.ts"
import { JobStore } from "../ports/stores/job-store.ts"
import { SampleStore, type SampleUnit } from "../ports/stores/sample-store.ts"
import { WireWitness } from "../ports/wire-witness.ts"
import { textGroups } from "../samples/text-groups.ts"

/** records that are read for what figures cannot tell: a share needs no more */
const readRecords = 2_000
const pageSize = 500

export interface Told {
  /** counts of the sidecar, which come with the event */
  readonly wire?: WireCounts
  /** `additional_info` of the event */
  readonly info?: { readonly [member: string]: unknown }
}

/** what the job and the definition of its benchmark say */
export interface Asked {
  /** of the job or its tenant */
  readonly limits?: OwnLimits
  readonly calls?: Calls
  /** name of the model, as requests have it */
  readonly model?: string
}

/** the default has no witness beside what the adapter says itself */
export class ValidityCheck extends Context.Reference<ValidityCheck>()("evald/application/ValidityCheck", {
  defaultValue: (): {
    /** Without a unit only what the event brings itself counts */
    readonly of: (unit: SampleUnit | undefined, told: Told, asked?: Asked) => Effect.Effect<Witnessed, Unavailable>
  } => ({
    of: (_, { wire, info }, { limits } = {}) =>
      Effect.sync(() =>
        witnessed(judgeValidity(evidenceOf(wire, undefined, info), { ...defaultLimits, ...limits }), wire, undefined)
      )
  })
}) {}

export interface Witnessed {
  /** absent: nobody looked */
  readonly validity?: Validity
  readonly wire?: WireCounts
  /** sums over the stored items */
  readonly samples?: ValueSums
  /** the stored items themselves */
  readonly seal?: SampleSeal
}

const witnessed = (
  validity: Validity | undefined,
  wire: WireCounts | undefined,
  summary: SampleSummary | undefined,
  seal?: SampleSeal
): Witnessed => {
  const samples = summary === undefined ? undefined : sumsOf(summary)
  return {
    ...defined({ validity, wire, samples, seal })
  }
}

const evidenceOf = (wire: WireCounts | undefined, samples: SampleFigures | undefined, info: Told["info"]) => {
  const adapter = declaredFlags(info)
  return {
    ...defined({ wire, samples, adapter })
  }
}

export const layer = (limits: ValidityLimits): Layer.Layer<ValidityCheck, never, SampleStore> =>
  Layer.effect(
    ValidityCheck,
    Effect.gen(function* () {
      const store = yield* SampleStore
      const { counts } = yield* WireWitness
      const records = Effect.fnUntraced(function* (unit: SampleUnit) {
        const tally = recordTally()
        let cursor: SamplePosition | undefined
        for (let read = 0; read < readRecords; read += pageSize) {
          const page = yield* store.page(unit, {
            filter: {},
            sort: { by: "index", descending: false },
            limit: pageSize,
            ...defined({ after: cursor })
          })
          for (const group of textGroups(page.items))
            for (const text of yield* store.texts(group))
              if (text !== undefined) tally.add(JSON.parse(text) as { readonly [member: string]: unknown })
          cursor = page.items.at(-1)?.position
          if (!page.more) break
        }
        return tally.figures()
      })
      const samplesOf = Effect.fnUntraced(function* (unit: SampleUnit) {
        const kinds = yield* store.kinds(unit)
        if (kinds.length === 0) return undefined
        return {
          kinds: kinds.map(({ stored, ...kind }) => ({ ...kind, count: stored })),
          records: yield* records(unit)
        }
      })
      return {
        of: (unit, { wire, info }, { limits: own, ...declared } = {}) =>
          Effect.gen(function* () {
            const inForce = { ...limits, ...own }
            if (unit === undefined)
              return witnessed(judgeValidity(evidenceOf(wire, undefined, info), inForce), wire, undefined)
            const seen = wire ?? (yield* counts(unit))
            return witnessed(
              judgeValidity({ ...evidenceOf(seen, yield* samplesOf(unit), info), ...declared }, inForce),
              seen,
              yield* store.summary(unit),
              yield* store.digest(unit)
            )
          })
      }
    })
  )

/** what the local gateway saw of a benchmark that runs or failed: it is used all the same */
const withWire = (unit: { readonly jobId: string; readonly index: number | undefined }, event: StatusEvent) =>
  Effect.gen(function* () {
    const { jobId, index } = unit
    if (event.wire !== undefined || event.spent !== undefined || index === undefined) return event
    const { counts, spent } = yield* WireWitness
    if (event.status === "running") return { ...event, ...defined({ spent: spent({ jobId, index }) }) }
    return event.status === "failed" ? { ...event, ...defined({ wire: yield* counts({ jobId, index }) }) } : event
  })

/** of a stored benchmark */
export const askedOf = (
  stored: { readonly head: Pick<JobHead, "model">; readonly benchmark: Pick<Benchmark, "snapshot"> } | undefined
): Asked =>
  defined({
    limits: stored?.benchmark.snapshot.validityLimits,
    calls: stored?.benchmark.snapshot.requirements?.calls,
    model: stored?.head.model.name
  })

/** a good end together with what its witnesses say. `index` may be of no benchmark, or unknown: whoever decides about the event says so */
export const withValidity = (
  { jobId, index }: { readonly jobId: string; readonly index: number | undefined },
  event: StatusEvent
): Effect.Effect<StatusEvent, Unavailable, JobStore> =>
  Effect.gen(function* () {
    if (event.status !== "completed") return yield* withWire({ jobId, index }, event)
    const { of } = yield* ValidityCheck
    const store = yield* JobStore
    const loaded =
      index === undefined
        ? undefined
        : yield* store.loadBenchmark(jobId, index).pipe(Effect.catchTag("NotFound", () => Effect.succeed(undefined)))
    const unit = index === undefined || loaded === undefined ? undefined : { tenant: loaded.head.tenant, jobId, index }
    const { wire, additionalInfo: info } = event
    const found = yield* of(unit, { ...defined({ wire, info }) }, askedOf(loaded))
    return { ...event, ...found }
  })
