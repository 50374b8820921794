import { writeFileSync } from "node:fs"
import { createServer } from "node:http"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { startDemoModel } from "../../providers/demo-model/server.ts"
import type { Results } from "../../providers/sdk/adapter.ts"
import { type Asked, evaluate, folder, value } from "../integration/providers/evald/evaluate.ts"
import { listening } from "../support/loopback-server.ts"

const EXACT = [
  "arith_basic",
  "arith_multistep",
  "word_problems",
  "logic_deduction",
  "object_tracking",
  "boolean_expressions",
  "date_understanding",
  "dyck_completion",
  "multilingual_numbers",
  "multi_turn_memory"
]
const flagsOf = (results: Results) => (results.additionalInfo?.["flags"] ?? []) as ReadonlyArray<object>
const CHOICE = ["mcq_general", "mcq_science", "mcq_safety_knowledge"]

describe("embedded benchmarks on the demo model", () => {
  for (const [ids, metric] of [
    [EXACT, "exact_match_flexible"],
    [CHOICE, "acc"]
  ] as const) {
    for (const id of ids) {
      it.live(`${id}: skill 1 scores exactly 1, and says that it was the demo model`, () =>
        Effect.gen(function* () {
          const results = yield* evaluate({ id, demo: { skill: 1 }, numExamples: 40 })
          assert.strictEqual(value(results, metric), 1)
          assert.strictEqual(value(results, "error_rate"), 0)
          assert.strictEqual(results.additionalInfo?.["demo"], true)
          assert.deepStrictEqual(results.additionalInfo?.["framework"], { name: "evald", version: "0.0.0" })
        })
      )
    }
  }

  it.live("the score follows the skill", () =>
    Effect.gen(function* () {
      for (const id of ["arith_basic", "mcq_general", "logic_deduction"]) {
        const results = yield* evaluate({ id, demo: { skill: 0.6 } })
        const primary = results.metrics[0]
        const n = primary?.n ?? 0
        const sigma = Math.sqrt((0.6 * 0.4) / n)
        assert.isTrue(Math.abs(Number(primary?.value) - 0.6) <= 4 * sigma, `${id}: ${primary?.value} with n ${n}`)
        const none = yield* evaluate({ id, demo: { skill: 0 }, numExamples: 30 })
        assert.strictEqual(Number(none.metrics[0]?.value), 0, id)
      }
    })
  )

  it.live("the same model, seed and skill give the same metrics", () =>
    Effect.gen(function* () {
      const asked = { id: "arith_basic", demo: { skill: 0.7 }, numExamples: 50 }
      const [first, second] = [yield* evaluate(asked), yield* evaluate(asked)]
      assert.deepStrictEqual(first.metrics, second.metrics)
    })
  )

  it.live("the completions route gives the same score as chat", () =>
    Effect.gen(function* () {
      const results = yield* evaluate({
        id: "arith_basic",
        demo: { skill: 1 },
        numExamples: 20,
        parameters: { endpoint: "completions", num_few_shot: 2 }
      })
      assert.strictEqual(value(results, "exact_match"), 1)
      assert.deepInclude(results.additionalInfo?.["scoring"], { route: "completions" })
    })
  )

  it.live("few-shot examples do not confuse the model", () =>
    Effect.gen(function* () {
      for (const id of ["word_problems", "mcq_science", "dyck_completion"]) {
        const results = yield* evaluate({ id, demo: { skill: 1 }, numExamples: 20, parameters: { num_few_shot: 3 } })
        assert.strictEqual(Number(results.metrics[0]?.value), 1, id)
      }
    })
  )

  it.live("letters by log-probability, options by echo, calibration, option order and perplexity run end to end", () =>
    Effect.gen(function* () {
      const byLogprobs = yield* evaluate({
        id: "mcq_general",
        demo: { skill: 1 },
        numExamples: 20,
        parameters: { method: "logprobs" }
      })
      assert.strictEqual(value(byLogprobs, "acc"), 1)
      const byEcho = yield* evaluate({ id: "mcq_general", numExamples: 20, parameters: { method: "echo" } })
      assert.isTrue(value(byEcho, "acc") >= 0 && value(byEcho, "acc_norm") >= 0)
      const calibration = yield* evaluate({ id: "calibration_mcq", demo: { skill: 0.8 } })
      assert.isBelow(value(calibration, "ece"), 0.2)
      assert.isBelow(value(calibration, "brier"), 0.75)
      const order = yield* evaluate({ id: "robustness_shuffle", demo: { skill: 1 }, numExamples: 10 })
      assert.strictEqual(value(order, "consistency"), 1)
      const perplexity = yield* evaluate({ id: "perplexity_text" })
      assert.isTrue(value(perplexity, "bits_per_byte") > 0.3 && value(perplexity, "bits_per_byte") < 10)
      assert.isAbove(value(perplexity, "word_perplexity"), value(perplexity, "byte_perplexity"))
    })
  )
})

/** an endpoint whose every answer is the best rating */
const alwaysFive = Effect.map(
  Effect.acquireRelease(
    Effect.promise(() =>
      listening(
        createServer((_, response) => {
          response.writeHead(200, { "content-type": "application/json" })
          const message = { role: "assistant", content: "It is good.\nRating: 5" }
          response.end(
            JSON.stringify({ id: "1", model: "kind", choices: [{ index: 0, message, finish_reason: "stop" }] })
          )
        })
      )
    ),
    ({ close }) => Effect.promise(async () => close())
  ),
  ({ url }) => ({ url: `${url}/v1`, name: "kind" })
)

describe("judged benchmarks", () => {
  it.scopedLive("the judge rates replies and authored answers; its name and prompt are recorded", () =>
    Effect.gen(function* () {
      const judge = yield* Effect.orDie(startDemoModel({ skill: 1 }))
      const parameters = { judge: { url: judge.url, name: "evald-demo" } }
      const faithful = yield* evaluate({ id: "judge_faithfulness", demo: { skill: 1 }, parameters })
      assert.strictEqual(value(faithful, "faithfulness_score"), 1)
      assert.strictEqual(value(faithful, "judge_agreement"), 1)
      const scoring = faithful.additionalInfo?.["scoring"] as { readonly [key: string]: unknown }
      assert.strictEqual(scoring["judge"], "evald-demo")
      assert.match(String(scoring["judge_prompt_sha256"]), /^[0-9a-f]{64}$/)
      const inventing = yield* evaluate({ id: "judge_faithfulness", demo: { skill: 0 }, parameters })
      assert.isBelow(value(inventing, "faithfulness_score"), 0.2)
      const relevant = yield* evaluate({ id: "judge_relevancy", demo: { skill: 1 }, parameters })
      assert.isAtLeast(value(relevant, "judge_agreement"), 0.9)
      assert.notProperty(relevant.additionalInfo ?? {}, "flags")
      assert.isBelow(value(relevant, "relevancy_score"), 0.2)
    })
  )

  it.scopedLive("a judge with a poor eye is found out by the authored answers", () =>
    Effect.gen(function* () {
      const judge = yield* Effect.orDie(startDemoModel({ skill: 0 }))
      const results = yield* evaluate({
        id: "judge_faithfulness",
        demo: { skill: 1 },
        parameters: { judge: { url: judge.url, name: "evald-demo" } }
      })
      assert.strictEqual(value(results, "judge_agreement"), 0)
      assert.deepInclude(flagsOf(results)[0], {
        code: "judge_disagrees",
        level: "blocking",
        count: 10,
        of: 10
      })
    })
  )

  it.scopedLive(
    "a judge that always says 5 is found out also in a run of two items, and shows what knowing nothing gets",
    () =>
      Effect.gen(function* () {
        const judge = yield* alwaysFive
        for (const id of ["judge_relevancy", "judge_faithfulness"]) {
          const results = yield* evaluate({ id, demo: { skill: 1 }, numExamples: 2, parameters: { judge } })
          assert.strictEqual(results.metrics[0]?.value, 1)
          const { flags, controls, scoring } = results.additionalInfo as {
            readonly flags: ReadonlyArray<{ readonly [member: string]: unknown }>
            readonly controls: object
            readonly scoring: { readonly judge_anchors: ReadonlyArray<object> }
          }
          const disagrees = flags.find(({ code }) => code === "judge_disagrees")
          assert.deepInclude(disagrees, { level: "blocking", count: 5, of: 10, limit: 0.2 })
          assert.include(disagrees?.["samples"], `${id}:anchor-1:random`)
          assert.deepInclude(controls, { n: 5, empty: 0, random: 1, constant: 1, echo: 1, refusal: 1 })
          assert.lengthOf(scoring.judge_anchors, 25)
        }
      })
  )

  it.scopedLive("own data may be judged as well", () =>
    Effect.gen(function* () {
      const judge = yield* Effect.orDie(startDemoModel({ skill: 1 }))
      const data = yield* folder
      const ask = (sum: string, answer: number) =>
        JSON.stringify({
          prompt: `What is ${sum}?\n\nFinish with a last line of the form "Answer: <x>", where <x> is the number.`,
          answer
        })
      writeFileSync(join(data, "sums.jsonl"), [ask("12 + 30", 42), ask("6 × 7", 42), ask("9 - 4", 17)].join("\n"))
      const parameters = { scorer: "judge", judge: { url: judge.url, name: "evald-demo" } }
      const results = yield* evaluate({ id: "custom_jsonl", demo: { skill: 1 }, parameters, testData: data })
      assert.closeTo(value(results, "judge_score"), 2 / 3, 1e-9)
      assert.strictEqual(value(results, "judge_agreement"), 1)
      assert.deepInclude(results.additionalInfo?.["controls"], { metric: "score", random: 0, refusal: 0, constant: 0 })
      const fooled = yield* evaluate({
        ...{ id: "custom_jsonl", demo: { skill: 1 }, testData: data },
        parameters: { scorer: "judge", judge: yield* alwaysFive }
      })
      assert.strictEqual(value(fooled, "judge_score"), 1)
      assert.deepInclude(flagsOf(fooled)[0], { code: "judge_disagrees" })
      const unjudged = yield* evaluate({ id: "custom_jsonl", demo: { skill: 1 }, testData: data })
      assert.isFalse(unjudged.metrics.some(({ name }) => name === "judge_agreement"))
    })
  )

  it.live("without a judge nothing is asked", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(evaluate({ id: "judge_relevancy" }))
      assert.strictEqual(error.code, "benchmark_not_supported")
      assert.include(error.message, "set parameter judge")
    })
  )

  it.live("a judge that does not rate is an error of the item, never a low score", () =>
    Effect.gen(function* () {
      const judge = { url: "http://127.0.0.1:9", name: "nobody" }
      const error = yield* Effect.flip(evaluate({ id: "judge_relevancy", parameters: { judge, max_retries: 0 } }))
      assert.strictEqual(error.code, "no_samples_scored")
      assert.include(error.message, "judge: ")
    })
  )
})

describe("faults of the model endpoint", () => {
  const code = (asked: Asked) => Effect.map(Effect.flip(evaluate(asked)), (error) => error.code)

  it.live("a wrong key is reported as such, before any item", () =>
    Effect.gen(function* () {
      assert.strictEqual(
        yield* code({ id: "arith_basic", demo: { requireKey: "secret" } }),
        "model_authentication_failed"
      )
    })
  )

  it.live("a few failures that retries heal leave no trace in the score", () =>
    Effect.gen(function* () {
      const healed = yield* evaluate({
        id: "arith_basic",
        demo: { skill: 1, errorRate: 0.05 },
        numExamples: 40,
        parameters: { max_retries: 6 }
      })
      assert.strictEqual(value(healed, "exact_match"), 1)
      assert.strictEqual(value(healed, "error_rate"), 0)
    })
  )

  it.live("too many failures publish no score", () =>
    Effect.gen(function* () {
      const failed = yield* code({
        id: "arith_basic",
        demo: { skill: 1, errorRate: 0.5, seed: 3 },
        numExamples: 60,
        parameters: { max_retries: 0 }
      })
      assert.include(["too_many_errors", "no_samples_scored"], failed)
    })
  )

  it.live("each kind of broken answer is an error of its item with its own code, and the others are scored", () =>
    Effect.gen(function* () {
      const faults = ["hang", "garbage", "html", "empty", "429", "500", "503"]
      // the probes at the beginning are left alone
      const statusScript = [...Array.from({ length: 30 }, () => "ok"), ...faults]
      const results = yield* evaluate({
        id: "arith_basic",
        demo: { skill: 1, statusScript },
        parameters: { timeout_seconds: 1, max_retries: 0, max_error_rate: 0.1 }
      })
      assert.strictEqual(value(results, "exact_match"), 1)
      assert.strictEqual(value(results, "error_rate"), faults.length / 200)
      assert.deepInclude(results.additionalInfo?.["counts"], { total: 200, scored: 193, errors: 7, timeouts: 1 })
    })
  )

  it.live("an unknown benchmark and a bad parameter are named", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* code({ id: "arith_bassic" }), "benchmark_not_supported")
      assert.strictEqual(yield* code({ id: "arith_basic", parameters: { temperature: 9 } }), "invalid_parameter")
    })
  )
})
