import { assert, describe, it } from "@effect/vitest"
import { looseTexts, strictText } from "../../../../../providers/evald/answers/text-answer.ts"
import * as content from "../../../../../providers/evald/instructions/content-checkers.ts"
import * as count from "../../../../../providers/evald/instructions/count-checkers.ts"
import * as form from "../../../../../providers/evald/instructions/form-checkers.ts"
import {
  followsLoosely,
  followsStrictly,
  type Instruction
} from "../../../../../providers/evald/instructions/instruction.ts"
import { readChatAnswer } from "../../../../../providers/sdk/model/model-wire.ts"

type TextForm = readonly [name: string, form: (x: string) => unknown]

/** forms in which the text is the whole answer: strict and loose */
const STRICT_FORMS: ReadonlyArray<TextForm> = [
  ["alone", (x) => x],
  ["with white space around it", (x) => `\n\n${x}\n  `],
  ["behind a thought", (x) => `<think>NO, Never, very good</think>\n\n${x}`],
  ["behind a thought whose tag the template wrote", (x) => `NO, Never</think>${x}`],
  ["behind [THINK]", (x) => `[THINK]NO, Never[/THINK]${x}`],
  [
    "on the final channel",
    (x) => `<|channel|>analysis<|message|>NO, Never<|end|><|start|>assistant<|channel|>final<|message|>${x}<|return|>`
  ],
  ["with a special token", (x) => `${x}<|eot_id|>`],
  ["with an end of text", (x) => `${x}</s>`],
  ["as parts", (x) => [{ type: "text", text: x }]],
  [
    "as parts beside a thought",
    (x) => [
      { type: "thinking", thinking: [{ type: "text", text: "NO, Never" }] },
      { type: "text", text: x }
    ]
  ]
]

/** forms with words around the text: loose only */
const LOOSE_FORMS: ReadonlyArray<TextForm> = [
  ["announced", (x) => `Here is the text:\n${x}`],
  ["announced, with a line between", (x) => `Sure! Here is a short text, as asked:\n\n${x}`],
  ["with a remark", (x) => `${x}\nI hope this helps, let me know!`],
  ["with a remark below a line", (x) => `${x}\n\nLet me know if you want, or need, changes.`],
  ["announced and with a remark", (x) => `Certainly, here it is:\n\n${x}\n\nFeel free to ask, any time.`],
  ["between rules", (x) => `Here you go, friend:\n\n---\n\n${x}\n\n---`],
  ["in a fence", (x) => `\`\`\`text\n${x}\n\`\`\``],
  ["in an announced fence", (x) => `Sure, here:\n\n\`\`\`\n${x}\n\`\`\``]
]

const CASES: ReadonlyArray<readonly [rule: Instruction, right: string, wrong: string]> = [
  [
    form.lowerCase,
    "the lamp hums above the stairs.\nit is late.",
    "The Lamp hums ABOVE the stairs.\nIt is Late.\nYes."
  ],
  [
    content.noCommas,
    "The lamp hums above the stairs.\nIt is late.",
    "The lamp, old and tired, hums.\nIt is late, very late.\nSo, well, yes."
  ],
  [
    form.startsWith("It was early"),
    "It was early when the lamp\nwent out.",
    "The lamp went out.\nIt was late.\nGood night."
  ],
  [
    form.endsWith("Come back soon"),
    "The lamp went out.\nCome back soon",
    "Come back soon.\nThe lamp went out.\nGood night."
  ],
  [count.linesExactly(4), "One\ntwo\nthree\nfour", "One\ntwo\nthree\nfour\nfive\nsix\nseven\neight"]
]

const textOf = (written: unknown) =>
  readChatAnswer({ choices: [{ message: { role: "assistant", content: written } }] }, [], undefined)?.text ?? ""

describe("texts as models write them", () => {
  for (const [name, make] of STRICT_FORMS)
    it(`${name}: the rule decides, strictly and loosely`, () => {
      for (const [rule, right, wrong] of CASES) {
        assert.isTrue(followsStrictly(rule, textOf(make(right))), `${rule.checker} ${right}`)
        assert.isTrue(followsLoosely(rule, textOf(make(right))), `${rule.checker} ${right}`)
        assert.isFalse(followsStrictly(rule, textOf(make(wrong))), `${rule.checker} ${wrong}`)
        assert.isFalse(followsLoosely(rule, textOf(make(wrong))), `${rule.checker} ${wrong}`)
      }
    })

  for (const [name, make] of LOOSE_FORMS)
    it(`${name}: the rule decides loosely, and a wrong text never follows`, () => {
      for (const [rule, right, wrong] of CASES) {
        assert.isTrue(followsLoosely(rule, textOf(make(right))), `${rule.checker} ${right}`)
        assert.isFalse(followsStrictly(rule, textOf(make(wrong))), `${rule.checker} ${wrong}`)
        assert.isFalse(followsLoosely(rule, textOf(make(wrong))), `${rule.checker} ${wrong}`)
      }
    })

  it("a reply of nothing but thought is empty and follows nothing", () => {
    const nothing = textOf("<think>the lamp")
    assert.strictEqual(strictText(nothing), "")
    for (const [rule] of CASES) assert.isFalse(followsLoosely(rule, nothing))
  })

  it("each reading once", () => {
    const texts = looseTexts("one line")
    assert.strictEqual(new Set(texts).size, texts.length)
  })

  it("there are enough of them", () => assert.isAtLeast(STRICT_FORMS.length + LOOSE_FORMS.length, 15))
})
