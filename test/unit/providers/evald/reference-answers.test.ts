/**
 * The reference answers of every embedded benchmark, checked by methods that know nothing of the generators. Where one reply decides an
 * item, solvers read the prompt as a model would: their right reply must be correct and their wrong one incorrect, item by item, for several
 * seeds. A benchmark that asks in another way is named with the test that checks it.
 */
import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { solvers } from "../../../../providers/demo-model/solvers.ts"
import { benchmarkById, benchmarkIds } from "../../../../providers/evald/catalogue.ts"
import { anyOf, assertSolved, loadedItemsOf } from "./solver-check.ts"

const solver = anyOf(solvers)

/** several replies, tools, probabilities, a judge or a clock decide: the tests that check their answers, which name the benchmark */
const elsewhere: { readonly [id: string]: string } = {
  multi_turn_memory: "test/trust/demo-scores.test.ts",
  robustness_shuffle: "test/trust/demo-scores.test.ts",
  calibration_mcq: "test/trust/demo-scores.test.ts",
  perplexity_text: "test/trust/demo-scores.test.ts",
  judge_relevancy: "test/trust/demo-scores.test.ts",
  judge_faithfulness: "test/trust/demo-scores.test.ts",
  tool_call: "test/trust/demo-families.test.ts",
  code_js_small: "test/trust/demo-families.test.ts",
  needle_single: "test/trust/demo-families.test.ts",
  needle_multikey: "test/trust/demo-families.test.ts",
  variable_tracking: "test/trust/demo-families.test.ts",
  common_words: "test/trust/demo-families.test.ts",
  custom_jsonl: "test/faces/own-benchmarks/imported-sets.test.ts",
  perf_synchronous: "test/timed/load-generator.test.ts",
  perf_concurrent: "test/timed/load-generator.test.ts",
  perf_constant: "test/timed/load-generator.test.ts",
  perf_poisson: "test/timed/load-generator.test.ts",
  perf_quick: "test/timed/load-generator.test.ts",
  perf_throughput: "test/timed/load-generator.test.ts",
  perf_sweep: "test/timed/load-generator.test.ts"
}

const solved = benchmarkIds.filter((id) => elsewhere[id] === undefined)

describe("reference answers", () => {
  for (const id of solved) {
    it(`${id}: a solver that only reads the prompts agrees with every one`, async () => {
      const benchmark = benchmarkById(id)
      if (benchmark?.kind !== "items") return assert.fail(`${id} has no items to solve: name the test that checks it`)
      for (const seed of [3, 71]) {
        const items = await loadedItemsOf(benchmark, { seed })
        assert.isAbove(items.length, 0)
        assert.deepStrictEqual(
          items.filter(({ ask }) => ask !== undefined),
          [],
          "asks in a way of its own: name the test that checks it"
        )
        assertSolved(items, solver)
      }
    })
  }
  for (const [id, file] of Object.entries(elsewhere)) {
    it(`${id} is checked by ${file}`, () => {
      assert.include(benchmarkIds, id)
      assert.match(readFileSync(file, "utf8"), new RegExp(`"${id}\\b`))
    })
  }
})
