/** Samples in memory: the same decisions as those of a database, over whole records. */

import { createHash } from "node:crypto"
import { Effect, Layer } from "effect"
import { NotFound } from "../../application/errors.ts"
import {
  type IncomingSample,
  type MadeText,
  type SampleScope,
  SampleStore,
  SamplesRefused,
  type SampleUnit,
  type StoredSample
} from "../../application/ports/stores/sample-store.ts"
import type { ScoredSample } from "../../domain/comparison/pair-samples.ts"
import { planCall } from "../../domain/sample/meet.ts"
import { isScored, keyText, limits, type Sample, whole } from "../../domain/sample/sample.ts"
import { compareSamples, kindText, matchesKind, type SortMember, sortValue } from "../../domain/sample/sample-query.ts"
import { basisOf, type ClusterSum, type GroupedFigures, type KindSums, summaryOf } from "../../domain/sample/summary.ts"
import { sum } from "../../domain/validity/flag.ts"
import { defined } from "../../values/defined.ts"
import { breath } from "../in-process/in-steps.ts"
import { type Taken, takeAll } from "../samples/prepare.ts"
import { makeReadCall } from "../samples/reading/read-call.ts"
import { readThread } from "../samples/reading/read-thread.ts"
import { promptOf } from "../samples/record-text.ts"
import { type StoredSamples, step, Tables } from "./tables.ts"

type Rows = StoredSamples["rows"]
type Row = Rows extends ReadonlyMap<string, infer A> ? A : never

const setKey = (jobId: string, index: number): string => `${jobId}/${index}`

const storedSample = (benchmark: number, { row, sample, digest, text }: Row, by: SortMember): StoredSample => {
  const { document: _document, scores: _scores, ...known } = sample
  return {
    ...known,
    benchmark,
    digest,
    position: { benchmark, value: sortValue(sample, by), row },
    place: { chunk: row, start: 0, length: Buffer.byteLength(text) }
  }
}

const sumsOf = (samples: ReadonlyArray<Sample>): KindSums => {
  const scores = samples.flatMap(({ score }) => (score === undefined ? [] : [score]))
  return {
    verdict: samples[0]?.verdict ?? "error",
    stored: samples.length,
    withScore: scores.length,
    scoreSum: sum(scores),
    scoreSquares: sum(scores.map((score) => score * score)),
    scoreMin: Math.min(...scores),
    scoreMax: Math.max(...scores),
    fractions: scores.filter((score) => score !== 0 && score !== 1).length
  }
}

const groups = <A>(all: ReadonlyArray<A>, key: (one: A) => string): ReadonlyArray<ReadonlyArray<A>> => {
  const found = new Map<string, Array<A>>()
  for (const one of all) {
    const name = key(one)
    const group = found.get(name)
    if (group === undefined) found.set(name, [one])
    else group.push(one)
  }
  return [...found.values()]
}

const grouped = (samples: ReadonlyArray<Sample>, byScore: boolean): GroupedFigures => {
  const items = groups(
    samples.filter(({ verdict }) => isScored(verdict)),
    ({ sampleId, task }) => JSON.stringify([sampleId, task])
  ).map((repeats) => ({
    x:
      sum(repeats.map(({ score, verdict }) => (byScore ? (score ?? 0) : verdict === "correct" ? 1 : 0))) /
      repeats.length,
    cluster: repeats.find(({ cluster }) => cluster !== undefined)?.cluster
  }))
  const values = items.map(({ x }) => x)
  const figures: GroupedFigures = {
    items: items.length,
    sum: sum(values),
    sumOfSquares: sum(values.map((x) => x * x)),
    min: items.length === 0 ? 0 : Math.min(...values),
    max: items.length === 0 ? 0 : Math.max(...values)
  }
  if (!samples.some(({ cluster }) => cluster !== undefined)) return figures
  const named = items
    .filter(({ cluster }) => cluster !== undefined)
    .sort((a, b) => Buffer.compare(Buffer.from(a.cluster ?? ""), Buffer.from(b.cluster ?? "")))
  const clusters: ReadonlyArray<ClusterSum> = [
    ...groups(named, ({ cluster }) => cluster ?? "").map((one) => ({
      items: one.length,
      sum: sum(one.map(({ x }) => x))
    })),
    ...items.filter(({ cluster }) => cluster === undefined).map(({ x }) => ({ items: 1, sum: x }))
  ]
  return { ...figures, clusters }
}

const compareTexts = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b))

const compareKeys = (a: Sample, b: Sample): number =>
  compareTexts(a.sampleId, b.sampleId) || compareTexts(a.task, b.task) || a.repeat - b.repeat

const setsOf = (
  { samples }: typeof Tables.Service,
  { tenant, jobId, index }: SampleScope
): ReadonlyArray<StoredSamples> =>
  [...samples.values()].filter(
    (set) => set.tenant === tenant && set.jobId === jobId && (index === undefined || set.index === index)
  )

const samplesOf = (set: StoredSamples): ReadonlyArray<Sample> => [...set.rows.values()].map(({ sample }) => sample)

const digestsIn = (set: StoredSamples | undefined): Buffer =>
  Buffer.concat(
    [...(set?.rows.values() ?? [])]
      .sort((a, b) => compareKeys(a.sample, b.sample))
      .map(({ digest }) => Buffer.from(digest, "hex"))
  )

const scoredIn = (set: StoredSamples | undefined, most: number): ReadonlyArray<ScoredSample> | undefined => {
  const all = set === undefined ? [] : samplesOf(set).toSorted(compareKeys)
  return all.length > most ? undefined : all.map(scoredOf)
}

const scoredOf = (sample: Sample): ScoredSample => {
  const { sampleId, task, repeat, verdict, score, cluster } = sample
  return { sampleId, task, repeat, verdict, ...defined({ score, cluster, prompt: promptOf(sample) }) }
}

/** what lives as long as the call does is left out */
const withoutCall = (sample: IncomingSample): Sample => {
  const { made: _, ...kept } = whole(sample) as IncomingSample
  return kept
}

const adding = (tables: typeof Tables.Service): SampleStore["Type"]["add"] => {
  let lastRow = 0
  return (unit, samples, { maxPerJob, content }) => {
    const texts: Array<string> = []
    const write = (text: string | MadeText) =>
      texts.push(typeof text === "string" ? text : text.bytes.toString("utf8", text.from, text.to))
    return Effect.flatMap(takeAll(samples, content, write, breath), (records) =>
      step((now) =>
        Effect.gen(function* () {
          if (tables.jobs.get(unit.jobId)?.job.tenant !== unit.tenant)
            return yield* new NotFound({ kind: "job", id: unit.jobId })
          const key = setKey(unit.jobId, unit.index)
          const before: Rows = tables.samples.get(key)?.rows ?? new Map()
          const known = new Map(
            [...before].map(([name, { sample, digest }]) => [name, { verdict: sample.verdict, digest }] as const)
          )
          const plan = planCall(known, records)
          if (plan.conflicts.length > 0) return yield* new SamplesRefused({ why: "conflict", keys: plan.conflicts })
          const inJob = sum(setsOf(tables, { tenant: unit.tenant, jobId: unit.jobId }).map(({ rows }) => rows.size))
          if (plan.fresh.length > 0 && inJob + plan.fresh.length > maxPerJob)
            return yield* new SamplesRefused({ why: "full", keys: [] })
          const rows = new Map(before)
          const store = ({ sample, digest, key: name, number }: Taken) => {
            const row = rows.get(keyText(name))?.row ?? ++lastRow
            rows.set(keyText(name), { row, sample: withoutCall(sample), digest, text: texts[number] ?? "" })
          }
          plan.fresh.forEach(store)
          plan.replacing.forEach(store)
          if (new Set([...rows.values()].map(({ sample }) => kindText(sample))).size > limits.kinds)
            return yield* new SamplesRefused({ why: "kinds", keys: [] })
          if (plan.fresh.length + plan.replacing.length > 0)
            tables.samples.set(key, { ...unit, updatedAt: new Date(now).toISOString(), rows })
          return { stored: plan.fresh.length, replaced: plan.replacing.length, duplicate: plan.duplicate }
        })
      )
    )
  }
}

const make = Effect.map(Tables, (tables) => {
  const setOf = ({ tenant, jobId, index }: SampleUnit): StoredSamples | undefined => {
    const set = tables.samples.get(setKey(jobId, index))
    return set?.tenant === tenant && set.rows.size > 0 ? set : undefined
  }
  return SampleStore.of({
    read: makeReadCall(breath, readThread),
    add: adding(tables),
    page: (scope, { filter, sort, limit, after }) =>
      Effect.sync(() => {
        const order = compareSamples(sort)
        const all = setsOf(tables, scope)
          .flatMap((set) => [...set.rows.values()].map((row) => storedSample(set.index, row, sort.by)))
          .filter((sample) => matchesKind(sample, filter))
          .sort(order)
        const rest = after === undefined ? all : all.filter((sample) => order({ position: after }, sample) < 0)
        return { items: rest.slice(0, limit), total: all.length, more: rest.length > limit }
      }),
    find: (unit, { sampleId, repeat, task }) =>
      Effect.sync(() => {
        const [found] = [...(setOf(unit)?.rows.values() ?? [])]
          .filter(
            ({ sample }) =>
              sample.sampleId === sampleId && sample.repeat === repeat && (task === undefined || sample.task === task)
          )
          .sort((a, b) => compareTexts(a.sample.task, b.sample.task))
        return found === undefined ? undefined : storedSample(unit.index, found, "index")
      }),
    texts: (samples) =>
      Effect.sync(() => {
        const texts = new Map(
          [...tables.samples.values()].flatMap(({ rows }) =>
            [...rows.values()].map(({ row, text }) => [row, text] as const)
          )
        )
        return samples.map(({ place }) => texts.get(place.chunk))
      }),
    kinds: (unit) =>
      Effect.sync(() => {
        const set = setOf(unit)
        return set === undefined
          ? []
          : groups(samplesOf(set), kindText).flatMap(([first, ...others]) => {
              if (first === undefined) return []
              const { verdict, reason, finishReason, flags } = first
              const names = {
                ...defined({ reason, finishReason })
              }
              return [{ verdict, ...names, flags, stored: others.length + 1 }]
            })
      }),
    summary: (unit) =>
      Effect.sync(() => {
        const set = setOf(unit)
        if (set === undefined) return undefined
        const samples = samplesOf(set)
        const kinds = groups(samples, kindText).map(sumsOf)
        const repeats = Math.max(...samples.map(({ repeat }) => repeat + 1))
        const together =
          repeats > 1 || samples.some(({ cluster }) => cluster !== undefined)
            ? grouped(samples, basisOf(kinds) === "score")
            : undefined
        return summaryOf(kinds, repeats, together)
      }),
    scored: (unit, most) => Effect.sync(() => scoredIn(setOf(unit), most)),
    digest: (unit) =>
      Effect.sync(() => {
        const set = setOf(unit)
        if (set === undefined) return undefined
        return { count: set.rows.size, sha256: createHash("sha256").update(digestsIn(set)).digest("hex") }
      }),
    digests: (unit) => Effect.sync(() => digestsIn(setOf(unit))),
    expire: (before) =>
      Effect.sync(() => {
        for (const [key, { updatedAt }] of tables.samples) if (updatedAt < before) tables.samples.delete(key)
      }),
    purge: () => Effect.succeed(false)
  })
})

export const layer: Layer.Layer<SampleStore, never, Tables> = Layer.effect(SampleStore, make)
