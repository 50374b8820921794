import { assert, describe, it } from "@effect/vitest"
import { readToolCalls } from "../../../../../providers/evald/answers/tool-answer.ts"
import { readChatAnswer } from "../../../../../providers/sdk/model/model-wire.ts"

type Arguments = { readonly [name: string]: string | number }
/** members of the message as they come over the wire */
type CallForm = readonly [
  name: string,
  form: (tool: string, given: Arguments) => { readonly [member: string]: unknown }
]

const text = JSON.stringify
const call = (tool: string, given: unknown, more: object = {}) => ({
  tool_calls: [{ id: "c", type: "function", function: { name: tool, arguments: given }, ...more }]
})
const content = (written: string) => ({ content: written })
const python = (given: Arguments) =>
  Object.entries(given)
    .map(([name, value]) => `${name}=${text(value)}`)
    .join(", ")
const tags = (given: Arguments, open: (name: string) => string, close: string) =>
  Object.entries(given)
    .map(([name, value]) => `${open(name)}${value}${close}`)
    .join("\n")

const STRICT_FORMS: ReadonlyArray<CallForm> = [
  ["a call", (tool, given) => call(tool, text(given))],
  ["a call beside a remark", (tool, given) => ({ content: "I will look it up.", ...call(tool, text(given)) })],
  ["arguments as an object", (tool, given) => call(tool, given)],
  ["content that is null", (tool, given) => ({ content: null, ...call(tool, text(given)) })],
  ["the older member", (tool, given) => ({ content: null, function_call: { name: tool, arguments: text(given) } })]
]

const FLEXIBLE_FORMS: ReadonlyArray<CallForm> = [
  ["arguments encoded twice", (tool, given) => call(tool, text(text(given)))],
  ["the name with its space", (tool, given) => call(`functions.${tool}`, text(given))],
  ["JSON alone", (tool, given) => content(text({ name: tool, arguments: given }))],
  ["JSON with parameters", (tool, given) => content(text({ name: tool, parameters: given }))],
  [
    "JSON of the wire",
    (tool, given) =>
      content(text({ tool_calls: [{ type: "function", function: { name: tool, arguments: text(given) } }] }))
  ],
  ["JSON in a fence", (tool, given) => content(`I need a tool.\n\`\`\`json\n${text({ tool, args: given })}\n\`\`\``)],
  ["Hermes and Qwen", (tool, given) => content(`<tool_call>\n${text({ name: tool, arguments: given })}\n</tool_call>`)],
  ["an unclosed tag", (tool, given) => content(`<tool_call>${text({ name: tool, arguments: given })}`)],
  ["Mistral", (tool, given) => content(`[TOOL_CALLS] [${text({ name: tool, arguments: given })}]`)],
  ["Mistral, newer", (tool, given) => content(`[TOOL_CALLS]${tool}[ARGS]${text(given)}`)],
  [
    "Llama with its tag",
    (tool, given) => content(`<|python_tag|>${text({ name: tool, parameters: given })}<|eom_id|>`)
  ],
  ["Llama with a function", (tool, given) => content(`<function=${tool}>${text(given)}</function>`)],
  ["Llama in Python", (tool, given) => content(`[${tool}(${python(given)})]`)],
  [
    "Qwen in XML",
    (tool, given) =>
      content(
        `<tool_call>\n<function=${tool}>\n${tags(given, (name) => `<parameter=${name}>\n`, "\n</parameter>")}\n</function>\n</tool_call>`
      )
  ],
  [
    "Claude in XML",
    (tool, given) =>
      content(
        `<function_calls>\n<invoke name="${tool}">\n${tags(given, (name) => `<parameter name="${name}">`, "</parameter>")}\n</invoke>\n</function_calls>`
      )
  ],
  [
    "DeepSeek",
    (tool, given) =>
      content(
        `<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>${tool}\n\`\`\`json\n${text(given)}\n\`\`\`<｜tool▁call▁end｜><｜tool▁calls▁end｜>`
      )
  ],
  ["an action", (tool, given) => content(`Thought: I need a tool.\nAction: ${tool}\nAction Input: ${text(given)}`)],
  [
    "harmony",
    (tool, given) =>
      content(
        `<|channel|>analysis<|message|>hm<|end|><|start|>assistant<|channel|>commentary to=functions.${tool} <|constrain|>json<|message|>${text(given)}<|call|>`
      )
  ],
  [
    "behind a thought",
    (tool, given) =>
      content(
        `<think>{"name": "other", "arguments": {}}</think><tool_call>${text({ name: tool, arguments: given })}</tool_call>`
      )
  ]
]

const CALLS: ReadonlyArray<readonly [tool: string, given: Arguments]> = [
  ["set_timer", { minutes: 12, label: "pasta" }],
  ["set_timer", { minutes: 13, label: "pasta" }],
  ["get_weather", { town: "Harwick", day: "tomorrow" }]
]

const readFrom = (message: object) => {
  const answer = readChatAnswer({ choices: [{ message: { role: "assistant", ...message } }] }, [], undefined)
  return readToolCalls(answer ?? { toolCalls: [], text: "" })
}

describe("calls as models write them", () => {
  for (const [forms, strict] of [
    [STRICT_FORMS, true],
    [FLEXIBLE_FORMS, false]
  ] as const)
    for (const [name, form] of forms)
      it(`${name}: the call made is read, right or wrong${strict ? "" : ", and is not the form asked for"}`, () => {
        for (const [tool, given] of CALLS)
          assert.deepStrictEqual(
            readFrom(form(tool, given)),
            { calls: [{ name: tool, arguments: given }], strict },
            text(form(tool, given))
          )
      })

  it("what is no call", () => {
    for (const message of [
      content(""),
      content("I would call set_timer with 12 minutes."),
      content("set_timer(12)"),
      content('{"minutes": 12}'),
      content('<think><tool_call>{"name": "set_timer", "arguments": {}}</tool_call>'),
      content("Call f(x) = 2x")
    ])
      assert.deepStrictEqual(readFrom(message), { calls: [], strict: false }, text(message))
  })

  it("broken arguments are a call without them", () => {
    assert.deepStrictEqual(readFrom(call("set_timer", "{minutes: 12")), {
      calls: [{ name: "set_timer", arguments: undefined }],
      strict: false
    })
  })

  it("there are enough of them", () => assert.isAtLeast(STRICT_FORMS.length + FLEXIBLE_FORMS.length, 12))
})
