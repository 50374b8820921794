/** What somebody does with the demo beyond typing its name, which test/e2e/demo.test.ts shows. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { run } from "../../support/evald-process.ts"

let folder = ""
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "evald-faces-demo-"))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** value column of a benchmark's row */
const scoreOf = (stdout: string, benchmark: string): number =>
  Number(new RegExp(`^  ${benchmark}\\s+\\S+\\s+([0-9.]+)`, "m").exec(stdout)?.[1] ?? Number.NaN)

// each starts processes of its own and mostly waits for them
describe.concurrent("evald demo with other models, benchmarks and keys", () => {
  it("a named collection is said at the beginning, and ends with its own score", async () => {
    const { code, stdout, stderr } = await run(["demo", "--collection", "core-capability"], {
      TMPDIR: folder
    })
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
