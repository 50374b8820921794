import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { run } from "../support/evald-process.ts"

let folder = ""
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "evald-e2e-demo-"))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

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
      assert.match(stdout, new RegExp(`^  ${id}\\s+\\S+\\s+[0-9.]+`, "m"))
    }
    assert.match(stdout, /arith_basic\s+exact_match_flexible\s+0\.\d+ \[0\.\d+, [01]\.\d+\]\s+20\s+≥ 0\.500\s+pass/)
    assert.match(stdout, /overall: score 0\.\d+ \(threshold 0\.400\): PASS/)
    assert.strictEqual(stderr, "")
  })
})
