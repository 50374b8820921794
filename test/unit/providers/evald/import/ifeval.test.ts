import { Either } from "effect"
import { assert, describe, it } from "vitest"
import { compileRegex } from "../../../../../providers/evald/custom/custom-scorers.ts"
import { ifEval } from "../../../../../providers/evald/import/ifeval.ts"

const read = (instructions: ReadonlyArray<readonly [string, object]>) =>
  Either.getOrThrow(
    ifEval.read(
      JSON.stringify({
        key: 1000,
        prompt: "Write.",
        instruction_id_list: instructions.map(([id]) => id),
        kwargs: instructions.map(([, given]) => given)
      }),
      "ifeval"
    )
  )
const follows = (reply: string, ...instructions: ReadonlyArray<readonly [string, object]>): boolean =>
  Either.getOrThrow(compileRegex(String(read(instructions).rows[0]?.answer))).test(reply)

/** instruction, arguments, replies that follow it, replies that do not: by hand from the rules of the set */
const cases: ReadonlyArray<readonly [string, object, ReadonlyArray<string>, ReadonlyArray<string>]> = [
  ["keywords:existence", { keywords: ["Sun", "c++"] }, ["The SUN\nand C++"], ["the sun", "c++"]],
  ["keywords:forbidden_words", { forbidden_words: ["can"] }, ["a candle"], ["Yes, you Can."]],
  ["keywords:frequency", { keyword: "ab", frequency: 2, relation: "at least" }, ["ab AB", "abab"], ["ab", ""]],
  ["keywords:frequency", { keyword: "ab", frequency: 2, relation: "less than" }, ["ab", ""], ["ab ab"]],
  ["keywords:letter_frequency", { letter: "!", let_frequency: 2, let_relation: "at least" }, ["a!b!"], ["a!"]],
  ["length_constraints:number_words", { num_words: 3, relation: "at least" }, ["one two, three"], ["one two"]],
  ["length_constraints:number_words", { num_words: 3, relation: "less than" }, ["one two"], ["one two three"]],
  ["detectable_content:number_placeholders", { num_placeholders: 2 }, ["[a] [b]"], ["[a] b]", "[a\n] [b]"]],
  ["detectable_content:postscript", { postscript_marker: "P.S." }, ["Bye.\nP.S. More"], ["Bye."]],
  ["detectable_format:title", {}, ["<<Song>>\nla"], ["<< >>", "<Song>"]],
  ["detectable_format:constrained_response", {}, ["My answer is no."], ["No."]],
  [
    "detectable_format:multiple_sections",
    { section_spliter: "Section", num_sections: 2 },
    ["Section 1\na\nSection 2\nb"],
    ["Section 1\na", "section 1 section 2"]
  ],
  ["punctuation:no_comma", {}, ["a b"], ["a, b"]],
  ["change_case:english_capital", {}, ["HELLO, 1!"], ["Hello", "1"]],
  ["change_case:english_lowercase", {}, ["hello, 1!"], ["Hello", "1"]],
  ["startend:quotation", {}, ['"text"', ' "a\nb" '], ['"text', 'a "text"']],
  [
    "startend:end_checker",
    { end_phrase: "That is all." },
    ["x that IS all.", '"x that is all."\n'],
    ["That is all. Bye"]
  ],
  ["combination:repeat_prompt", { prompt_to_repeat: "Why?" }, ["why? Because"], ["Because. Why?"]]
]

describe("IFEval as regular expressions", () => {
  for (const [id, given, right, wrong] of cases) {
    it(`${id} ${JSON.stringify(given)}`, () => {
      for (const reply of right) assert.isTrue(follows(reply, [id, given]), reply)
      for (const reply of wrong) assert.isFalse(follows(reply, [id, given]), reply)
    })
  }
  it("every instruction of a prompt must be followed", () => {
    const both = [["punctuation:no_comma", {}] as const, ["startend:quotation", {}] as const]
    assert.isTrue(follows('"a b"', ...both))
    assert.isFalse(follows('"a, b"', ...both))
    assert.isFalse(follows("a b", ...both))
  })
  it("a refusal of a long reply comes to an end: no expression tries all ways to divide it", () => {
    assert.isFalse(
      follows("word ".repeat(2000), ["length_constraints:number_words", { num_words: 2001, relation: "at least" }])
    )
    assert.isFalse(
      follows("ab ".repeat(2000), ["keywords:frequency", { keyword: "ab", frequency: 2001, relation: "at least" }])
    )
  })
  it("a prompt with an instruction that no expression checks is left out and named", () => {
    const { rows, leftOut } = read([
      ["punctuation:no_comma", {}],
      ["language:response_language", { language: "de" }]
    ])
    assert.deepStrictEqual(rows, [])
    assert.deepStrictEqual(leftOut, [
      { row: "line 1", reason: "language:response_language cannot be checked by a regular expression" }
    ])
  })
  it("a row of another shape is refused", () => {
    const row = JSON.stringify({ prompt: "p", instruction_id_list: ["a"], kwargs: [] })
    assert.match(Either.getOrThrow(Either.flip(ifEval.read(row, "x"))), /line 1 needs the text "prompt" and the lists/)
  })
})
