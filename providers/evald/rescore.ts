/**
 * Metrics of a benchmark once more, from its sample records alone: answers are read and judged again by the same pure scorers where one
 * answer decides, and metrics are made of the verdicts as in a run. No model is asked. Reference: samples.md, "Checking a score".
 */
import { Effect, Either } from "effect"
import { defined } from "../../values/defined.ts"
import type { JobSpec } from "../contract/job-spec.ts"
import type { SampleRecord } from "../contract/sample-record.ts"
import { AdapterError, type Metric } from "../sdk/adapter.ts"
import { notSupported } from "../sdk/failures.ts"
import type { EndpointCapabilities } from "../sdk/model/model-exchange.ts"
import type { AskedItem, Item, ItemBenchmark, ItemVerdict, ScoredItem } from "./benchmark.ts"
import { benchmarkById } from "./catalogue.ts"
import { itemMetrics } from "./items/item-metrics.ts"
import { restore } from "./items/restore-item.ts"
import { contextOf } from "./items/run-items.ts"
import { readParameters } from "./parameters.ts"

export interface Rescored {
  readonly metrics: ReadonlyArray<Metric>
  readonly records: number
  /** verdicts that were made again, from the answer's text */
  readonly judgedAgain: number
  /** ids of samples whose verdict or scores came out otherwise */
  readonly different: ReadonlyArray<string>
}

/** what the job's result says of the endpoint; nothing of it changes how an answer is scored */
const unknownEndpoint: EndpointCapabilities = {
  ...{ chat: true, completions: true, stream: false, logprobs: false, echo: false, tools: false, demo: false }
} as EndpointCapabilities

/** an item of which there is no more than its record, such as one of somebody's own data */
const itemOfRecord = ({ sample_id, prompt, reference, choices }: SampleRecord): Item => ({
  id: sample_id,
  stratum: "",
  messages: Array.isArray(prompt) ? (prompt as Item["messages"]) : [],
  maxTokens: 0,
  reference,
  ...defined({ choices }),
  score: () => ({ verdict: "invalid", scores: {} })
})

const sameScores = (a: ItemVerdict["scores"], b: ItemVerdict["scores"]): boolean =>
  Object.keys(a).length === Object.keys(b).length &&
  Object.entries(a).every(([name, score]) => Math.abs(score - (b[name] ?? Number.NaN)) <= 1e-9)

const skipped: AskedItem["verdict"] = { verdict: "skipped", scores: {} }

/** undefined: the verdict took more than this one answer (several requests, a judge, log-probabilities, texts that were not kept) */
const judgedAgain = (item: Item, made: boolean, record: SampleRecord, asked: AskedItem): ItemVerdict | undefined => {
  const kept = record.response !== undefined && record.truncated !== true && record.cut === undefined
  const single = made && item.ask === undefined && item.topLogprobs === undefined
  return kept && single && asked.verdict.noAnswer === undefined ? item.score(asked.answer) : undefined
}

const itemsOf = (benchmark: ItemBenchmark, job: JobSpec) =>
  Effect.gen(function* () {
    const parameters = yield* readParameters(job)
    const context = contextOf(job, parameters, unknownEndpoint)
    const made = yield* Effect.either(benchmark.items(context))
    return { context, items: new Map(Either.isRight(made) ? made.right.map((item) => [item.id, item] as const) : []) }
  })

/** `job`: as the unit got it, apart from addresses. Records of one key: the last one counts, as in a run that was continued. */
export const rescore = (job: JobSpec, records: ReadonlyArray<SampleRecord>): Effect.Effect<Rescored, AdapterError> =>
  Effect.gen(function* () {
    const task = job.requirements?.framework_task ?? job.benchmark_id
    const benchmark = benchmarkById(task)
    if (benchmark?.kind !== "items")
      return yield* notSupported(`${task} is no benchmark of questions, whose metrics could be made of records`)
    const { context, items } = yield* itemsOf(benchmark, job)
    const last = new Map(records.map((record) => [`${record.repeat} ${record.sample_id}`, record]))
    const different: Array<string> = []
    let again = 0
    const scored = [...last.values()]
      .toSorted((a, b) => a.index - b.index)
      .map((record): ScoredItem => {
        const item = items.get(record.sample_id) ?? itemOfRecord(record)
        if (record.verdict === "error") {
          const { code, message } = record.error ?? { code: "adapter_internal_error", message: "" }
          return { item, outcome: { _tag: "Failed", error: new AdapterError({ code, message, retryable: false }) } }
        }
        const asked = restore(record)
        if (asked === undefined)
          return { item, outcome: { _tag: "Scored", answer: restoreEmpty(record), verdict: skipped } }
        const verdict = judgedAgain(item, items.has(record.sample_id), record, asked)
        if (verdict === undefined)
          return { item, outcome: { _tag: "Scored", answer: asked.answer, verdict: asked.verdict } }
        again += 1
        if (verdict.verdict !== record.verdict || !sameScores(verdict.scores, asked.verdict.scores))
          different.push(record.sample_id)
        return { item, outcome: { _tag: "Scored", answer: asked.answer, verdict } }
      })
    return { metrics: itemMetrics(benchmark, scored, context), records: last.size, judgedAgain: again, different }
  })

const restoreEmpty = (record: SampleRecord): AskedItem["answer"] => ({
  text: record.response ?? "",
  toolCalls: [],
  tokens: { prompt: 0, completion: 0, estimated: true },
  latencyMs: 0,
  retries: 0
})
