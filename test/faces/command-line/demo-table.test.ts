/** The table of the demo for endpoints and providers whose figures can not be believed. */
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { listen, type Running, run } from "../../support/evald-process.ts"
import { plantedModel } from "../../trust/support/planted-model.ts"

let folder = ""
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "evald-e2e-table-"))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** stands for the LM Evaluation Harness: reports 40 of 100 in percent, whatever it is asked for */
const percentFramework = `#!/usr/bin/env node
const { mkdirSync, writeFileSync } = require("node:fs")
const args = process.argv.slice(2)
const value = (name) => args[args.indexOf(name) + 1]
if (args.includes("--help")) process.exit(0)
const task = value("--tasks")
mkdirSync(value("--output_path") + "/m", { recursive: true })
writeFileSync(value("--output_path") + "/m/results_2026-01-01T00-00-00.000000.json", JSON.stringify({
  results: { [task]: { alias: task, "exact_match,flexible-extract": 40, "exact_match,strict-match": 40 } },
  "n-samples": { [task]: { original: 20, effective: 20 } }, "n-shot": { [task]: 0 }, configs: {}, versions: { [task]: 1 }, lm_eval_version: "0.4.13"
}))
`

describe("the demo's table on what can not be believed", () => {
  let right: Running
  beforeAll(async () => {
    right = await listen(["demo-model", "--port", "0", "--skill", "1"])
  })
  afterAll(() => right.stop("SIGKILL"))

  const table = async (
    url: string,
    args: ReadonlyArray<string>,
    { path = process.env["PATH"] ?? "", exitCode = 0 } = {}
  ) => {
    const at = ["--model-url", url, "--model-name", "evald-demo", "--num-examples", "20"]
    const { code, stdout, stderr } = await run(["demo", ...at, ...args], { TMPDIR: folder, PATH: path })
    assert.strictEqual(code, exitCode, stdout + stderr)
    return stdout
  }
  const benchmarks = ["--benchmark", "arith_basic", "--benchmark", "safety_quick"]

  it.concurrent("an endpoint that answers nothing: every row is invalid, each says once that the answers are empty, nothing passes, and the exit code is 11", async () => {
    const empty = await plantedModel(right.url, "evald-demo", (answer) => ({
      ...answer,
      choices: [{ message: { role: "assistant", content: "" }, finish_reason: "stop" }]
    }))
    const stdout = await table(empty.url, benchmarks, { exitCode: 11 }).finally(empty.close)
    assert.match(stdout, /^ {2}arith_basic .* 0\.000 .* invalid$/m)
    assert.match(stdout, /^ {2}safety_quick .* 1\.000 .*≤ 0\.300 +invalid$/m)
    for (const id of ["arith_basic", "safety_quick"])
      assert.lengthOf(
        stdout.match(new RegExp(`${id}: empty_responses: 20 of 20 answers are empty`, "g")) ?? [],
        1,
        stdout
      )
    assert.match(stdout, /overall: completed, no score: none of the results can be believed/)
    assert.notMatch(stdout, /\bpass\b|PASS/)
  })
  it.concurrent("a model that thinks for 2,000 tokens: with a small limit invalid, with the way out; without a limit a pass", async () => {
    const thinking = await plantedModel(right.url, "evald-demo", (answer, { body }) => {
      if (Number(body["max_tokens"] ?? body["max_completion_tokens"] ?? 4096) >= 2000) return answer
      const message = { role: "assistant", content: "", reasoning_content: "First I look at the numbers." }
      return { ...answer, choices: [{ message, finish_reason: "length" }] }
    })
    const [small, free] = await Promise.all([
      table(thinking.url, [...benchmarks, "--max-tokens", "128"], { exitCode: 11 }),
      table(thinking.url, benchmarks)
    ]).finally(thinking.close)
    assert.match(small, /^ {2}arith_basic .* invalid$/m)
    assert.match(small, /arith_basic: truncated: 20 of 20 replies were cut off .*; raise max_tokens/)
    assert.match(small, /overall: completed, no score: none of the results can be believed/)
    assert.match(free, /^ {2}arith_basic .* 1\.000 .* pass$/m)
  })
  it.concurrent("a provider that reports in percent: no verdict, the note says why, and only the rest counts", async () => {
    const bin = join(folder, "bin")
    mkdirSync(bin, { recursive: true })
    writeFileSync(join(bin, "lm_eval"), percentFramework)
    chmodSync(join(bin, "lm_eval"), 0o755)
    const stdout = await table(
      right.url,
      ["--benchmark", "lm_evaluation_harness/gsm8k_platinum_cot_llama", "--benchmark", "arith_basic"],
      { path: `${bin}:${process.env["PATH"]}` }
    )
    assert.match(stdout, /^ {2}gsm8k_platinum_cot_llama +exact_match +40\.0 .*≥ 0\.650 +inconclusive$/m)
    assert.match(stdout, /gsm8k_platinum_cot_llama: value_outside_scale: 'exact_match' is 40, outside its scale 0\.\.1/)
    assert.match(stdout, /overall: score 1\.000 \(threshold 0\.500, coverage 50 %\): INCONCLUSIVE/)
  })
})
