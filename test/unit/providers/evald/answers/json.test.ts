import { assert, describe, it } from "@effect/vitest"
import { readJson, strictJson } from "../../../../../providers/evald/answers/json-answer.ts"
import type { Unreadable } from "../../../../../providers/evald/answers/reading.ts"

type Value = { readonly [name: string]: unknown }
type JsonForm = readonly [name: string, form: (x: Value, y: Value) => string]

const text = (value: unknown) => JSON.stringify(value)
const pretty = (value: unknown) => JSON.stringify(value, null, 2)

/** the answer alone, or in one fenced block: the form that is asked for */
const STRICT_FORMS: ReadonlyArray<JsonForm> = [
  ["alone", text],
  ["indented", pretty],
  ["with white space around it", (x) => `\n\n  ${text(x)}  \n`],
  ["in a fence", (x) => `\`\`\`json\n${pretty(x)}\n\`\`\``],
  ["in a fence without a language", (x) => `\`\`\`\n${text(x)}\n\`\`\``],
  ["in a fence with a shouted language", (x) => `\`\`\`JSON\n${text(x)}\n\`\`\``],
  ["in a fence of tildes", (x) => `~~~json\n${text(x)}\n~~~`],
  ["with Windows line ends", (x) => `\`\`\`json\r\n${pretty(x).replaceAll("\n", "\r\n")}\r\n\`\`\``],
  ["behind a byte order mark", (x) => `\uFEFF${text(x)}`],
  ["with its members in another order", (x) => text(Object.fromEntries(Object.entries(x).toReversed()))],
  ["with escapes", (x) => text(x).replace("name", "n\\u0061me")],
  ["behind a thought", (x, y) => `<think>Perhaps ${text(y)}</think>\n${text(x)}`],
  ["behind a thought whose tag the template wrote", (x, y) => `Perhaps ${text(y)}</think>${text(x)}`],
  ["behind [THINK]", (x, y) => `[THINK]${text(y)}[/THINK]${text(x)}`],
  [
    "on the final channel",
    (x, y) =>
      `<|channel|>analysis<|message|>${text(y)}<|end|><|start|>assistant<|channel|>final<|message|>${text(x)}<|return|>`
  ],
  ["with a special token", (x) => `${text(x)}<|im_end|>`]
]

const FLEXIBLE_FORMS: ReadonlyArray<JsonForm> = [
  ["behind prose", (x) => `Here is the JSON object you asked for:\n\n${pretty(x)}`],
  ["before prose", (x) => `${pretty(x)}\n\nLet me know if you need anything else!`],
  ["in a fence within prose", (x) => `Sure!\n\n\`\`\`json\n${pretty(x)}\n\`\`\`\n\nThis object fits the schema.`],
  ["in a fence that is not closed", (x) => `\`\`\`json\n${pretty(x)}`],
  ["in one line of a sentence", (x) => `The object is \`${text(x)}\`.`],
  ["behind an announcement", (x) => `Answer: ${text(x)}`],
  ["in bold words", (x) => `**Final answer:**\n${text(x)}`],
  ["in a tag", (x) => `<answer>${text(x)}</answer>`],
  ["in a JSON tag", (x) => `<json>\n${pretty(x)}\n</json>`],
  ["named by its language", (x) => `json\n${text(x)}`],
  ["with a semicolon", (x) => `${text(x)};`],
  ["assigned", (x) => `const result = ${text(x)};`],
  ["encoded twice", (x) => text(text(x))],
  ["a draft, then the final one", (x, y) => `First draft:\n${text(y)}\n\nFinal version:\n${text(x)}`],
  [
    "corrected",
    (x, y) => `\`\`\`json\n${text(y)}\n\`\`\`\nThe name is wrong. Corrected:\n\`\`\`json\n${text(x)}\n\`\`\``
  ],
  ["said twice", (x) => `${text(x)}\n\nAs a reminder:\n${text(x)}`],
  ["beside a word in braces", (x) => `I replaced {name} as asked: ${text(x)}`],
  ["with the schema's list beside it", (x) => `Required are ["name", "count"].\n${text(x)}`]
]

const NO_JSON: ReadonlyArray<readonly [name: string, reason: Unreadable, form: (x: Value, y: Value) => string]> = [
  ["nothing", "no_answer", () => ""],
  ["only thought", "no_answer", (x) => `<think>${text(x)}`],
  ["prose", "answer_not_found", () => "The name is Harwick and the count is 3."],
  ["two different objects", "answer_ambiguous", (x, y) => `${text(x)}\n${text(y)}`],
  ["cut off", "answer_malformed", (x) => text(x).slice(0, -1)],
  ["a trailing comma", "answer_malformed", (x) => text(x).replace(/\}$/, ",}")],
  ["single quotes", "answer_malformed", (x) => text(x).replaceAll('"', "'")],
  ["names without quotes", "answer_malformed", (x) => `\n${pretty(x).replace(/"(\w+)":/g, "$1:")}`]
]

const PAIRS: ReadonlyArray<readonly [Value, Value]> = [
  [
    { name: "Harwick", count: 3, tags: ["a", "b"] },
    { name: "Belmar", count: 4, tags: [] }
  ],
  [{ name: 'a "quoted" } brace', inner: { ok: true, none: null, amount: 12.5 } }, { name: "other" }]
]

describe("JSON as models write it", () => {
  for (const [name, form] of [...STRICT_FORMS, ...FLEXIBLE_FORMS])
    it(`${name}: the object given is read, right or wrong`, () => {
      for (const [one, other] of PAIRS)
        for (const [x, y] of [
          [one, other],
          [other, one]
        ] as const)
          assert.deepStrictEqual(readJson(form(x, y)), { _tag: "Read", value: x }, form(x, y))
    })

  it("only the form that is asked for is strictly readable", () => {
    for (const [x, y] of PAIRS) {
      for (const [name, form] of STRICT_FORMS) assert.deepStrictEqual(strictJson(form(x, y)), { value: x }, name)
      for (const [name, form] of FLEXIBLE_FORMS) assert.notDeepEqual(strictJson(form(x, y))?.value, x, name)
    }
  })

  for (const [name, reason, form] of NO_JSON)
    it(`${name}: no answer (${reason})`, () => {
      for (const [x, y] of PAIRS) assert.deepStrictEqual(readJson(form(x, y)), { _tag: "Unread", reason }, form(x, y))
    })

  it("values that are no objects", () => {
    assert.deepStrictEqual(readJson(" null "), { _tag: "Read", value: null })
    assert.deepStrictEqual(readJson("```\n[1]\n```"), { _tag: "Read", value: [1] })
  })

  it("there are enough of them", () => assert.isAtLeast(STRICT_FORMS.length + FLEXIBLE_FORMS.length, 25))
})
