/** Every family's metrics can be made again from its records alone. Reference: samples.md, "Checking a score". */
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { readSample } from "../../../../domain/sample/read-sample.ts"
import type { JobSpec } from "../../../../providers/contract/job-spec.ts"
import { SampleRecord } from "../../../../providers/contract/sample-record.ts"
import { startDemoModel } from "../../../../providers/demo-model/server.ts"
import { evaldAdapter } from "../../../../providers/evald/adapter.ts"
import { benchmarkById, benchmarkIds } from "../../../../providers/evald/catalogue.ts"
import { rescore } from "../../../../providers/evald/rescore.ts"
import { folder } from "./evaluate.ts"

const families = benchmarkIds.filter((id) => benchmarkById(id)?.kind === "items" && id !== "custom_jsonl")

const parametersOf = (id: string, url: string): JobSpec["parameters"] => {
  if (id === "code_js_small") return { allow_code_execution: true }
  return id.startsWith("judge_") ? { judge: { url, name: "evald-demo" } } : {}
}

const ran = (id: string, more: Partial<JobSpec> = {}) =>
  Effect.gen(function* () {
    const { url } = yield* Effect.orDie(startDemoModel({ skill: 0.6 }))
    const output = yield* folder
    const job: JobSpec = {
      id: "job",
      provider_id: "evald",
      benchmark_id: id,
      benchmark_index: 0,
      model: { url, name: "evald-demo" },
      parameters: { num_concurrent: 4, ...parametersOf(id, url), ...more.parameters },
      num_examples: 8,
      seed: 7,
      callback_url: "http://127.0.0.1:1",
      output_dir: output,
      ...(more.test_data_dir === undefined ? {} : { test_data_dir: more.test_data_dir })
    }
    const results = yield* evaldAdapter("0.0.0").run(job, { status: () => Effect.void, warn: () => Effect.void })
    const records = readFileSync(join(output, "samples", `${id}.ndjson`), "utf8")
      .trimEnd()
      .split("\n")
      .map((line) => Schema.decodeUnknownSync(SampleRecord)(JSON.parse(line)))
    return { job, results, records }
  })

const numbers = (metrics: ReadonlyArray<{ readonly name: string; readonly value: unknown }>) =>
  Object.fromEntries(
    metrics.map(({ name, value }) => [name, typeof value === "number" ? Math.round(value * 1e9) : value])
  )

describe("records alone", () => {
  for (const id of families)
    it.scopedLive(`${id}: the same metrics, and no verdict that comes out otherwise`, () =>
      Effect.gen(function* () {
        const { job, results, records } = yield* ran(id)
        const again = yield* rescore(job, records)
        assert.deepStrictEqual(again.different, [])
        // how well the judge knows replies of known worth is no metric of the samples
        const ofSamples = results.metrics.filter(({ name }) => name !== "judge_agreement")
        assert.deepStrictEqual(numbers(again.metrics), numbers(ofSamples))
        assert.strictEqual(again.records, records.length)
        for (const record of records) {
          const { problems, unknown } = readSample(record, [])
          assert.deepStrictEqual([problems, unknown], [[], []], record.sample_id)
          assert.isString(record.reason, record.sample_id)
        }
      })
    )

  for (const scorer of ["exact_match_flexible", "bleu", "chrf", "f1"])
    it.scopedLive(`custom_jsonl by ${scorer}: also where the data are not at hand`, () =>
      Effect.gen(function* () {
        const data = yield* folder
        const rows = ["one two three", "four five six seven", "eight"].map((reference, at) =>
          JSON.stringify({ prompt: `Say ${reference}${at}`, reference })
        )
        writeFileSync(join(data, "rows.jsonl"), rows.join("\n"))
        const { job, results, records } = yield* ran("custom_jsonl", { test_data_dir: data, parameters: { scorer } })
        const again = yield* rescore({ ...job, test_data_dir: join(data, "gone") }, records)
        assert.deepStrictEqual(numbers(again.metrics), numbers(results.metrics))
      })
    )

  it.scopedLive("a verdict that was changed by hand is named, and the metric is the true one", () =>
    Effect.gen(function* () {
      const { job, results, records } = yield* ran("arith_basic")
      const forged = records.map((record) => ({
        ...record,
        verdict: "correct" as const,
        scores: Object.fromEntries(Object.keys(record.scores ?? {}).map((name) => [name, 1]))
      }))
      const again = yield* rescore(job, forged)
      assert.deepStrictEqual(
        again.different,
        records
          .filter(({ scores = {} }) => Object.values(scores).some((score) => score !== 1))
          .map(({ sample_id }) => sample_id)
      )
      assert.deepStrictEqual(numbers(again.metrics), numbers(results.metrics))
      assert.isAbove(again.different.length, 0)
    })
  )
})
