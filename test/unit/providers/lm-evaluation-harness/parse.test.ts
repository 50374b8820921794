import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { WRAPPER } from "../../../../providers/lm-evaluation-harness/main.ts"
import { parseReport } from "../../../../providers/lm-evaluation-harness/parse.ts"
import { sampleRecords } from "../../../../providers/lm-evaluation-harness/samples.ts"
import { failureOf } from "../../../../providers/sdk/framework/error-table.ts"
import { jsonLines } from "../../../../providers/sdk/framework/result-search.ts"
import { likelihoodDigest, promptDigest } from "../../../../providers/sdk/prompt-digest.ts"
import { readRequest } from "../../../support/framework-request.ts"
import { tempDir } from "../../../support/temp-dir.ts"

const fixture = (name: string) => join(import.meta.dirname, "fixtures", name)
const recorded = (name: string): unknown => JSON.parse(readFileSync(fixture(name), "utf8"))

describe("report of lm-eval", () => {
  it("several filters: the bare name is strict-match, each filter has its own", () => {
    const report = parseReport(recorded("results-two.json"), "local_arith")
    const stderr = 0.16666666666666669
    const common = { value: 0.8333333333333334, n: 6, lowerIsBetter: false, stderr }
    assert.deepStrictEqual(report?.metrics, [
      { name: "exact_match", ...common },
      { name: "exact_match,flexible-extract", ...common },
      { name: "exact_match,strict-match", ...common }
    ])
    assert.deepInclude(report, {
      version: "0.4.13",
      scored: 6,
      tasks: [{ name: "local_arith", filter: "strict-match" }],
      notes: ["exact_match is the value after the filter strict-match"]
    })
    assert.deepInclude(report?.info, { dataset: { id: "json", size: 8, used: 6 } })
  })
  it("the commit that the framework says it was built from is recorded, and none when it says none", () => {
    const report = recorded("results-two.json") as { readonly [member: string]: unknown }
    assert.deepInclude(parseReport({ ...report, git_hash: "0f1c2d3" }, "local_arith")?.info, {
      framework_revision: "0f1c2d3"
    })
    for (const git_hash of [null, undefined])
      assert.notProperty(parseReport({ ...report, git_hash }, "local_arith")?.info, "framework_revision")
  })
  it("a group keeps the framework's own aggregate; its members stand beside it", () => {
    const report = parseReport(recorded("results-group.json"), "local_group")
    assert.deepStrictEqual(
      report?.metrics.map(({ name, value, n, stderr }) => [name, value, n, stderr]),
      [
        ["exact_match", 0.75, 12, 0.13693063937629152],
        ["local_small/exact_match", 0.75, 4, 0.25],
        ["local_small2/exact_match", 0.75, 8, 0.16366341767699427]
      ]
    )
    assert.deepStrictEqual(
      report?.tasks.map(({ name }) => name),
      ["local_small", "local_small2"]
    )
  })
  it("a tag has no aggregate: its metrics are means weighted by size", () => {
    const report = parseReport(recorded("results-tag.json"), "local_tag")
    const byName = new Map(report?.metrics.map((metric) => [metric.name, metric]))
    assert.strictEqual(byName.get("local_small/exact_match")?.n, 4)
    assert.strictEqual(byName.get("exact_match,number")?.value, 0.75)
    assert.strictEqual(report?.scored, 12)
    assert.match(report?.notes[0] ?? "", /no aggregate of local_tag/)
  })
  it("log-likelihoods: both metrics of the only filter by their bare names, with the size of the data", () => {
    const report = parseReport(recorded("results-likelihood.json"), "own_endings")
    const common = { value: 0.75, n: 8, lowerIsBetter: false, stderr: 0.16366341767699427 }
    assert.deepStrictEqual(report?.metrics, [
      { name: "acc", ...common },
      { name: "acc_norm", ...common }
    ])
    assert.deepInclude(report, {
      version: "0.4.13",
      scored: 8,
      tasks: [{ name: "own_endings", filter: "none" }],
      notes: []
    })
    assert.deepInclude(report?.info, { dataset: { id: "json", size: 8, used: 8 } })
  })
  it("members of different size weigh by it, and independent errors add up", () => {
    const document = {
      results: {
        a: { "acc,none": 1, "acc_stderr,none": 0.1 },
        b: { "acc,none": 0, "acc_stderr,none": 0.2 },
        g: { alias: "g", " ": " " }
      },
      group_subtasks: { g: ["a", "b"] },
      "n-samples": { a: { original: 30, effective: 30 }, b: { original: 10, effective: 10 } }
    }
    const [whole] = parseReport(document, "g")?.metrics ?? []
    assert.strictEqual(whole?.value, 0.75)
    assert.closeTo(whole?.stderr ?? 0, Math.hypot(0.1 * 0.75, 0.2 * 0.25), 1e-12)
  })
  it("N/A is no standard error, skipped lengths are no values, and a correlation of -1 is one", () => {
    const result = {
      alias: "t",
      sample_len: 3,
      "4096,none": 0.5,
      "4096_stderr,none": "N/A",
      "8192,none": -1,
      "mcc,none": -1
    }
    const report = parseReport({ results: { t: result }, higher_is_better: { t: { mcc: true, "4096": true } } }, "t")
    assert.deepStrictEqual(report?.metrics, [
      { name: "4096", value: 0.5, n: 3, lowerIsBetter: false },
      { name: "mcc", value: -1, n: 3, lowerIsBetter: false }
    ])
  })
  it("what is no report gives none", () => {
    for (const document of [undefined, {}, { results: {} }, { results: [] }, "text"])
      assert.strictEqual(parseReport(document, "t"), undefined)
  })
})

describe("samples of lm-eval", () => {
  it("one record for a document with the scores of every filter; a wrong reference is an incorrect answer", () => {
    const records = [
      ...sampleRecords(
        "local_arith",
        () => jsonLines(fixture("samples-two-filters.jsonl")),
        "strict-match",
        "exact_match"
      )
    ]
    assert.deepStrictEqual(
      records.map(({ sample_id, response, extracted, reference, verdict, scores }) => ({
        sample_id,
        response,
        extracted,
        reference,
        verdict,
        scores
      })),
      [
        {
          sample_id: "local_arith:0",
          response: "Answer: 48",
          extracted: "48",
          reference: "48",
          verdict: "correct",
          scores: { exact_match: 1, "exact_match,flexible-extract": 1 }
        },
        {
          sample_id: "local_arith:3",
          response: records[1]?.response,
          extracted: records[1]?.extracted,
          reference: String(Number(records[1]?.extracted) + 1),
          verdict: "incorrect",
          scores: { exact_match: 0, "exact_match,flexible-extract": 0 }
        }
      ]
    )
    const prompt = records[0]?.prompt
    assert.deepStrictEqual(Array.isArray(prompt) ? prompt[0] : undefined, { role: "system", content: "Be brief." })
    assert.deepInclude(records[0], {
      prompt_sha256: promptDigest({ messages: prompt as ReadonlyArray<unknown> }),
      parameters: { until: ["\n\n\n"], max_gen_toks: 64, temperature: 0.1 },
      reason: "answer_equal"
    })
    assert.match(records[0]?.response_sha256 ?? "", /^[0-9a-f]{64}$/)
  })
  it("log-likelihoods: the context is the prompt, and pairs of numbers are no response", () => {
    const records = [
      ...sampleRecords("own_endings", () => jsonLines(fixture("samples-likelihood.jsonl")), "none", "acc_norm")
    ]
    assert.deepStrictEqual(
      records.map(({ prompt, reference, verdict, scores, response }) => [prompt, reference, verdict, scores, response]),
      [
        ["In winter the river", "0", "correct", { acc: 1, acc_norm: 1 }, undefined],
        ["On Sunday the whole", "1", "correct", { acc: 1, acc_norm: 1 }, undefined],
        ["The moon stands over", "0", "correct", { acc: 1, acc_norm: 1 }, undefined],
        ["Tomorrow the market will", "0", "incorrect", { acc: 0, acc_norm: 0 }, undefined]
      ]
    )
    assert.deepInclude(records[1], {
      reason: "likelihood",
      choices: [" wizard juggles yaks", " family sits there"],
      logprobs: {
        continuations: [
          { logprob: -94.66521632106594, greedy: false },
          { logprob: -1.5280831054485455, greedy: true }
        ]
      },
      prompt_sha256: likelihoodDigest([
        ["On Sunday the whole", " wizard juggles yaks"],
        ["On Sunday the whole", " family sits there"]
      ])
    })
  })
})

describe("the order in which lm-eval asks", () => {
  const line = (index: number, context: string | ReadonlyArray<string>) => ({
    ...{ doc_id: index, filter: "none", target: "1", resps: [["1"]], filtered_resps: ["1"], metrics: ["exact_match"] },
    ...{ exact_match: 1, arguments: { gen_args_0: { arg_0: context, arg_1: {} } } }
  })
  const positions = (...contexts: ReadonlyArray<string | ReadonlyArray<string>>) =>
    [...sampleRecords("t", () => contexts.map((one, at) => line(at, one)), "none", "exact_match")].map(
      ({ timing }) => timing?.["position"]
    )
  it("is that of the set for chats, and by length, the longest first, for plain prompts", () => {
    assert.deepStrictEqual(positions(["short"], ["a longer one"], ["x"]), [0, 1, 2])
    assert.deepStrictEqual(positions("short", "a longer one", "x", "y"), [1, 0, 2, 3])
  })
})

describe("replies without a word", () => {
  const line = (index: number, response: string, score: number) => ({
    doc_id: index,
    filter: "none",
    target: "1",
    arguments: { gen_args_0: { arg_0: "What is 1?" } },
    resps: [[response]],
    filtered_resps: [response],
    metrics: ["exact_match"],
    exact_match: score
  })
  it("that are lists of parts were none to the framework (they were incorrect answers, and the result was valid)", () => {
    const parts = { ...line(0, "", 0), resps: [[["{'type': 'text', 'text': '1'}"]]] }
    assert.deepStrictEqual(
      [...sampleRecords("t", () => [parts], "none", "exact_match")].map(({ verdict, reason }) => [verdict, reason]),
      [["invalid", "no_answer_error_body"]]
    )
  })
  it("are no answers, whatever the framework scores them (they were incorrect ones)", () => {
    const lines = [line(0, "", 0), line(1, " \n", 1), line(2, "1", 1)]
    assert.deepStrictEqual(
      [...sampleRecords("t", () => lines, "none", "exact_match")].map(({ verdict, reason }) => [verdict, reason]),
      [
        ["invalid", "no_answer_empty"],
        ["invalid", "no_answer_empty"],
        ["correct", "answer_equal"]
      ]
    )
  })
  it.scoped("above their limit make the result invalid, and do not fail it (too_many_errors)", () =>
    Effect.gen(function* () {
      const output = yield* tempDir
      writeFileSync(
        join(output, "results_2026.json"),
        JSON.stringify({
          results: { t: { "exact_match,none": 0 } },
          "n-samples": { t: { original: 40, effective: 40 } }
        })
      )
      const read = (counts: { readonly [name: string]: number }) =>
        WRAPPER.read(readRequest(WRAPPER, "t", output, counts))
      const hollow = yield* read({ empty: 40, unreadable: 4 })
      assert.deepStrictEqual(
        ((hollow.info?.["flags"] ?? []) as ReadonlyArray<{ readonly code: string; readonly count: number }>).map(
          ({ code, count }) => [code, count]
        ),
        [
          ["empty_responses", 40],
          ["error_share", 4]
        ]
      )
      assert.deepInclude(hollow.info, { counts: { total: 40, scored: 40, errors: 0, invalid: 44 } })
      assert.include(hollow.notes?.[0] ?? "", "empty_responses: 40 of 40 answers had no text")
      const good = yield* read({ empty: 2, unreadable: 2 })
      assert.notProperty(good.info, "flags")
    })
  )
})

describe("failures of lm-eval, as recorded", () => {
  const failures = recorded("failures.json") as { readonly [name: string]: ReadonlyArray<string> }
  const codes = {
    unknown: "benchmark_not_supported",
    hub: "dataset_unavailable",
    mcchat: "benchmark_not_supported",
    mcnotok: "tokenizer_unavailable",
    down: "model_endpoint_unreachable",
    k401: "model_authentication_failed"
  }
  for (const [name, code] of Object.entries(codes)) {
    it(`${name} is ${code}`, () => {
      const error = failureOf(
        { code: 1, signal: null, lines: failures[name] ?? [] },
        { framework: "lm-eval", rules: WRAPPER.errors ?? [], secrets: [] }
      )
      assert.strictEqual(error.code, code, error.message)
      assert.match(error.message, /^lm-eval ended with exit status 1: \S/)
    })
  }
})

describe("progress of lm-eval", () => {
  it("requests are counted, contexts and splits are data, saving is the end", () => {
    const { progress } = WRAPPER
    const bar = "Requesting API:  72%|███████▎  | 58/80 [00:01<00:00, 40.1it/s]"
    assert.deepStrictEqual(progress(bar), {
      phase: "running_evaluation",
      message: "Requesting API",
      completed: 58,
      total: 80
    })
    assert.deepStrictEqual(progress("Generating test split: 2 examples [00:00, 188.73 examples/s]"), {
      phase: "loading_data"
    })
    assert.deepStrictEqual(progress("… INFO     [loggers.evaluation_tracker:247] Saving results aggregated"), {
      phase: "post_processing"
    })
    assert.strictEqual(progress("anything else"), undefined)
  })
})
