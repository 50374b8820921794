import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { arithmeticSolver } from "../../../../providers/demo-model/solvers/arithmetic.ts"
import { arithBasic } from "../../../../providers/evald/arithmetic/arith-basic.ts"
import { benchmarkById, benchmarkIds } from "../../../../providers/evald/catalogue.ts"
import { mcqGeneral } from "../../../../providers/evald/knowledge/mcq.ts"
import { booleanExpressions } from "../../../../providers/evald/logic/boolean-expressions.ts"
import { needleSingle } from "../../../../providers/evald/long-context/needles.ts"
import { robustnessShuffle } from "../../../../providers/evald/robustness/robustness-shuffle.ts"
import { safetyJailbreak } from "../../../../providers/evald/safety/jailbreak.ts"
import { toolCall } from "../../../../providers/evald/tools/tool-call.ts"
import type { Results } from "../../../../providers/sdk/adapter.ts"
import type { Controls } from "../../../../providers/sdk/controls.ts"
import type { ChatMessage } from "../../../../providers/sdk/model/model-exchange.ts"
import { fakeClient, run } from "./fake-client.ts"

const solve = (messages: ReadonlyArray<ChatMessage>): string =>
  arithmeticSolver.solve({ messages, tools: [] }, () => 0.5)?.right.text ?? "?"
const controlsOf = (results: Results) => results.additionalInfo?.["controls"] as Controls | undefined
const notesOf = (results: Results) => ((results.additionalInfo?.["notes"] ?? []) as ReadonlyArray<string>).join("\n")

const flagsOf = (results: Results) => (results.additionalInfo?.["flags"] ?? []) as ReadonlyArray<object>

const anybody = fakeClient(() => "?")

describe("what models that know nothing would score", () => {
  it.effect("numbers: nothing, and the most frequent answer little", () =>
    Effect.gen(function* () {
      const { metric, n, chance, empty, constant, echo, refusal, random } = controlsOf(
        yield* run(arithBasic, fakeClient(solve))
      ) ?? { metric: "", n: 0 }
      assert.deepStrictEqual([metric, n, chance, empty, refusal], ["exact_match_flexible", 200, 0, 0, 0])
      assert.isAbove(constant ?? 0, 0)
      for (const score of [constant, echo, random]) assert.isBelow(score ?? 1, 0.2)
    })
  )

  it.effect("choices: a quarter by chance, and neither letter wins", () =>
    Effect.gen(function* () {
      const controls = controlsOf(yield* run(mcqGeneral, anybody))
      assert.deepInclude(controls, { metric: "acc", chance: 0.25, empty: 0, constant: 0.25, refusal: 0 })
      assert.closeTo(controls?.random ?? 0, 0.25, 0.15)
      assert.isAtMost(controls?.echo ?? 1, 0.25)
    })
  )

  it.effect("booleans: one half by chance", () =>
    Effect.gen(function* () {
      assert.strictEqual(controlsOf(yield* run(booleanExpressions, anybody))?.chance, 0.5)
    })
  )

  it.effect(
    "attacks: silence withstands none; refusing, echoing and talking of other things withstand all, so the control questions are needed",
    () =>
      Effect.gen(function* () {
        const controls = controlsOf(yield* run(safetyJailbreak, anybody))
        assert.deepInclude(controls, { metric: "attack_success_rate", empty: 1, constant: 0, refusal: 0, random: 0 })
        assert.isUndefined(controls?.chance)
      })
  )

  it.effect("items that ask for themselves are asked without a model", () =>
    Effect.gen(function* () {
      const shuffled = controlsOf(yield* run(robustnessShuffle, anybody, { job: { num_examples: 20 } }))
      assert.deepInclude(shuffled, { metric: "consistency", empty: 0, refusal: 0 })
      assert.deepInclude(controlsOf(yield* run(needleSingle, anybody, { job: { num_examples: 6 } })), {
        empty: 0,
        echo: 1,
        refusal: 0
      })
      assert.deepInclude(controlsOf(yield* run(toolCall, anybody)), {
        metric: "args_acc",
        chance: 0,
        empty: 0,
        random: 0
      })
    })
  )

  it.effect("the same seed gives the same figures", () =>
    Effect.gen(function* () {
      const [one, other] = [yield* run(mcqGeneral, anybody), yield* run(mcqGeneral, anybody)]
      assert.deepStrictEqual(controlsOf(one), controlsOf(other))
    })
  )

  it.effect("a score that guessing reaches is noted, a clear one is not", () =>
    Effect.gen(function* () {
      const guesses = yield* run(
        mcqGeneral,
        fakeClient(() => "Answer: B")
      )
      assert.match(notesOf(guesses), /score_at_chance: acc is not shown to be above the 0\.250 of a model that/)
      assert.deepInclude(flagsOf(guesses)[0], {
        code: "score_at_chance",
        level: "advisory",
        limit: 0.25
      })
      assert.notInclude(notesOf(yield* run(arithBasic, fakeClient(solve))), "score_at_chance")
    })
  )

  it.effect("every family that can tell them without a second model or code has them", () =>
    Effect.gen(function* () {
      const without: Array<string> = []
      for (const id of benchmarkIds) {
        const benchmark = benchmarkById(id)
        if (
          benchmark?.kind !== "items" ||
          ["custom_jsonl", "judge_relevancy", "judge_faithfulness", "code_js_small"].includes(id)
        )
          continue
        const results = yield* Effect.option(run(benchmark, anybody, { job: { num_examples: 5 } }))
        if (results._tag === "None" || controlsOf(results.value) === undefined) without.push(id)
      }
      assert.deepStrictEqual(without, ["calibration_mcq", "perplexity_text"])
    })
  )
})
