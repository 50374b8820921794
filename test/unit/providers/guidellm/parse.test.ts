/** The reports are made here after the shapes of real ones; they are no recordings. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Either } from "effect"
import { DEFINITION } from "../../../../providers/guidellm/definition.ts"
import { WRAPPER } from "../../../../providers/guidellm/main.ts"
import { metricsOf, parsePoints } from "../../../../providers/guidellm/parse.ts"
import { AdapterError } from "../../../../providers/sdk/adapter.ts"
import { explain } from "../../../../providers/sdk/framework/error-table.ts"
import { planRequest } from "../../../support/wrapper-plan.ts"

const summary = (mean: number) => ({
  successful: { mean, median: mean, std_dev: 0, min: mean, max: mean, count: 9, percentiles: { p50: mean, p90: mean + 1, p95: mean + 2, p99: mean + 3 } },
  errored: { mean: 999, percentiles: {} }
})
const measurement = (tokens: number, totals: { readonly successful: number; readonly errored: number; readonly incomplete: number }) => ({
  config: { strategy: { type_: "constant", rate: 10 } },
  duration: 4,
  metrics: {
    request_totals: { ...totals, total: totals.successful + totals.errored + totals.incomplete },
    ...{ requests_per_second: summary(9.5), prompt_tokens_per_second: summary(500), output_tokens_per_second: summary(tokens) },
    ...{ time_to_first_token_ms: summary(20), inter_token_latency_ms: summary(2), request_latency: summary(0.25) }
  }
})
const good = { successful: 40, errored: 0, incomplete: 2 }

const read = (benchmark: string, report: object | undefined) =>
  Effect.acquireUseRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "guidellm-"))),
    (folder) =>
      Effect.gen(function* () {
        const output = join(folder, "framework")
        mkdirSync(output)
        if (report !== undefined) writeFileSync(join(output, "benchmarks.json"), JSON.stringify(report))
        const request = Either.getOrThrow(planRequest(DEFINITION, { benchmark }))
        const plan = yield* WRAPPER.plan(request)
        const unexpected = () => new AdapterError({ code: "framework_failed", message: "", retryable: false })
        const exit = { code: 0, signal: null, lines: [] }
        const folders = { ...request.folders, output, results: folder }
        return yield* Effect.either(
          Effect.scoped(WRAPPER.read({ ...request, folders, plan, exit, counts: {}, collected: {}, failure: unexpected, reported: unexpected }))
        )
      }),
    (folder) => Effect.sync(() => rmSync(folder, { recursive: true }))
  )
const codeOf = (result: Either.Either<unknown, AdapterError>) => Either.match(result, { onLeft: ({ code }) => code, onRight: () => "read" })

describe("GuideLLM's report", () => {
  it("one measurement by bare names, only answered requests, latency in milliseconds", () => {
    const metrics = metricsOf(parsePoints({ benchmarks: [measurement(150, good)] }) ?? [], 0)
    assert.deepStrictEqual(
      metrics.map(({ name, value }) => `${name} ${value}`),
      [
        ...["requests_per_second 9.5", "prompt_tokens_per_second 500", "output_tokens_per_second 150"],
        ...["mean_ttft_ms 20", "p50_ttft_ms 20", "p90_ttft_ms 21", "p95_ttft_ms 22", "p99_ttft_ms 23"],
        ...["mean_itl_ms 2", "p50_itl_ms 2", "p90_itl_ms 3", "p95_itl_ms 4", "p99_itl_ms 5"],
        ...["mean_latency_ms 250", "p50_latency_ms 250", "p90_latency_ms 1250", "p95_latency_ms 2250", "p99_latency_ms 3250"],
        "error_rate 0"
      ]
    )
    assert.deepStrictEqual(metrics[0], { name: "requests_per_second", value: 9.5, n: 40, lowerIsBetter: false })
  })
  it.effect("of several the best one with few errors is the result, and each stays readable", () =>
    Effect.gen(function* () {
      const points = [measurement(100, good), measurement(300, good), measurement(900, { successful: 20, errored: 20, incomplete: 0 })]
      const result = Either.getOrThrow(yield* read("sweep", { metadata: { guidellm_version: "0.8.1" }, benchmarks: points }))
      const value = (wanted: string) => result.metrics.find(({ name }) => name === wanted)?.value
      assert.deepStrictEqual(
        ["output_tokens_per_second", "point_0/output_tokens_per_second", "point_2/output_tokens_per_second", "point_2/error_rate"].map(value),
        [300, 100, 900, 0.5]
      )
      assert.strictEqual(result.info?.["best_point"], "point_1")
      assert.strictEqual(result.version, "0.8.1")
      assert.match(result.notes?.join() ?? "", /3 of 5 measurements/)
    })
  )
  it.effect("a share of failed requests above the limit is no result although the exit status is 0", () =>
    Effect.gen(function* () {
      const failing = (errored: number) => ({ benchmarks: [measurement(150, { successful: 100 - errored, errored, incomplete: 0 })] })
      assert.strictEqual(codeOf(yield* read("constant", failing(5))), "read")
      assert.strictEqual(codeOf(yield* read("constant", failing(30))), "too_many_errors")
      assert.strictEqual(codeOf(yield* read("constant", failing(100))), "no_samples_scored")
      assert.strictEqual(codeOf(yield* read("constant", { benchmarks: [] })), "framework_output_unreadable")
      assert.strictEqual(codeOf(yield* read("constant", undefined)), "framework_output_unreadable")
    })
  )
  it("its progress lines and a missing tokenizer are understood", () => {
    const line = "Benchmark 3 (constant@131.25): completed | elapsed=6.2s | successful=263 errored=0 incomplete=0 | requests/s=43.8 output_tokens/s=700.1"
    assert.match(WRAPPER.progress(line)?.message ?? "", /^measurement 3 \(constant@131.25\) completed: elapsed=6.2s \| successful=263/)
    assert.strictEqual(explain(["OSError: Can't load tokenizer for 'gpt2'."], WRAPPER.errors)?.rule.code, "tokenizer_unavailable")
  })
})
