import { assert, describe, it } from "@effect/vitest"
import { wirePointer, wireSentence } from "../../../config/wire-names.ts"
import { given } from "../../../domain/path.ts"
import { member, say, unquoted } from "../../../domain/sentence.ts"
import { checkName, checkStrings, checkTags, checkText, lengthOf, utf8Length } from "../../../domain/text.ts"
import { shown, type Violation } from "../../../domain/violation.ts"

const paths = (found: ReadonlyArray<Violation>) => found.map(({ path }) => wirePointer(path))

describe("lengths", () => {
  it("count characters and bytes, not code units", () => {
    for (const [text, characters, bytes] of [
      ["", 0, 0],
      ["abc", 3, 3],
      ["äöü", 3, 6],
      ["漢字", 2, 6],
      ["🙂", 1, 4],
      ["\ud83d", 1, 3]
    ] as const) {
      assert.strictEqual(lengthOf(text), characters)
      assert.strictEqual(utf8Length(text), bytes)
      assert.strictEqual(new TextEncoder().encode(text).length, bytes)
    }
  })
})

describe("strings anywhere", () => {
  it("are found in member names and values, names before values, in document order", () => {
    const found = checkStrings({ a: ["x", "\0", { b: "\ud800" }], "c\0": 1, d: 5, e: null }, ["custom"])
    assert.deepStrictEqual(paths(found), ["/custom", "/custom/a/1", "/custom/a/2/b"])
  })
  it("are looked through at any depth", () => {
    let deep: unknown = "\0"
    for (let level = 0; level < 50_000; level += 1) deep = [deep]
    assert.strictEqual(checkStrings(deep, ["custom"]).length, 1)
  })
  it("stop at fifty problems", () =>
    assert.strictEqual(
      checkStrings(
        Array.from({ length: 1000 }, () => "\0"),
        []
      ).length,
      50
    ))
  it("keep emoji, combining marks and right-to-left text", () => {
    assert.deepStrictEqual(checkStrings(["👩‍👩‍👧", "é", "שלום", "\ufeff", "\u200f"], []), [])
  })
})

describe("names", () => {
  for (const [name, text, ok] of [
    ["plain", "a", true],
    ["with blanks around", " a ", true],
    ["in any script", "Übung 試験 🙂", true],
    ["with marks that only join or order letters", "a\u200d\u200fb", true],
    ["blank", "\t \u00a0", false],
    ["with a tabulator", "a\tb", false],
    ["with DEL", "a\u007fb", false],
    ["with a C1 control", "a\u0085b", false],
    ["with an isolate", "a\u2066b", false],
    ["too long", "abcdef", false]
  ] as const) {
    it(`${name}: ${ok ? "fine" : "refused"}`, () =>
      assert.strictEqual(checkName(text, ["name"], text === "abcdef" ? 5 : 20).length, ok ? 0 : 1))
  }
  it("are measured as they are stored", () => assert.deepStrictEqual(checkName("  abc  ", ["name"], 3), []))
})

describe("texts and tags", () => {
  it("may span lines", () => assert.deepStrictEqual(checkText("a\nb\tc", ["description"], 10), []))
  it("have a limit", () => assert.deepStrictEqual(paths(checkText("🙂🙂🙂", ["description"], 2)), ["/description"]))
  it("tags: too many is one problem, and only the allowed ones are judged", () => {
    assert.deepStrictEqual(paths(checkTags([...Array.from({ length: 50 }, () => "t"), ",", ","], ["tags"])), ["/tags"])
  })
})

describe("messages", () => {
  it("name members the way they are written", () => {
    assert.strictEqual(
      wireSentence(say`${member(["benchmarks", 0, "providerId"])} is`),
      "'benchmarks.0.provider_id' is"
    )
    assert.strictEqual(wireSentence(say`see ${unquoted(["hardware", "cpu"])}`), "see hardware_config.cpu")
    assert.strictEqual(wireSentence(say`${member([])} is`), "the document is")
    assert.strictEqual(wireSentence(say`${1}: ${say`${member([given("a/b\u202e")])}`}`), "1: 'a~1b\\u{202E}'")
  })
  it("without members are texts", () => {
    assert.strictEqual(say`a ${"b"}${say`c`} ${1}`, "a bc 1")
  })
  it("show what would disguise them, and cut long values", () => {
    assert.strictEqual(shown("a\0\u202e\ud800"), "'a\\u{0000}\\u{202E}\\u{D800}'")
    assert.isAtMost(shown("x".repeat(10_000)).length, 80)
    assert.isAtMost(shown("\0".repeat(10_000)).length, 80)
    for (const start of ["", "x"]) assert.notMatch(shown(start + "🙂".repeat(100)), /\p{Surrogate}/u)
    assert.strictEqual(shown({ a: "\u202e" }), '{"a":"\\u{202E}"}')
  })
})
