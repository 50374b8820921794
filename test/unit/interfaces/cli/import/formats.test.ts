/** Evaluations of other tools: what becomes of each part, and that nothing without a counterpart is guessed. */
import { readFileSync } from "node:fs"
import { Either } from "effect"
import { assert, describe, it } from "vitest"
import { parse } from "yaml"
import type { Imported, ImportedSet } from "../../../../../interfaces/cli/import/imported.ts"
import { readOpenAiEvals } from "../../../../../interfaces/cli/import/openai-evals.ts"
import { readPromptfoo } from "../../../../../interfaces/cli/import/promptfoo.ts"
import { render } from "../../../../../interfaces/cli/import/templates.ts"
import { compileRegex } from "../../../../../providers/evald/custom/custom-scorers.ts"

const text = (name: string) => readFileSync(`test/fixtures/import/${name}`, "utf8")
const document = (): Record<string, unknown> => JSON.parse(text("eval.json")) as Record<string, unknown>
const openAi = (given: unknown = document(), data?: ReadonlyArray<unknown>): Imported =>
  Either.getOrThrowWith(readOpenAiEvals(given, data), (problem) => new Error(problem))
const promptfoo = (given: unknown = parse(text("promptfooconfig.yaml"))): Imported =>
  Either.getOrThrowWith(readPromptfoo(given, "promptfooconfig"), (problem) => new Error(problem))

const setOf = ({ sets }: Imported, id: string): ImportedSet =>
  sets.find((set) => set.id === id) ?? assert.fail(`${id} is among ${sets.map((set) => set.id).join(", ")}`)

/** whether a reply passes the row, as the scorer decides */
const passes = (set: ImportedSet, row: string, reply: string): boolean => {
  const pattern = set.rows.find(({ id }) => id === row)?.answer ?? assert.fail(`no row ${row}`)
  const match = Either.getOrThrow(compileRegex(pattern)).exec(reply)
  return match !== null && match[0] !== ""
}

describe("an OpenAI eval", () => {
  it("asks what its run asked, one set for each criterion", () => {
    const { name, sets } = openAi()
    assert.strictEqual(name, "Support answers")
    assert.deepStrictEqual(
      sets.map(({ id, scorer, rows }) => [id, scorer, rows.length]),
      [
        ["1-exact-label", "regex_match", 3],
        ["2-names-it-anywhere", "regex_match", 3],
        ["3-is-not-other", "regex_match", 3],
        ["4-close-to-the-label", "rouge_l", 3],
        ["6-tone", "grader", 3],
        ["7-helpful", "grader", 3]
      ]
    )
    assert.deepStrictEqual(sets[0]?.rows[1]?.messages, [
      { role: "system", content: "Answer with one of Hardware, Software, Other." },
      { role: "user", content: "I'm in vim and I can't quit!" }
    ])
  })

  it("decides string checks to the letter: equal, different, within, within in any case", () => {
    const all = openAi()
    const decided = (id: string, replies: ReadonlyArray<string>) =>
      replies.map((reply) => passes(setOf(all, id), "1", reply))
    const replies = ["Hardware", "hardware", "It is Hardware.", "Other", "Other things"]
    assert.deepStrictEqual(decided("1-exact-label", replies), [true, false, false, false, false])
    assert.deepStrictEqual(decided("2-names-it-anywhere", replies), [true, true, true, false, false])
    assert.deepStrictEqual(decided("3-is-not-other", replies), [true, true, true, false, true])
    const like = document()
    like["testing_criteria"] = [
      { type: "string_check", name: "x", input: "{{sample.output_text}}", reference: "a.b (c)", operation: "like" }
    ]
    const set = setOf(openAi(like), "1-x")
    assert.deepStrictEqual(
      ["so a.b (c) it is", "so a.b (C) it is", "axb (c)"].map((reply) => passes(set, "1", reply)),
      [true, false, false]
    )
  })

  it("keeps the graders' own words, labels, ranges and thresholds, and the name of their model", () => {
    const all = openAi()
    const tone = setOf(all, "6-tone")
    assert.strictEqual(tone.judge, "grader-mini")
    assert.deepStrictEqual(tone.rows[0]?.grader, {
      messages: [
        { role: "system", content: "You grade the tone of replies to tickets." },
        { role: "user", content: "Ticket: My monitor won't turn on!\nReply: {{reply}}" }
      ],
      labels: ["terse", "polite", "rude"],
      passing_labels: ["terse", "polite"]
    })
    assert.deepInclude(setOf(all, "7-helpful").rows[0]?.grader, { range: [1, 7], pass_threshold: 5.5 })
  })

  it("lists what has no counterpart, with the reason", () => {
    assert.deepStrictEqual(
      openAi().leftOut.map(({ what, why }) => `${what}: ${why}`),
      [
        "item 4: its template names 'item.ticket', for which there is no text",
        "criterion 'Cosine': its metric 'cosine' has no counterpart that measures the same; rouge_l has",
        "criterion 'Own code': its type 'python' has no counterpart"
      ]
    )
    const odd = document()
    const input = "{{sample.output_text}}"
    odd["testing_criteria"] = [
      { type: "string_check", name: "tools", input: "{{sample.output_tools}}", reference: "x", operation: "eq" },
      { type: "string_check", name: "op", input, reference: "x", operation: "matches" },
      { type: "string_check", name: "nothing", input, reference: "", operation: "eq" },
      { type: "label_model", name: "labels", input: [], labels: ["a"], passing_labels: ["b"] },
      { type: "score_model", name: "no threshold", input: [], range: [0, 1] },
      { type: "score_model", name: "range", input: [], range: [1, 1], pass_threshold: 1 },
      "text"
    ]
    const { sets, leftOut } = openAi(odd)
    assert.isEmpty(sets)
    assert.deepStrictEqual(
      [...new Set(leftOut.map(({ what }) => what.split(",")[0]))],
      [
        "item 4",
        ...["tools", "op", "nothing", "labels", "no threshold", "range", "6"].map((name) => `criterion '${name}'`)
      ]
    )
  })

  it("takes its items from a file beside it, and eval and run from wherever they stand", () => {
    const { run, ...definition } = document()
    const rows = [{ item: { ticket: "t", label: "Other" } }, { ticket: "u", label: "Other" }]
    for (const given of [{ eval: definition, runs: [run] }, [definition, run]])
      assert.deepStrictEqual(
        openAi(given, rows).sets[0]?.rows.map(({ messages }) => messages.at(-1)?.content),
        ["t", "u"]
      )
  })

  it("is refused in words when it is none", () => {
    const { run, ...definition } = document()
    const refused = (given: unknown) => Either.getOrElse(Either.flip(readOpenAiEvals(given, undefined)), () => "taken")
    assert.match(refused({ run }), /no eval: an object with testing_criteria/)
    assert.match(refused(definition), /no run: an object with a data_source/)
    assert.match(
      refused({ ...definition, run: { data_source: { type: "jsonl" } } }),
      /no input_messages with a template/
    )
    const empty = { data_source: { input_messages: { template: [] }, source: { type: "file_id", id: "file-1" } } }
    assert.match(refused({ ...definition, run: empty }), /no items; name a file of them with --data/)
    assert.match(refused("text"), /no eval/)
  })
})

describe("a configuration of promptfoo", () => {
  it("becomes items of every prompt with every combination of values", () => {
    const { name, sets } = promptfoo()
    assert.strictEqual(name, "Capitals and manners")
    assert.deepStrictEqual(
      sets.map(({ id, scorer, rows }) => [id, scorer, rows.map((row) => row.id)]),
      [
        [
          "assertions",
          "regex_match",
          ["1-p1", "1-p2", "2-p1-v1", "2-p1-v2", "2-p2-v1", "2-p2-v2", "3-p1", "3-p2", "6-p1", "6-p2"]
        ],
        ["rubrics", "grader", ["3-p1", "3-p2"]]
      ]
    )
    const { rows } = setOf(promptfoo(), "assertions")
    assert.deepStrictEqual(rows[1]?.messages, [
      { role: "system", content: "Answer in one line." },
      { role: "user", content: "Name the capital of France." }
    ])
    assert.strictEqual(rows[3]?.messages[0]?.content, "What is the capital of Japan?")
  })

  it("passes a test when all its assertions hold, those of every test included", () => {
    const set = setOf(promptfoo(), "assertions")
    assert.deepStrictEqual(
      ["It is PARIS, Paris.", "It is PARIS.", "As an AI I say Paris", "It is Paris.\nOf course"].map((reply) =>
        passes(set, "1-p1", reply)
      ),
      [true, false, false, true]
    )
    assert.deepStrictEqual(
      ["The capital is Rome", "The capital is Tokyo", "Rome is the capital", "The capital is Oslo"].map((reply) =>
        passes(set, "2-p1-v1", reply)
      ),
      [true, true, false, false]
    )
  })

  it("puts rubrics to a second model, with their values", () => {
    const [row] = setOf(promptfoo(), "rubrics").rows
    const { grader } = row ?? assert.fail("no row")
    assert.deepInclude(grader, { labels: ["yes", "no"], passing_labels: ["yes"] })
    assert.match(grader?.messages[0]?.content ?? "", /Names Lima and is friendly about Peru[\s\S]*\{\{reply\}\}/)
  })

  it("lists tests that can not be told apart from others by their text, whole", () => {
    assert.deepStrictEqual(
      promptfoo().leftOut.map(({ what, why }) => `${what}: ${why}`),
      [
        "test 4, prompt 1: its assertion 'javascript' has no counterpart",
        "test 4, prompt 2: its assertion 'javascript' has no counterpart",
        "test 5, prompt 1: its assertion 'contains' has weight, which has no counterpart",
        "test 5, prompt 2: its assertion 'contains' has weight, which has no counterpart"
      ]
    )
    const odd = promptfoo({
      prompts: ["file://prompt.txt", "{{ x | upper }}", "{% if x %}a{% endif %}", "[not json"],
      scenarios: [],
      tests: [
        "file://tests.csv",
        { vars: { x: "a" } },
        { vars: { x: "a" }, threshold: 0.5, assert: [{ type: "equals", value: "a" }] },
        { vars: { x: "a" }, assert: [{ type: "equals", value: "a" }] }
      ]
    })
    assert.isEmpty(odd.sets)
    assert.deepStrictEqual(
      odd.leftOut.map(({ what, why }) => `${what}: ${why.slice(0, 30)}`),
      [
        "scenarios: it has no counterpart",
        "test 1: it is no mapping: tests in fil",
        "test 2: it asserts nothing",
        "test 3: it has threshold, which has no",
        "test 4, prompt 1: the prompt lies elsewhere (fil",
        "test 4, prompt 2: its template has '{{ x | upper",
        "test 4, prompt 3: its template has statements, a",
        "test 4, prompt 4: the prompt begins as a list of"
      ]
    )
  })

  it("takes no pattern that refers to groups or is none in JavaScript", () => {
    const of = (value: string) =>
      promptfoo({ prompts: ["x"], tests: [{ assert: [{ type: "regex", value }] }] }).leftOut.length
    assert.deepStrictEqual(["(a|b)+", "(a)\\1", "(?<n>a)\\k<n>", "(?P<n>a)", "["].map(of), [0, 1, 1, 1, 1])
  })

  it("is refused in words when it is none", () => {
    const refused = (given: unknown) => Either.getOrElse(Either.flip(readPromptfoo(given, "x")), () => "taken")
    assert.match(refused({ tests: [] }), /no prompts/)
    assert.match(refused({ prompts: ["x"], tests: "file://tests.csv" }), /no list of tests/)
    assert.match(refused(null), /no prompts/)
  })
})

describe("templates", () => {
  it("take values by their path, and nothing that inherits", () => {
    assert.deepStrictEqual(
      render("{{a.b}} {{ list.1 }} {{n}}", { a: { b: "x" }, list: ["p", "q"], n: 1 }),
      Either.right("x q 1")
    )
    assert.isTrue(Either.isLeft(render("{{constructor}}", {})))
    assert.isTrue(Either.isLeft(render("{{a}}", { a: { b: 1 } })))
  })
})
