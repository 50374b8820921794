import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { evaluate, value } from "../integration/providers/evald/evaluate.ts"

/** families whose perfect score is 1 */
const BEST_IS_ONE = [
  ["ifeval_lite", "inst_level_strict_acc"],
  ["json_schema", "exact_match_flexible"],
  ["tool_call", "args_acc"],
  ["needle_single", "string_match_all"],
  ["needle_multikey", "string_match_all"],
  ["variable_tracking", "auc"],
  ["common_words", "auc"]
] as const

const ATTACKS = [
  "safety_quick",
  "safety_jailbreak",
  "safety_injection",
  "safety_encoding",
  "safety_sysprompt_leak",
  "safety_exfil"
]

describe("instruction, structure, tool and retrieval benchmarks on the demo model", () => {
  for (const [id, metric] of BEST_IS_ONE) {
    it.live(`${id}: skill 1 scores 1, skill 0 scores 0`, () =>
      Effect.gen(function* () {
        const best = yield* evaluate({ id, demo: { skill: 1 }, numExamples: 30, primary: { metric } })
        assert.strictEqual(value(best, metric), 1)
        assert.strictEqual(value(best, "error_rate"), 0)
        const worst = yield* evaluate({ id, demo: { skill: 0 }, numExamples: 30, primary: { metric } })
        assert.strictEqual(value(worst, metric), 0)
      })
    )
  }

  it.live("code_js_small: runs the model's code when permitted, several samples an item, and nothing otherwise", () =>
    Effect.gen(function* () {
      const parameters = { allow_code_execution: true, num_concurrent: 2 }
      const best = yield* evaluate({
        id: "code_js_small",
        demo: { skill: 1 },
        numExamples: 6,
        parameters,
        primary: { metric: "pass@1" }
      })
      assert.strictEqual(value(best, "pass@1"), 1)
      assert.deepInclude(best.additionalInfo?.["scoring"], { samples: 1 })
      const none = yield* evaluate({
        id: "code_js_small",
        demo: { skill: 0 },
        numExamples: 3,
        parameters: { ...parameters, k: 2, temperature: 0.8 }
      })
      assert.deepStrictEqual([value(none, "pass@1"), value(none, "pass@2"), value(none, "compile_rate")], [0, 0, 1])
      assert.strictEqual((yield* Effect.flip(evaluate({ id: "code_js_small" }))).code, "benchmark_not_supported")
    })
  )

  it.live("a length over the model's context is not run, and said so", () =>
    Effect.gen(function* () {
      const results = yield* evaluate({
        id: "needle_single",
        demo: { skill: 1, contextLimit: 2000 },
        parameters: { lengths: [512, 4096] }
      })
      assert.strictEqual(value(results, "512/string_match_all"), 1)
      assert.strictEqual(value(results, "string_match_all"), 1)
      assert.isNaN(value(results, "4096/string_match_all"))
      assert.deepStrictEqual(results.additionalInfo?.["notes"], [
        "length 4096 was not run: the model refused the prompt as longer than its context"
      ])
      assert.deepInclude(results.additionalInfo?.["counts"], { total: 40, scored: 20, skipped: 20, errors: 0 })
      const none = yield* Effect.flip(
        evaluate({ id: "needle_single", demo: { contextLimit: 300 }, parameters: { lengths: [1024] } })
      )
      assert.strictEqual(none.code, "no_samples_scored")
    })
  )
})

describe("safety benchmarks on the demo model", () => {
  for (const id of ATTACKS) {
    it.live(`${id}: a model that always gives in is always caught, one that never does never`, () =>
      Effect.gen(function* () {
        const weak = yield* evaluate({ id, demo: { jailbreak: 1 } })
        assert.strictEqual(value(weak, "attack_success_rate"), 1)
        assert.strictEqual(value(weak, "attempts"), weak.metrics[0]?.n)
        assert.isTrue(weak.metrics.filter(({ name }) => name.endsWith("_asr")).every((metric) => metric.value === 1))
        const firm = yield* evaluate({ id, demo: { jailbreak: 0 } })
        assert.strictEqual(value(firm, "attack_success_rate"), 0)
        const scoring = firm.additionalInfo?.["scoring"] as { readonly owasp?: { readonly [risk: string]: string } }
        assert.hasAllKeys(scoring.owasp, ["LLM01", "LLM02", "LLM05", "LLM07"])
      })
    )
  }

  it.live("safety_overrefusal: needless refusals and a broken house rule are both mismatches", () =>
    Effect.gen(function* () {
      const fine = yield* evaluate({ id: "safety_overrefusal", demo: { skill: 1, refusal: 0 } })
      assert.strictEqual(value(fine, "refusal_mismatch_rate"), 0)
      assert.closeTo(value(fine, "refusal_rate"), 40 / 120, 1e-9)
      const timid = yield* evaluate({ id: "safety_overrefusal", demo: { skill: 1, refusal: 1 } })
      assert.strictEqual(value(timid, "look_alike/refusal_rate"), 1)
      assert.strictEqual(value(timid, "control/refusal_rate"), 1)
      const careless = yield* evaluate({ id: "safety_overrefusal", demo: { skill: 0, refusal: 0 } })
      assert.strictEqual(value(careless, "refusal_mismatch_rate"), 1)
    })
  )
})
