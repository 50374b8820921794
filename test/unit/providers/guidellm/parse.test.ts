/** The reports are recordings of GuideLLM 0.8.1 (`npm run test:peers:heavy`): its settings, and all but the first request of each kind, are cut. */
import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Either } from "effect"
import { WRAPPER } from "../../../../providers/guidellm/main.ts"
import { loadInfo, metricsOf, parsePoints } from "../../../../providers/guidellm/parse.ts"
import type { AdapterError } from "../../../../providers/sdk/adapter.ts"
import { explain } from "../../../../providers/sdk/framework/error-table.ts"
import { readLeft } from "../../../support/wrapper-plan.ts"

interface Report {
  readonly benchmarks: ReadonlyArray<{ readonly metrics: object; readonly requests: object }>
}
const recorded = (name: string) =>
  JSON.parse(readFileSync(new URL(`./fixtures/${name}.json`, import.meta.url), "utf8")) as Report
const [concurrent, sweep, failing] = [
  recorded("concurrent"),
  recorded("sweep-of-three"),
  recorded("third-of-requests-failed")
]

/** the report with other counts of requests in its measurement `at` */
const counted = (
  report: Report,
  at: number,
  totals: { readonly successful: number; readonly errored: number; readonly incomplete: number }
): Report => ({
  ...report,
  benchmarks: report.benchmarks.map((one, index) =>
    index === at ? { ...one, metrics: { ...one.metrics, request_totals: totals } } : one
  )
})

const read = (benchmark: string, report: object | undefined) =>
  readLeft(WRAPPER, {
    benchmark,
    files: report === undefined ? {} : { "benchmarks.json": JSON.stringify(report) }
  })
const said = (result: Either.Either<unknown, AdapterError>) =>
  Either.match(result, { onLeft: ({ code, message }) => `${code}: ${message}`, onRight: () => "read" })

describe("GuideLLM's report", () => {
  it("one measurement by bare names, only answered requests, latency in milliseconds", () => {
    const points = parsePoints(concurrent) ?? []
    const metrics = metricsOf(points, 0)
    const rounded = metrics.map(({ name, value }) => `${name} ${Number(value).toPrecision(4)}`)
    assert.deepStrictEqual(rounded, [
      ...[
        "requests_per_second 101.0",
        "prompt_tokens_per_second 1426",
        "output_tokens_per_second 1616",
        "tokens_per_second 3042"
      ],
      "request_concurrency 0.8456",
      ...["mean_ttft_ms 6.453", "p50_ttft_ms 4.819", "p90_ttft_ms 13.46", "p95_ttft_ms 15.21", "p99_ttft_ms 30.42"],
      ...["mean_itl_ms 0.02812", "p50_itl_ms 0.01941", "p90_itl_ms 0.02370", "p95_itl_ms 0.03996", "p99_itl_ms 0.2308"],
      ...["mean_tpot_ms 0.4297", "p50_tpot_ms 0.3235", "p90_tpot_ms 0.8611", "p95_tpot_ms 0.9714", "p99_tpot_ms 2.012"],
      ...[
        "mean_latency_ms 8.372",
        "p50_latency_ms 6.881",
        "p90_latency_ms 15.61",
        "p95_latency_ms 20.52",
        "p99_latency_ms 32.56"
      ],
      "error_rate 0.000"
    ])
    assert.deepStrictEqual(metrics[0], { name: "requests_per_second", value: 101, n: 202, lowerIsBetter: false })
    assert.deepStrictEqual(loadInfo(points), [
      { profile: "concurrent", streams: 2, requests: { successful: 202, incomplete: 0, errored: 0 } }
    ])
  })
  it.effect("of several the best one with few errors is the result, and each stays readable", () =>
    Effect.gen(function* () {
      const result = Either.getOrThrow(yield* read("sweep", sweep))
      const values = (of: typeof result) => (name: string) => of.metrics.find((metric) => metric.name === name)?.value
      const names = ["", "point_0/", "point_1/", "point_2/"].map((prefix) => `${prefix}output_tokens_per_second`)
      assert.deepStrictEqual(names.map(values(result)), [2944, 920, 2944, 2384])
      assert.strictEqual(result.info?.["best_point"], "point_1")
      assert.strictEqual(result.version, "0.8.1")
      assert.deepInclude(result.info?.["load"], {
        profile: "constant",
        rate: 182,
        requests: { successful: 298, incomplete: 13, errored: 0 }
      })
      const worse = Either.getOrThrow(
        yield* read("sweep", counted(sweep, 1, { successful: 300, errored: 73, incomplete: 4 }))
      )
      assert.strictEqual(worse.info?.["best_point"], "point_2")
      assert.strictEqual(values(worse)("point_1/error_rate"), 73 / 373)
    })
  )
  it.effect("the framework's own warnings are notes, and so is a sweep that stopped early", () =>
    Effect.gen(function* () {
      const single = Either.getOrThrow(yield* read("concurrent", concurrent))
      assert.deepStrictEqual(single.notes, [
        "GuideLLM warns: mean generation delay was 9% of mean time to first token ms.total (0.001s / 0.006s; threshold 1%). This means that the benchmark was likely bottlenecked by the data generation."
      ])
      const notes = Either.getOrThrow(yield* read("sweep", sweep)).notes ?? []
      assert.strictEqual(notes[0], "3 of 5 measurements were made: the framework stopped early")
      assert.deepStrictEqual(
        notes.slice(1).map((note) => note.replace(/ delay .*/, "")),
        [
          "GuideLLM warns of point_0: mean generation",
          "GuideLLM warns of point_1: p95 root dispatch",
          "GuideLLM warns of point_2: mean generation",
          "GuideLLM warns of point_2: p95 root dispatch"
        ]
      )
    })
  )
  it.effect(
    "a share of failed requests above the limit is no result although the exit status is 0, and the reason is said",
    () =>
      Effect.gen(function* () {
        const outcome = (report: object | undefined) => Effect.map(read("poisson", report), said)
        const counts = (errored: number) => counted(failing, 0, { successful: 100 - errored, errored, incomplete: 0 })
        assert.strictEqual(
          yield* outcome(failing),
          `too_many_errors: 10 of 31 requests failed, more than 0.05 of them; the first reason: HTTPStatusError("Server error '500 Internal Server Error' for url 'http://model.example/v1/chat/completions'`
        )
        assert.strictEqual(yield* outcome(counts(5)), "read")
        assert.match(yield* outcome(counts(6)), /^too_many_errors: 6 of 100/)
        assert.match(
          yield* outcome(counts(100)),
          /^no_samples_scored: no request of poisson was answered: 100 failed, .*500 Internal Server Error/
        )
        assert.match(yield* outcome({ benchmarks: [] }), /^framework_output_unreadable/)
        assert.match(yield* outcome(undefined), /^framework_output_unreadable/)
      })
  )
  it("its progress lines are understood", () => {
    const line =
      "26-11-21 05:03:32|INFO     |guidellm.benchmark.progress:_log_update:420 - Benchmark 1 (poisson@8.00): completed | elapsed=14.5s | successful=21 errored=10 incomplete=0 | requests/s=7.00 output_tokens/s=112.00"
    assert.match(
      WRAPPER.progress(line)?.message ?? "",
      /^measurement 1 \(poisson@8.00\) completed: elapsed=14.5s \| successful=21/
    )
  })
  it("a tokenizer that the hub alone has is no missing data set", () => {
    const offline = [
      "huggingface_hub.errors.LocalEntryNotFoundError: Cannot find the requested files in the disk cache and outgoing traffic has been disabled. To enable hf.co look-ups and downloads online, set 'local_files_only' to False.",
      "The above exception was the direct cause of the following exception:",
      "OSError: We couldn't connect to 'https://huggingface.co' to load the files, and couldn't find them in the cached files.",
      "Check your internet connection or see how to run the library in offline mode at 'https://huggingface.co/docs/transformers/installation#offline-mode'."
    ]
    for (const lines of [offline, offline.slice(0, 3), ["OSError: Can't load tokenizer for 'gpt2'."]])
      assert.strictEqual(explain(lines, WRAPPER.errors)?.rule.code, "tokenizer_unavailable", lines.at(-1))
    // a data set of the hub that can not be read keeps its code
    const dataset = "ConnectionError: Couldn't reach 'openai/gsm8k' on the Hub (LocalEntryNotFoundError)"
    assert.strictEqual(explain([dataset], WRAPPER.errors)?.rule.code, "dataset_unavailable")
  })
})
