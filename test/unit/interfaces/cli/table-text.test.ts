import { assert, describe, it } from "vitest"
import { cut, fittedTable, tabbedTable, widthOf } from "../../../../interfaces/cli/table-text.ts"

const id = "0193e5b0-7c1e-7d5a-9f0a-3b1c2d4e5f60"
const head = ["ID", "NAME", "STATE", "DONE", "MODEL", "CREATED"]
const rows = [[id, "a name that is long", "completed", "1/1", "m".repeat(30), "2026-05-04 13:02:11 +02:00"]]
const whole = new Set([0])

describe("a table", () => {
  it("never exceeds its terminal, and is separated by tabs without one", () => {
    const wide = [["a".repeat(80), "ü".repeat(30), "x"]]
    for (const width of [20, 40, 80, 200])
      for (const line of fittedTable(["ONE", "TWO", "THREE"], wide, width).text.split("\n"))
        assert.isAtMost([...line].length, width)
    assert.strictEqual(tabbedTable(["one", "two"], [["1", "2"]]), "one\ttwo\n1\t2\n")
  })
  it("keeps what the next command is typed with, and leaves out what has no room, from the end (identifiers were cut)", () => {
    const { text, left } = fittedTable(head, rows, 70, whole)
    assert.include(text, id)
    assert.match(text, /a name.*compl.*1\/1/)
    assert.deepStrictEqual(left, ["CREATED"])
    assert.deepStrictEqual(fittedTable(head, rows, 200, whole).left, [])
  })
  it("is lines for each record where hardly a column has room", () => {
    const { text, left } = fittedTable(head, [...rows, ...rows], 40, whole)
    const [first = ""] = text.split("\n\n")
    assert.deepStrictEqual(left, [])
    assert.deepStrictEqual(first.split("\n").slice(0, 4), [
      `ID ${id}`,
      "NAME a name that is long",
      "STATE completed",
      "DONE 1/1"
    ])
    for (const line of text.split("\n")) assert.isAtMost([...line].length, 40)
  })
  it("is aligned beside names of wide signs, emoji and accents (they counted one column each, whatever they take)", () => {
    const names = ["模型评测", "👩🏽‍🚀 crew", "e\u0301tude", "plain"]
    const { text } = fittedTable(
      ["NAME", "STATE"],
      names.map((name) => [name, "completed"]),
      80
    )
    const [first = "", ...lines] = text.trimEnd().split("\n")
    for (const line of lines)
      assert.strictEqual(widthOf(line.slice(0, line.indexOf("completed"))), first.indexOf("STATE"), line)
    for (const width of [20, 21, 22, 23])
      for (const line of fittedTable(["A", "B", "C"], [["评测".repeat(20), "👩🏽‍🚀".repeat(9), "x"]], width).text.split(
        "\n"
      ))
        assert.isAtMost(widthOf(line), width)
  })
  it("is cut between signs, never within one", () => {
    assert.strictEqual(cut("评测模型", 6), "评测…")
    assert.strictEqual(cut("评测模型", 7), "评测模…")
    assert.strictEqual(cut("a👩🏽‍🚀b", 3), "a…")
    assert.strictEqual(cut("abcdef", 4), "abc…")
    assert.strictEqual(cut("abcd", 4), "abcd")
  })
  it("may have a quarter of a million rows (130,000 overflowed the stack)", () => {
    const many = Array.from({ length: 250_000 }, (_, at) => [String(at)])
    assert.include(fittedTable(["N"], many, 80).text, "249999\n")
  })
})
