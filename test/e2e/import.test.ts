/** The importer as a user calls it. What each format becomes is in `test/unit/providers/evald/import`. */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { run } from "../support/evald-process.ts"

let folder = ""
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "evald-import-e2e-"))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const evaldImport = (...args: ReadonlyArray<string>) => run(["adapter", "evald", ...args])

describe("evald adapter evald --import", () => {
  it("writes rows and their record, and says how to score them", async () => {
    const [file, output] = [join(folder, "own.jsonl"), join(folder, "rows.jsonl")]
    writeFileSync(file, '{"question":"2 + 3?","answer":"#### 5"}\n')
    const { code, stdout, stderr } = await evaldImport(
      "--import",
      "gsm8k",
      "--licence",
      "CC0-1.0",
      `--output=${output}`,
      file
    )
    assert.strictEqual(code, 0, stderr)
    assert.include(stdout, "1 rows in")
    assert.include(stdout, 'parameters of custom_jsonl: {"scorer":"numeric_match"}')
    assert.strictEqual(readFileSync(output, "utf8"), '{"id":"own-0","question":"2 + 3?","answer":"5"}\n')
    assert.strictEqual(JSON.parse(readFileSync(`${output}.source.json`, "utf8")).licence, "CC0-1.0")
  })
  it("a file of another format: exit 1, the line and the reason, and nothing is written", async () => {
    const [file, output] = [join(folder, "wrong.jsonl"), join(folder, "nothing.jsonl")]
    writeFileSync(file, '{"question":"2 + 3?","answer":"#### 5"}\n{"question":"?","answer":"five"}\n')
    const { code, stderr } = await evaldImport("--import", "gsm8k", "--output", output, file)
    assert.strictEqual(code, 1)
    assert.match(stderr, /wrong\.jsonl is not GSM8K .*line 2 has an "answer"/)
    assert.isFalse(existsSync(output))
  })
  it("a wrong command line: exit 64 with the help", async () => {
    const { code, stderr } = await evaldImport("--import", "gsm8k")
    assert.strictEqual(code, 64)
    assert.match(stderr, /which file\?[\s\S]*Usage: evald adapter evald --import <format>/)
  })
})
