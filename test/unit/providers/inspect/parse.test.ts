/** The fixtures are logs of Inspect 0.3.285 against the demo model, cut to what is read and to a few samples. */
import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { WRAPPER } from "../../../../providers/inspect/main.ts"
import { parseLog, resolveWanted } from "../../../../providers/inspect/parse.ts"
import { sampleRecords } from "../../../../providers/inspect/samples.ts"
import { reportedFailure } from "../../../../providers/sdk/framework/error-table.ts"
import { promptDigest } from "../../../../providers/sdk/prompt-digest.ts"

const fixture = (name: string): unknown =>
  JSON.parse(readFileSync(new URL(`./fixtures/${name}`, import.meta.url), "utf8"))

describe("Inspect's log", () => {
  it("the only scorer's metrics also by their bare names, with the framework's standard error", () => {
    const log = parseLog(fixture("success.json"))
    assert.deepInclude(log, {
      _tag: "Finished",
      metrics: [
        { name: "accuracy", value: 0.75, n: 8, stderr: 0.16366341767699427 },
        { name: "match/accuracy", value: 0.75, n: 8, stderr: 0.16366341767699427 }
      ],
      ...{ total: 8, completed: 8, scored: 8, version: "0.3.285", task: "sums" }
    })
    assert.deepInclude(log?._tag === "Finished" ? log.info : {}, {
      dataset: { id: "sums", size: 12, used: 8 },
      task_version: 0
    })
  })
  it("epochs: an error of one answer is not completed, and the metric counts samples, not answers", () => {
    const log = parseLog(fixture("epochs.json"))
    assert.deepInclude(log, { _tag: "Finished", total: 8, completed: 7 })
    assert.deepStrictEqual(
      (log?._tag === "Finished" ? log.metrics : []).map(({ name, value, n }) => [name, value, n]),
      [
        ["accuracy", 0, 4],
        ["match/accuracy", 0, 4]
      ]
    )
  })
  it("several scorers have no bare names; the wanted name is resolved only when one can be meant", () => {
    const score = (name: string, value: number) => ({
      name,
      scorer: "judge",
      metrics: { mean: { name: "mean", value } }
    })
    const log = parseLog({
      status: "success",
      results: { total_samples: 2, completed_samples: 2, scores: [score("concerning", 3), score("admirable", 7)] }
    })
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
    const failure = reportedFailure(log?._tag === "Failed" ? log.told : [], {
      framework: "Inspect",
      rules: WRAPPER.errors ?? [],
      secrets: []
    })
    assert.strictEqual(failure.code, "model_endpoint_unreachable")
    assert.isTrue(failure.retryable)
    const other = reportedFailure(["something else broke with the-secret"], {
      framework: "Inspect",
      secrets: ["the-secret"]
    })
    assert.deepInclude(other, {
      code: "framework_failed",
      message: "Inspect reports a failure: something else broke with ***"
    })
    assert.deepStrictEqual(parseLog({ status: "started" }), { _tag: "Unfinished", status: "started" })
    assert.isUndefined(parseLog({ status: "success" }))
    assert.isUndefined(parseLog([]))
  })
  it("samples: a wrong reference is an incorrect answer, with what it took", () => {
    const records = [...sampleRecords("sums", fixture("success.json"), () => "framework_failed")]
    assert.deepStrictEqual(
      records.map(({ sample_id, reference, verdict, response, extracted }) => [
        sample_id,
        reference,
        verdict,
        response,
        extracted
      ]),
      [
        ["sums:s0", "32", "correct", "Answer: 32", "32"],
        ["sums:s3", "36", "incorrect", "Answer: 35", "35"]
      ]
    )
    assert.deepInclude(records[0], {
      tokens: { prompt: 25, completion: 3 },
      finish_reason: "stop",
      scores: { match: 1 },
      ...{ served_model: "evald-demo", request_id: "demo-chat", retries: 0, reason: "answer_equal" },
      prompt_sha256: promptDigest({ prompt: String(records[0]?.prompt) })
    })
    assert.match(records[0]?.response_sha256 ?? "", /^[0-9a-f]{64}$/)
    assert.isAbove(records[0]?.latency_ms ?? 0, 0)
  })
  it("samples: epochs are repeats of one index, an error is neither right nor wrong", () => {
    const records = [
      ...sampleRecords("sums", fixture("epochs.json"), (message) =>
        message.includes("BadRequestError") ? "model_request_invalid" : "other"
      )
    ]
    assert.deepStrictEqual(
      records.map(({ sample_id, index, repeat, verdict, response }) => [sample_id, index, repeat, verdict, response]),
      [
        ["sums:s0", 0, 0, "incorrect", "Answer: 25"],
        ["sums:s1", 1, 0, "incorrect", "Answer: 38"],
        ["sums:s0", 0, 1, "incorrect", "Answer: 25"],
        ["sums:s1", 1, 1, "error", undefined]
      ]
    )
    assert.strictEqual(records[3]?.error?.code, "model_request_invalid")
    assert.deepInclude(records[0], {
      parameters: { max_retries: 0, max_connections: 1, temperature: 0.7, seed: 7 },
      seed: 7
    })
  })
  it("samples: a grading model's explanation is the judge's reply", () => {
    const score = { value: "C", answer: "blue", explanation: "The answer agrees.\n\nGRADE: C" }
    const [record] = sampleRecords("sums", { samples: [{ id: 1, scores: { model_graded_qa: score } }] }, () => "other")
    assert.deepInclude(record, {
      verdict: "correct",
      reason: "judged",
      judge: { name: "model_graded_qa", reply: score.explanation, rating: "C" }
    })
  })
  it("samples: a reply without a word is no answer, with how it ended; a call of a tool is one", () => {
    const sample = (id: number, message: object, stop: string) => ({
      ...{ id, epoch: 1, input: "What is 1 + 30?", target: "31" },
      output: { choices: [{ message: { role: "assistant", ...message }, stop_reason: stop }] },
      scores: { match: { value: "C" } }
    })
    const samples = [
      sample(1, { content: "" }, "stop"),
      sample(2, { content: [{ type: "reasoning", reasoning: "First" }] }, "max_tokens"),
      sample(3, { content: " " }, "content_filter"),
      sample(4, { content: "", tool_calls: [{ id: "a" }] }, "tool_calls"),
      sample(5, { content: "31" }, "max_tokens")
    ]
    assert.deepStrictEqual(
      [...sampleRecords("sums", { samples }, () => "other")].map(({ verdict, reason }) => [verdict, reason]),
      [
        ["invalid", "no_answer_empty"],
        ["invalid", "no_answer_truncated"],
        ["invalid", "no_answer_filtered"],
        ["correct", "answer_equal"],
        ["correct", "answer_equal"]
      ]
    )
  })
  it("samples: messages, parts of a content and several references are read as well", () => {
    const content = ["3", "2"].map((text) => ({ type: "text", text }))
    const sample = {
      ...{ id: 1, epoch: 1, input: [{ role: "user", content: "What is 1 + 30?" }], target: ["31", "thirty-one"] },
      output: { choices: [{ message: { role: "assistant", content } }] },
      scores: { match: { value: "I", answer: "32" } }
    }
    const [record] = sampleRecords("sums", { samples: [sample] }, () => "other")
    assert.deepInclude(record, {
      prompt: sample.input,
      response: "32",
      reference: ["31", "thirty-one"],
      verdict: "incorrect"
    })
  })
  it("progress counts samples", () => {
    const line =
      "generate     | Steps:   5/8  62% | Samples:   3/  8 | accuracy:  n/a | openai-api:  0/ 4 | HTTP retries: 0"
    assert.deepStrictEqual(WRAPPER.progress(line), { phase: "running_evaluation", completed: 3, total: 8 })
    assert.isUndefined(WRAPPER.progress("total time: 0:00:02"))
  })
})
