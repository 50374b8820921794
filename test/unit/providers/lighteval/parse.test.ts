import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { WRAPPER } from "../../../../providers/lighteval/main.ts"
import type { Member } from "../../../../providers/lighteval/members.ts"
import { metricName, parseReport, taskOfKey } from "../../../../providers/lighteval/parse.ts"
import { explain } from "../../../../providers/sdk/framework/error-table.ts"
import { readRequest } from "../../../support/framework-request.ts"
import { tempDir } from "../../../support/temp-dir.ts"

const suite = JSON.parse(readFileSync(join(import.meta.dirname, "fixtures", "results-suite.json"), "utf8")) as {
  readonly results: object
}
const math: ReadonlyArray<Member> = [
  { task: "gsm8k", fewShot: 8, primary: "extractive_match" },
  { task: "math:algebra", fewShot: 0, primary: "acc" },
  { task: "math:counting_and_probability", fewShot: 0, primary: "acc" }
]
const single = (task: string, metrics: object, count = 5) => ({
  results: { [task]: metrics, all: metrics },
  config_tasks: { [task]: { effective_num_docs: count } }
})

describe("report of LightEval", () => {
  it("a suite: the mean of the members' primary metrics, and every metric under its task", () => {
    const report = parseReport(suite, math, true)
    assert.deepStrictEqual(
      report?.metrics.map(({ name, value, n, stderr }) => [
        name,
        typeof value === "number" ? Number(value.toFixed(6)) : value,
        n,
        stderr
      ]),
      [
        ["suite_mean", 0.3, 30, undefined],
        ["gsm8k/extractive_match", 0.5, 10, 0.1667],
        ["math:algebra/acc", 0.3, 10, 0.1528],
        ["math:counting_and_probability/acc", 0.1, 10, 0.1],
        ["math:_average/acc", 0.2, undefined, 0.1264]
      ]
    )
    assert.deepInclude(report, { scored: 30, missing: [] })
  })
  it("the commit that LightEval says it was built from is recorded; a question mark is none", () => {
    const from = (lighteval_sha: string) =>
      parseReport({ ...suite, config_general: { lighteval_sha } }, math, true)?.info
    assert.deepInclude(from("0f1c2d3"), { framework_revision: "0f1c2d3" })
    assert.notProperty(from("?"), "framework_revision")
  })
  it("a member without a value is named, and there is no mean", () => {
    const report = parseReport(suite, [...math, { task: "aime24", fewShot: 0, primary: "pass@1" }], true)
    assert.deepStrictEqual(report?.missing, ["aime24"])
    assert.isNaN(report?.metrics[0]?.value)
  })
  it("a single task has bare names, whatever form its key has", () => {
    for (const key of ["gpqa:diamond|0", "lighteval|gpqa:diamond|0", "lighteval|gpqa:diamond|0|0"]) {
      const report = parseReport(
        single(key, { "gpqa_pass@k:k=1&n=1": 0.4, "gpqa_pass@k:k=1&n=1_stderr": 0.2 }),
        [{ task: "gpqa:diamond", fewShot: 0 }],
        false
      )
      assert.deepStrictEqual(report?.metrics, [{ name: "gpqa_pass@1", value: 0.4, stderr: 0.2, n: 5 }], key)
    }
  })
  it("values are as reported, also those above 1", () => {
    assert.deepStrictEqual(
      parseReport(single("t|0", { bleu: 31.5 }, -1), [{ task: "t", fewShot: 0 }], false)?.metrics,
      [{ name: "bleu", value: 31.5 }]
    )
  })
  it("what is no report gives none", () => {
    for (const document of [undefined, {}, { results: { all: { acc: 1 } } }])
      assert.strictEqual(parseReport(document, math, true), undefined)
  })
  it("names of metrics and tasks", () => {
    const names = {
      "pass@k:k=1": "pass@1",
      "pass@k:k=4&n=16": "pass@4",
      "codegen_pass@1:16": "codegen_pass@1",
      "codegen_pass@1:16_stderr": "codegen_pass@1_stderr",
      "pass@1": "pass@1",
      em: "em",
      "avg@n:n=4": "avg@n:n=4"
    }
    for (const [given, wanted] of Object.entries(names)) assert.strictEqual(metricName(given), wanted)
    assert.strictEqual(taskOfKey("all"), undefined)
  })
})

describe("log of LightEval", () => {
  it("failed requests are counted from the line of the last try", () => {
    const line =
      "[2026-01-01 10:00:00,000] [   ERROR]: API call failed after 8 attempts, returning empty response. (litellm_model.py:225)"
    assert.match(line, WRAPPER.watch?.["failed"] ?? /$^/)
    assert.notMatch("Error in API call: x, waiting 1.0 seconds before retry 1/8", WRAPPER.watch?.["failed"] ?? /^/)
  })
  it("several samples at temperature 0 are a wrong parameter, with the way out", () => {
    const found = explain(
      [
        "ValueError: num_samples > 1 is not supported with temperature=0, please set temperature > 0 or use non sampling metrics."
      ],
      WRAPPER.errors
    )
    assert.strictEqual(found?.rule.code, "invalid_parameter")
    assert.match(found?.rule.advice ?? "", /temperature above 0/)
  })
  it("bars of data sets are data, bars of requests are counted", () => {
    assert.deepStrictEqual(WRAPPER.progress("Generating train split: 100%|██| 7/7 [00:00<00:00]"), {
      phase: "loading_data"
    })
    assert.deepStrictEqual(WRAPPER.progress(" 40%|████      | 4/10 [00:01<00:02, 3.0it/s]"), {
      phase: "running_evaluation",
      completed: 4,
      total: 10
    })
    assert.deepStrictEqual(WRAPPER.progress("Splits:   0%|          | 0/1 [00:00<?, ?it/s]"), {
      phase: "running_evaluation"
    })
  })
})

describe("questions that a filter stopped", () => {
  it.scoped("are no failed requests: above their limit the result is invalid, not failed (too_many_errors)", () =>
    Effect.gen(function* () {
      const output = yield* tempDir
      writeFileSync(join(output, "results_2026.json"), JSON.stringify(single("gsm8k|0", { extractive_match: 0.5 }, 40)))
      const read = (counts: { readonly [name: string]: number }) =>
        WRAPPER.read(readRequest(WRAPPER, "gsm8k", output, counts))
      const { info, notes } = yield* read({ failed: 0, filtered: 10 })
      assert.deepInclude(info, { counts: { total: 40, scored: 40, errors: 0, invalid: 10 } })
      assert.include(notes?.[0] ?? "", "content_filtered: 10 of 40 questions were stopped by a filter")
      assert.lengthOf(info?.["flags"] as ReadonlyArray<unknown>, 1)
      assert.strictEqual((yield* Effect.flip(read({ failed: 10, filtered: 0 }))).code, "too_many_errors")
    })
  )
})
