import { assert, describe, it } from "@effect/vitest"
import { readChatAnswer } from "../../../../providers/sdk/model/model-wire.ts"

const read = (message: object) => {
  const answer = readChatAnswer({ choices: [{ message: { role: "assistant", ...message } }] }, [], undefined)
  return [answer?.text, answer?.reasoning]
}

describe("reasoning is never part of the answer, wherever a server puts it", () => {
  const places: ReadonlyArray<readonly [name: string, message: object]> = [
    ["reasoning_content", { content: "42", reasoning_content: "41?" }],
    ["reasoning", { content: "42", reasoning: "41?" }],
    ["thinking", { content: "42", thinking: "41?" }],
    ["details", { content: "42", reasoning_details: [{ type: "reasoning.text", text: "41?" }] }],
    [
      "a part with a text",
      {
        content: [
          { type: "thinking", thinking: "41?" },
          { type: "text", text: "42" }
        ]
      }
    ],
    [
      "a part with parts",
      {
        content: [
          { type: "thinking", thinking: [{ type: "text", text: "41?" }] },
          { type: "text", text: "42" }
        ]
      }
    ],
    [
      "a part named reasoning",
      {
        content: [
          { type: "reasoning", text: "41?" },
          { type: "text", text: "42" }
        ]
      }
    ],
    ["a tag", { content: "<think>41?</think>42" }],
    ["[THINK]", { content: "[THINK]41?[/THINK]42" }],
    [
      "a channel",
      { content: "<|channel|>analysis<|message|>41?<|end|><|start|>assistant<|channel|>final<|message|>42<|return|>" }
    ]
  ]
  for (const [name, message] of places) it(name, () => assert.deepStrictEqual(read(message), ["42", "41?"]))

  it("a thought that was cut off leaves no answer", () => {
    for (const content of ["<think>41?", "[THINK]41?", "<|channel|>analysis<|message|>41?"])
      assert.deepStrictEqual(read({ content }), ["", "41?"], content)
  })
})
