/** The fixtures are written by hand after the shapes of real logs; they are no recordings. */
import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { WRAPPER } from "../../../../providers/inspect/main.ts"
import { parseLog, resolveWanted } from "../../../../providers/inspect/parse.ts"
import { sampleRecords } from "../../../../providers/inspect/samples.ts"
import { reportedFailure } from "../../../../providers/sdk/framework/error-table.ts"

const fixture = (name: string): unknown => JSON.parse(readFileSync(new URL(`./fixtures-after-measured-shapes/${name}`, import.meta.url), "utf8"))

describe("Inspect's log", () => {
  it("the only scorer's metrics also by their bare names, with the framework's standard error", () => {
    const log = parseLog(fixture("success.json"))
    assert.deepInclude(log, {
      _tag: "Finished",
      metrics: [
        { name: "accuracy", value: 0.75, n: 4, stderr: 0.25 },
        { name: "match/accuracy", value: 0.75, n: 4, stderr: 0.25 }
      ],
      ...{ total: 4, completed: 4, scored: 4, version: "0.3.285", task: "arith" }
    })
  })
  it("several scorers have no bare names; the wanted name is resolved only when one can be meant", () => {
    const score = (name: string, value: number) => ({ name, scorer: "judge", metrics: { mean: { name: "mean", value } } })
    const log = parseLog({ status: "success", results: { total_samples: 2, completed_samples: 2, scores: [score("concerning", 3), score("admirable", 7)] } })
    const metrics = log?._tag === "Finished" ? log.metrics : []
    assert.deepStrictEqual(
      metrics.map(({ name, value }) => [name, value]),
      [
        ["concerning/mean", 3],
        ["admirable/mean", 7]
      ]
    )
    assert.isUndefined(resolveWanted("other/mean", metrics))
    assert.isUndefined(resolveWanted("concerning/mean", metrics))
    assert.strictEqual(
      resolveWanted("accuracy/accuracy", [
        { name: "accuracy", value: 1 },
        { name: "choice/accuracy", value: 1 }
      ])?.name,
      "choice/accuracy"
    )
  })
  it("status error with exit status 0 is a failure with the reason's code, and an interrupted run never a result", () => {
    const log = parseLog(fixture("error.json"))
    const failure = reportedFailure(log?._tag === "Failed" ? log.told : [], { framework: "Inspect", rules: WRAPPER.errors ?? [], secrets: [] })
    assert.strictEqual(failure.code, "model_endpoint_unreachable")
    assert.isTrue(failure.retryable)
    const other = reportedFailure(["something else broke with the-secret"], { framework: "Inspect", secrets: ["the-secret"] })
    assert.deepInclude(other, { code: "framework_failed", message: "Inspect reports a failure: something else broke with ***" })
    assert.deepStrictEqual(parseLog({ status: "started" }), { _tag: "Unfinished", status: "started" })
    assert.isUndefined(parseLog({ status: "success" }))
    assert.isUndefined(parseLog([]))
  })
  it("samples: epochs are repeats of one index, an error is neither right nor wrong", () => {
    const records = [...sampleRecords("arith", fixture("success.json"), () => "model_endpoint_unreachable")]
    assert.deepStrictEqual(
      records.map(({ sample_id, index, repeat, verdict, response, extracted }) => [sample_id, index, repeat, verdict, response, extracted]),
      [
        ["arith:1", 0, 0, "correct", "31", "31"],
        ["arith:1", 0, 1, "incorrect", "32", "32"],
        ["arith:b", 1, 0, "error", undefined, undefined]
      ]
    )
    assert.deepInclude(records[0], { latency_ms: 1395, tokens: { prompt: 8, completion: 2 }, finish_reason: "stop", scores: { match: 1 } })
    assert.strictEqual(records[2]?.error?.code, "model_endpoint_unreachable")
  })
  it("progress counts samples", () => {
    const line = "generate     | Steps:   5/8  62% | Samples:   3/  8 | accuracy:  n/a | openai-api:  0/ 4 | HTTP retries: 0"
    assert.deepStrictEqual(WRAPPER.progress(line), { phase: "running_evaluation", completed: 3, total: 8 })
    assert.isUndefined(WRAPPER.progress("total time: 0:00:02"))
  })
})
