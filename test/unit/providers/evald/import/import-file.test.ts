import { createHash } from "node:crypto"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Either } from "effect"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { readRecords } from "../../../../../providers/evald/custom/records.ts"
import { readRow } from "../../../../../providers/evald/custom/rows.ts"
import { IMPORT_FORMATS, importFile } from "../../../../../providers/evald/import/import-file.ts"

let folder = ""
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "evald-import-"))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const jsonl = (...rows: ReadonlyArray<object>) => rows.map((row) => `${JSON.stringify(row)}\n`).join("")

const imported = (format: string, name: string, text: string, licence?: string) => {
  const file = join(folder, name)
  const output = join(folder, `${name}.out.jsonl`)
  writeFileSync(file, text)
  const report = Either.getOrThrowWith(
    importFile({ format, file, output, ...(licence === undefined ? {} : { licence }) }),
    (problem) => new Error(problem)
  )
  const written = readFileSync(output, "utf8")
  const rows: ReadonlyArray<{ readonly [name: string]: unknown }> = written
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line))
  const records = Either.getOrThrow(readRecords({ format: "jsonl", text: written }))
  const custom = records.map((record) => Either.getOrThrowWith(readRow(record, {}), (problem) => new Error(problem)))
  return { rows, custom, written, record: JSON.parse(readFileSync(report.record, "utf8")) }
}
const refused = (format: string, text: string): string => {
  const file = join(folder, "refused.txt")
  writeFileSync(file, text)
  return Either.getOrThrowWith(
    Either.flip(importFile({ format, file, output: join(folder, "refused.jsonl") })),
    () => new Error("was accepted")
  )
}

describe("importers of original files", () => {
  it("GSM8K: the number after ####, without thousands separators", () => {
    const text = jsonl(
      { question: "Ann has 2 pens and buys 3. How many?", answer: "2 + 3 = <<2+3=5>>5\n#### 5" },
      { question: "A town of 1,200 loses 2,500?", answer: "Odd.\n#### -1,300" }
    )
    const { rows, custom } = imported("gsm8k", "gsm.jsonl", text)
    assert.deepStrictEqual(
      rows.map(({ id, answer }) => [id, answer]),
      [
        ["gsm-0", "5"],
        ["gsm-1", "-1300"]
      ]
    )
    assert.deepStrictEqual(custom[0]?.asked, { _tag: "Question", text: "Ann has 2 pens and buys 3. How many?" })
    assert.match(refused("gsm8k", jsonl({ question: "q", answer: "five" })), /line 1 has an "answer" that does not end/)
  })
  it("MMLU: a file without a header; an option that is a letter is not taken for one", () => {
    const { custom, record } = imported(
      "mmlu",
      "letters_test.csv",
      'Which comes first?,C,B,A,D,C\n"One, two?",1,2,3,4,B\nTwice?,x,x,y,z,A\n'
    )
    assert.deepStrictEqual(
      custom.map(({ choices }) => choices),
      [
        { options: ["C", "B", "A", "D"], right: 2 },
        { options: ["1", "2", "3", "4"], right: 1 }
      ]
    )
    assert.deepStrictEqual(record.left_out, [{ row: "line 3", reason: "two options have the same text" }])
    assert.match(refused("mmlu", "q,a,b,c,d,A\nq,a,b,c,d,E\n"), /line 2 has a last cell that is not A, B, C or D/)
    assert.match(refused("mmlu", "q,a,b\n"), /line 1 has 3 cells/)
  })
  it("BIG-Bench Hard: a letter in brackets is right without them as well", () => {
    const { custom } = imported(
      "bbh",
      "dates.json",
      JSON.stringify({
        canary: "x",
        examples: [
          { input: "Which?\n(A) a\n(B) b", target: "(B)" },
          { input: "not True is", target: "False" }
        ]
      })
    )
    assert.deepStrictEqual(
      custom.map(({ id, references }) => [id, references]),
      [
        ["dates-0", ["(B)", "B"]],
        ["dates-1", ["False"]]
      ]
    )
    assert.match(refused("bbh", '{"examples":[{"input":"x"}]}'), /example 0 needs/)
    assert.match(refused("bbh", "[]"), /no list "examples"/)
  })
  it("TruthfulQA: the best answer among the incorrect ones, in an order that is the same every time and not always first", () => {
    const header = "Type,Category,Question,Best Answer,Correct Answers,Incorrect Answers,Source\n"
    const lines = Array.from(
      { length: 12 },
      (_, i) => `A,Facts,Question ${i}?,Right ${i},Right ${i}; Also,Wrong; Worse; Wrong,none\n`
    ).join("")
    const { custom, written } = imported("truthfulqa", "truth.csv", header + lines)
    for (const [index, { choices, references }] of custom.entries()) {
      assert.deepStrictEqual([...(choices?.options ?? [])].sort(), [`Right ${index}`, "Worse", "Wrong"])
      assert.strictEqual(choices?.options[choices.right], references[0])
    }
    assert.isAbove(new Set(custom.map(({ choices }) => choices?.right)).size, 1)
    assert.strictEqual(imported("truthfulqa", "truth.csv", header + lines).written, written)
    assert.match(refused("truthfulqa", "Question,Answer\nq,a\n"), /line 2 needs the columns/)
  })
  it("HumanEval: prompt, original solution and the tests; the record says that no code is run", () => {
    const task = {
      task_id: "Own/0",
      prompt: "def one():\n",
      canonical_solution: "    return 1\n",
      test: "assert one() == 1",
      entry_point: "one"
    }
    const { rows, custom, record } = imported("humaneval", "human.jsonl", jsonl(task))
    assert.deepInclude(rows[0], { id: "Own/0", answer: "def one():\n    return 1\n", test: "assert one() == 1" })
    assert.strictEqual(custom[0]?.asked._tag, "Prompt")
    assert.include(record.notes.join(), "runs no code")
    assert.match(refused("humaneval", jsonl({ ...task, test: "" })), /line 1 needs the texts/)
  })
  it("records format, licence, both hashes and the parameters that score the rows", () => {
    const text = jsonl({ question: "q", answer: "#### 1" })
    const { record, written } = imported("gsm8k", "licence.jsonl", text, "CC-BY-4.0")
    const hash = (content: string) => createHash("sha256").update(content).digest("hex")
    assert.deepStrictEqual(record, {
      format: "gsm8k",
      licence: "CC-BY-4.0",
      licence_from: "the user",
      source: { file: "licence.jsonl", bytes: text.length, sha256: hash(text) },
      output: { file: "licence.jsonl.out.jsonl", rows: 1, sha256: hash(written) },
      parameters: { data_path: "licence.jsonl.out.jsonl", scorer: "numeric_match" },
      notes: [],
      left_out: []
    })
    assert.strictEqual(imported("gsm8k", "licence.jsonl", text).record.licence, "MIT")
  })
  it("an unknown format, a missing file, an empty file", () => {
    assert.include(refused("csv", ""), `known are ${IMPORT_FORMATS.map(({ id }) => id).join(", ")}`)
    assert.include(refused("gsm8k", "\n"), "there is no row")
    assert.include(
      Either.getOrThrow(Either.flip(importFile({ format: "gsm8k", file: join(folder, "absent") }))),
      "cannot be read"
    )
  })
})
