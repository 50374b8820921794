import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { listen, type Running, run } from "../support/evald-process.ts"
import { plantedModel } from "../trust/support/planted-model.ts"

let folder = ""
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "evald-e2e-demo-"))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** value column of a benchmark's row */
const scoreOf = (stdout: string, benchmark: string): number =>
  Number(new RegExp(`^  ${benchmark}\\s+\\S+\\s+([0-9.]+)`, "m").exec(stdout)?.[1] ?? Number.NaN)

describe("evald demo", () => {
  it("ends with a table of eight benchmarks with true values, a score and a verdict, and exit code 0", async () => {
    const { code, stdout, stderr } = await run(["demo"], { TMPDIR: folder })
    assert.strictEqual(code, 0, stdout + stderr)
    for (const id of [
      "arith_basic",
      "mcq_general",
      "logic_deduction",
      "ifeval_lite",
      "json_schema",
      "needle_single",
      "safety_quick",
      "perf_quick"
    ]) {
      assert.isFalse(Number.isNaN(scoreOf(stdout, id)), `no row of ${id} in:\n${stdout}`)
    }
    assert.match(stdout, /arith_basic\s+exact_match_flexible\s+0\.\d+ \[0\.\d+, [01]\.\d+\]\s+20\s+≥ 0\.500\s+pass/)
    assert.match(stdout, /overall: score 0\.\d+ \(threshold 0\.400\): PASS/)
    assert.strictEqual(stderr, "")
  })
  it("a named collection is said at the beginning, and ends with its own score", async () => {
    const { code, stdout, stderr } = await run(["demo", "--collection", "core-capability"], { TMPDIR: folder })
    assert.strictEqual(code, 0, stdout + stderr)
    assert.match(stdout, /^collection core-capability, 8 benchmarks$/m)
    for (const id of [
      "arith_multistep",
      "word_problems",
      "logic_deduction",
      "mcq_general",
      "mcq_science",
      "ifeval_lite",
      "json_schema",
      "tool_call"
    ]) {
      assert.isAbove(scoreOf(stdout, id), 0.7, id)
      assert.isBelow(scoreOf(stdout, id), 0.98, id)
    }
    assert.match(stdout, /overall: score 0\.8\d+ \(threshold 0\.450\): PASS/)
  })
  it("scores follow the skill of the demo model", async () => {
    const at = async (skill: string) => {
      const { code, stdout } = await run(
        [
          "demo",
          "--skill",
          skill,
          "--benchmark",
          "arith_basic",
          "--benchmark",
          "logic_deduction",
          "--num-examples",
          "40"
        ],
        {
          TMPDIR: folder
        }
      )
      assert.strictEqual(code, 0, stdout)
      return scoreOf(stdout, "arith_basic") + scoreOf(stdout, "logic_deduction")
    }
    assert.strictEqual(await at("1"), 2)
    const weak = await at("0.3")
    assert.isAbove(weak, 0.2)
    assert.isBelow(weak, 1.2)
  })
  it("an unreachable endpoint fails each benchmark with its code and the fix, exit code 1", async () => {
    const { code, stdout } = await run(
      ["demo", "--model-url", "http://127.0.0.1:1/v1", "--model-name", "m", "--benchmark", "arith_basic"],
      { TMPDIR: folder }
    )
    assert.strictEqual(code, 1)
    assert.match(stdout, /arith_basic failed \(model_endpoint_unreachable\): \S+/)
    assert.match(stdout, /overall: failed, no score/)
  })
  it("a wrong command line says what is wrong and how to do it, exit code 64", async () => {
    const { code, stderr } = await run(["demo", "--modle-url", "x"])
    assert.strictEqual(code, 64)
    assert.match(stderr, /unknown flag '--modle-url'; did you mean --model-url\?/)
    assert.match(stderr, /Usage: evald demo/)
  })
  it("an unknown benchmark is refused at submission with the way to find the known ones", async () => {
    const { code, stderr } = await run(["demo", "--benchmark", "nonsense"], { TMPDIR: folder })
    assert.strictEqual(code, 1)
    assert.match(stderr, /resource_does_not_exist: .*nonsense/)
  })
  it("a key file that is missing or empty is named", async () => {
    const keyed = (file: string) =>
      run(["demo", "--model-url", "http://127.0.0.1:1/v1", "--model-name", "m", "--api-key-file", join(folder, file)])
    const missing = await keyed("none")
    assert.match(missing.stderr, /key file '.*none' cannot be read/)
    writeFileSync(join(folder, "empty"), "\n")
    const empty = await keyed("empty")
    assert.match(empty.stderr, /key file '.*empty' is empty/)
  })
})

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
