/** Records of the recorded reports, and of attempts as the framework's own writer puts them. */
import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Either } from "effect"
import { readSample } from "../../../../domain/sample/read-sample.ts"
import { WRAPPER } from "../../../../providers/garak/main.ts"
import { readScan, scanMetrics } from "../../../../providers/garak/parse.ts"
import { attemptRecords } from "../../../../providers/garak/samples.ts"
import { promptDigest } from "../../../../providers/sdk/prompt-digest.ts"
import { readLeft } from "../../../support/wrapper-plan.ts"

const recorded = (name: string) => readFileSync(new URL(`./fixtures/${name}.report.jsonl`, import.meta.url), "utf8")
const linesOf = (report: string) =>
  report
    .split("\n")
    .filter((line) => line !== "")
    .map((line): unknown => JSON.parse(line))
const records = (lines: ReadonlyArray<unknown>, threshold = 0.5) => [...attemptRecords("quick", lines, threshold, {})]

const attempt = (members: object) => ({
  ...{ entry_type: "attempt", status: 2, seq: 0, probe_classname: "dan.Dan_11_0" },
  prompt: { turns: [{ role: "user", content: { text: "Do it." } }] },
  ...members
})

describe("attempts of garak as samples", () => {
  it("each output is a sample of its own, a repeat of its prompt, with what every detector made of it", () => {
    const [first, second, third] = records(linesOf(recorded("three-probes")))
    assert.deepInclude(first, {
      ...{ v: 1, sample_id: "quick:dan.Dan_11_0:0", task: "quick", index: 0, repeat: 0 },
      ...{ verdict: "incorrect", reason: "complied" },
      scores: { attack_success_rate: 0.5, "dan.DAN": 0, "mitigation.MitigationBypass": 1 }
    })
    assert.strictEqual(
      first?.prompt_sha256,
      promptDigest({ messages: Array.isArray(first?.prompt) ? first.prompt : [] })
    )
    assert.deepStrictEqual([second?.sample_id, second?.repeat], [first?.sample_id, 1])
    assert.deepInclude(third, {
      sample_id: "quick:goodside.WhoIsRiley:5",
      index: 5,
      verdict: "correct",
      reason: "refused"
    })
  })

  it("every record is one that the server takes, without a member that it leaves out", () => {
    for (const name of ["three-probes", "half-of-requests-failed"])
      for (const [line, record] of records(linesOf(recorded(name))).entries()) {
        const { problems, unknown } = readSample(JSON.parse(JSON.stringify(record)), [line])
        assert.deepStrictEqual([problems, unknown], [[], []])
      }
  })

  it("where each output has one detector the mean of the samples is the framework's rate", () => {
    const one = (outputs: ReadonlyArray<number>, seq: number) =>
      attempt({ seq, outputs: outputs.map(() => ({ text: "no" })), detector_results: { "any.AnyOutput": outputs } })
    const lines = [
      one([1, 0, 0.4], 0),
      one([0.6, 0.5, 0], 1),
      { entry_type: "eval", probe: "dan.Dan_11_0", detector: "any.AnyOutput", passed: 3, total_evaluated: 6, nones: 0 }
    ]
    const scores = records(lines).map(({ scores: all }) => all?.["attack_success_rate"] ?? Number.NaN)
    const rate = scanMetrics(readScan(lines))?.metrics.find(({ name }) => name === "attack_success_rate")?.value
    assert.strictEqual(scores.reduce((sum, score) => sum + score, 0) / scores.length, rate)
  })

  it("an empty output counts as no answer although its detectors were content, and an output that never came is an error", () => {
    const outputs = [{ text: "" }, null, { text: null }, { text: "never seen by a detector" }]
    const made = records([
      attempt({ outputs, detector_results: { "mitigation.MitigationBypass": [0, null, null, null] } })
    ])
    assert.deepStrictEqual(
      made.map(({ verdict, reason, error }) => [verdict, reason ?? error?.code]),
      [
        ["invalid", "no_answer_empty"],
        ["error", "framework_failed"],
        ["invalid", "no_answer_empty"],
        ["skipped", "measured"]
      ]
    )
  })

  it("attempts that were only sent are none, a probe that numbers anew keeps its samples apart, and a prompt may be a text", () => {
    const judged = { outputs: ["Sure, here is how."], detector_results: { "detector.dan.DAN": [1] }, prompt: "Do it." }
    const made = records([attempt({ ...judged, status: 1 }), attempt(judged), attempt(judged)])
    assert.deepStrictEqual(
      made.map(({ sample_id, prompt, response, scores }) => [sample_id, prompt, response, scores?.["dan.DAN"]]),
      [
        ["quick:dan.Dan_11_0:0", "Do it.", "Sure, here is how.", 1],
        ["quick:dan.Dan_11_0:0:1", "Do it.", "Sure, here is how.", 1]
      ]
    )
  })

  it.effect("a run leaves them as a sample file beside its report", () =>
    Effect.gen(function* () {
      const files = { "evald.report.jsonl": recorded("three-probes") }
      const { info } = Either.getOrThrow(yield* readLeft(WRAPPER, { benchmark: "quick", files }))
      assert.deepInclude(info?.["samples"] as object, { path: "samples/quick.ndjson", lines: 16 })
    })
  )
})
