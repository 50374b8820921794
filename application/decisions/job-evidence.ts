/** What comparisons and gates look at of a job: the job, its samples benchmark by benchmark, and a digest that changes when either does. */
import { Effect } from "effect"
import { mostSamples, type Side } from "../../domain/comparison/compare-benchmark.ts"
import type { ComparedJob, NamedJob } from "../../domain/comparison/comparison.ts"
import type { ScoredSample } from "../../domain/comparison/pair-samples.ts"
import type { Benchmark, Job } from "../../domain/job/job.ts"
import { isScored, type SampleKey } from "../../domain/sample/sample.ts"
import type { SamplePosition, SampleQuery } from "../../domain/sample/sample-query.ts"
import { shown, violation } from "../../domain/violation.ts"
import { defined } from "../../values/defined.ts"
import { isObject } from "../../values/json.ts"
import { Invalid } from "../errors.ts"
import { JobStore } from "../ports/stores/job-store.ts"
import { SampleStore, type SampleUnit } from "../ports/stores/sample-store.ts"
import { textGroups } from "../samples/text-groups.ts"

/** a job that a body names; one of another tenant is answered as if there were none */
export const namedJob = (tenant: string, { id, path }: NamedJob) =>
  Effect.flatMap(JobStore, (store) => store.load(tenant, id)).pipe(
    Effect.catchTag(
      "NotFound",
      () =>
        new Invalid({
          violations: [
            violation(path, `job ${shown(id)} does not exist; name a job of this tenant`, "resource_does_not_exist")
          ]
        })
    )
  )

export const comparedJob = ({ id, name, model: { url, name: model } }: Job): ComparedJob => ({
  id,
  name,
  model: { url, name: model }
})

const unitOf = ({ id, tenant }: Job, { index, carried }: Benchmark): SampleUnit =>
  carried === undefined ? { tenant, jobId: id, index } : { tenant, jobId: carried.job, index: carried.index }

/** everything about a benchmark that an outcome can depend on */
const benchmarkInputs = (job: Job, benchmark: Benchmark) =>
  Effect.gen(function* () {
    const { index, entry, state, result, snapshot } = benchmark
    const { primaryScore, threshold, weight } = snapshot
    return {
      ...{ index, entry, state, primaryScore, threshold, weight },
      ...defined({ metrics: result?.metrics, test: result?.test, validity: result?.validity?.status }),
      samples: yield* (yield* SampleStore).digest(unitOf(job, benchmark))
    }
  })

export const jobInputs = (job: Job, benchmarks: ReadonlyArray<Benchmark>) =>
  Effect.map(
    Effect.forEach(benchmarks, (benchmark) => benchmarkInputs(job, benchmark)),
    (all) => ({ job: job.id, model: job.model, benchmarks: all })
  )

const inOrder = (after: SamplePosition | undefined): SampleQuery => ({
  filter: {},
  sort: { by: "index", descending: false },
  limit: 500,
  ...defined({ after })
})

/** every stored record of the benchmark, in steps */
const eachRecord = (unit: SampleUnit, take: (record: { readonly [member: string]: unknown }) => void) =>
  Effect.gen(function* () {
    const store = yield* SampleStore
    let after: SamplePosition | undefined
    for (;;) {
      const page = yield* store.page(unit, inOrder(after))
      for (const group of textGroups(page.items))
        for (const text of yield* store.texts(group)) if (text !== undefined) take(JSON.parse(text))
      after = page.items.at(-1)?.position
      if (!page.more) return
    }
  })

/** metrics of single requests, as performance benchmarks name them */
const percentile = /^p\d+_(?:latency|ttft)_ms$/
const timeNames = ["latency_ms", "ttft_ms"] as const

/** times of the requests that count in the figures */
const timesOf = (unit: SampleUnit) =>
  Effect.gen(function* () {
    const times: { readonly [name: string]: Array<number> } = { latency_ms: [], ttft_ms: [] }
    yield* eachRecord(unit, (record) => {
      const timing = record["timing"]
      if (record["reason"] !== "measured" || (isObject(timing) && timing["counted"] === false)) return
      for (const name of timeNames) {
        const time = record[name]
        if (typeof time === "number") times[name]?.push(time)
      }
    })
    return times
  })

/** values of the primary metric as far as they follow one another from the first that was asked; a gap is one that is not stored */
const askedItems = (unit: SampleUnit) =>
  Effect.gen(function* () {
    const store = yield* SampleStore
    const values: Array<number | undefined> = []
    const keys: Array<SampleKey> = []
    let unscored = 0
    let after: SamplePosition | undefined
    for (;;) {
      const page = yield* store.page(unit, inOrder(after))
      for (const { index, verdict, score, sampleId, task, repeat } of page.items) {
        if (index !== values.length) return { values, keys, unscored }
        keys.push({ sampleId, task, repeat })
        values.push(isScored(verdict) ? score : undefined)
        if (!isScored(verdict)) unscored += 1
      }
      after = page.items.at(-1)?.position
      if (!page.more) return { values, keys, unscored }
    }
  })

/** what was measured of it: items, or times of requests */
export const sideOf = (job: Job, benchmark: Benchmark) =>
  Effect.gen(function* () {
    const unit = unitOf(job, benchmark)
    if (benchmark.result?.earlyStopped !== undefined) {
      const samples = yield* (yield* SampleStore).scored(unit, mostSamples)
      const stopped: Side = { benchmark, samples, asked: yield* askedItems(unit) }
      return stopped
    }
    const isLoad = Object.keys(benchmark.result?.metrics ?? {}).some((name) => percentile.test(name))
    const side: Side = isLoad
      ? { benchmark, samples: [], times: yield* timesOf(unit) }
      : { benchmark, samples: yield* (yield* SampleStore).scored(unit, mostSamples) }
    return side
  })

/** the samples with the scores of another metric than the primary one; undefined: there are too many */
export const samplesOfMetric = (job: Job, benchmark: Benchmark, metric: string) =>
  Effect.gen(function* () {
    const unit = unitOf(job, benchmark)
    const samples = yield* (yield* SampleStore).scored(unit, mostSamples)
    if (samples === undefined) return undefined
    const keyOf = (sampleId: unknown, task: unknown, repeat: unknown) => JSON.stringify([sampleId, task, repeat])
    const scores = new Map<string, number>()
    yield* eachRecord(unit, ({ sample_id, task, repeat, scores: all }) => {
      const score = isObject(all) ? all[metric] : undefined
      if (typeof score === "number") scores.set(keyOf(sample_id, task, repeat), score)
    })
    return samples.map(({ score: _, ...sample }): ScoredSample => {
      const { sampleId, task, repeat, verdict } = sample
      const score = isScored(verdict) ? scores.get(keyOf(sampleId, task, repeat)) : undefined
      return { ...sample, ...defined({ score }) }
    })
  })
