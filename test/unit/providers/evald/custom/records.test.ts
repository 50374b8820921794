import { assert, describe, it } from "@effect/vitest"
import { Either } from "effect"
import { readRecords } from "../../../../../providers/evald/custom/records.ts"
import { type ColumnNames, readRow } from "../../../../../providers/evald/custom/rows.ts"

const csv = (text: string) => readRecords({ format: "csv", text })
const jsonl = (text: string) => readRecords({ format: "jsonl", text })

const good = <A, E>(result: Either.Either<A, E>): A =>
  Either.getOrThrowWith(result, (problem) => new Error(JSON.stringify(problem)))
const bad = <A, E>(result: Either.Either<A, E>): E =>
  Either.getOrThrowWith(Either.flip(result), () => new Error("was accepted"))

describe("records", () => {
  it("JSON Lines: blank lines, byte order mark and Windows line ends", () => {
    assert.deepStrictEqual(good(jsonl('\uFEFF{"a":1}\r\n\n{"a":"é"}')), [
      { line: 1, fields: { a: 1 } },
      { line: 3, fields: { a: "é" } }
    ])
  })

  it("JSON Lines: the first bad line is named", () => {
    assert.strictEqual(bad(jsonl('{"a":1}\n{"a":')).line, 2)
    assert.deepStrictEqual(bad(jsonl("[1]")), { line: 1, problem: "must be a JSON object" })
    assert.deepStrictEqual(bad(jsonl("null")), { line: 1, problem: "must be a JSON object" })
  })

  it("CSV: quotes, line breaks and commas in cells, empty cells are absent", () => {
    const records = good(csv('id,question,answer\r\n1,"What, ""now""?\nReally?",yes\n2,plain,\n\n3,"",x'))
    assert.deepStrictEqual(records, [
      { line: 2, fields: { id: "1", question: 'What, "now"?\nReally?', answer: "yes" } },
      { line: 4, fields: { id: "2", question: "plain" } },
      { line: 6, fields: { id: "3", answer: "x" } }
    ])
  })

  it("CSV: wrong quotes, widths and headers are named", () => {
    assert.strictEqual(bad(csv('a,b\n1,x"y')).line, 2)
    assert.deepStrictEqual(bad(csv("a,b\n1,2\n1,2,3")), { line: 3, problem: "has 3 cells, but the header has 2" })
    assert.include(bad(csv("a,a\n1,2")).problem, "twice")
    assert.include(bad(csv("")).problem, "header")
    assert.deepStrictEqual(good(csv("a\n")), [])
  })

  it("CSV: a cell of megabytes is read", () => {
    const long = `${"x".repeat(3_000_000)}""`
    assert.strictEqual(String(good(csv(`a\n"${long}"`))[0]?.fields["a"]).length, 3_000_001)
  })
})

const row = (fields: { readonly [column: string]: unknown }, names: ColumnNames = {}) =>
  readRow({ line: 1, fields }, names)

describe("rows", () => {
  it("question, prompt and messages", () => {
    assert.deepStrictEqual(good(row({ question: "2+2?", answer: 4 })), {
      id: undefined,
      asked: { _tag: "Question", text: "2+2?" },
      context: undefined,
      choices: undefined,
      cluster: undefined,
      grader: undefined,
      references: ["4"]
    })
    assert.deepStrictEqual(good(row({ prompt: "P", reference: ["a", "b"], id: 7 })).references, ["a", "b"])
    const messages = [
      { role: "system", content: "S" },
      { role: "user", content: "U" }
    ]
    assert.deepStrictEqual(good(row({ messages, answer: "x" })).asked, {
      _tag: "Messages",
      messages: [...messages] as never
    })
    assert.deepStrictEqual(good(row({ messages: JSON.stringify(messages), answer: "x" })).asked, {
      _tag: "Messages",
      messages: [...messages] as never
    })
  })

  it("columns may have other names", () => {
    const names = { question: "frage", answer: "antwort" }
    assert.deepStrictEqual(good(row({ frage: "Q", antwort: "A" }, names)).references, ["A"])
    assert.include(bad(row({ question: "Q", antwort: "A" }, names)), '"frage"')
  })

  it("choices by text, letter or number from 0; in CSV separated by a bar or as JSON", () => {
    const right = (choices: unknown, answer: unknown) => good(row({ question: "Q", choices, answer })).choices?.right
    assert.strictEqual(right(["red", "blue"], "blue"), 1)
    assert.strictEqual(right(["red", "blue"], "b"), 1)
    assert.strictEqual(right(["red", "blue"], 1), 1)
    assert.strictEqual(right(["3", "0"], "0"), 1)
    assert.strictEqual(right("red | blue", "A"), 0)
    assert.strictEqual(right('["a|b","c"]', "a|b"), 0)
    assert.include(bad(row({ question: "Q", choices: ["red", "blue"], answer: "green" })), "none of the choices")
    assert.include(bad(row({ question: "Q", choices: ["red"], answer: "red" })), "2 to 26")
  })

  it("what is missing or misshapen is said", () => {
    assert.include(bad(row({ answer: "x" })), '"question", "prompt", "messages"')
    assert.include(bad(row({ question: "Q" })), '"answer", "reference"')
    assert.include(bad(row({ question: "  ", answer: "x" })), "blank")
    assert.include(bad(row({ question: {}, answer: "x" })), "not a text")
    assert.include(bad(row({ question: "Q", answer: {} })), "not a text, a number")
    assert.include(bad(row({ messages: [{ role: "robot", content: "x" }], answer: "x" })), "roles")
    assert.include(
      bad(row({ messages: [{ role: "assistant", content: "x" }], answer: "x" })),
      "ends with a user message"
    )
    assert.include(bad(row({ __proto__: { question: "Q" }, answer: "x" })), "none of the columns")
  })
})
