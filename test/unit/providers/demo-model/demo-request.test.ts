import { assert, describe, it } from "@effect/vitest"
import { Either } from "effect"
import { readChatRequest, readCompletionRequest } from "../../../../providers/demo-model/demo-request.ts"

const prompted = (prompt: unknown) => Either.getOrThrow(readCompletionRequest({ model: "m", prompt })).messages

describe("completion prompts", () => {
  it("a conversation as text is a conversation", () => {
    assert.deepStrictEqual(
      prompted("System: Be brief.\n\nUser: Hi.\n\nHow are you?\n\nAssistant: Fine.\n\nUser: And now?\n\nAssistant:"),
      [
        { role: "system", content: "Be brief." },
        { role: "user", content: "Hi.\n\nHow are you?" },
        { role: "assistant", content: "Fine." },
        { role: "user", content: "And now?" }
      ]
    )
  })

  for (const prompt of ["What is 1 + 1?", "User: unfinished", "Once upon a time\n\nAssistant:"])
    it(`${JSON.stringify(prompt)} is one question`, () =>
      assert.deepStrictEqual(prompted(prompt), [{ role: "user", content: prompt }]))

  it("of a list only the first, alone", () => {
    assert.deepStrictEqual(prompted(["Hi"]), [{ role: "user", content: "Hi" }])
    assert.isTrue(Either.isLeft(readCompletionRequest({ model: "m", prompt: ["a", "b"] })))
    assert.isTrue(Either.isLeft(readCompletionRequest({ model: "m", prompt: [1, 2] })))
  })
})

describe("chat requests", () => {
  it("contents as parts, tools, stops and limits", () => {
    const body = {
      model: "m",
      messages: [
        {
          role: "user",
          content: [
            { type: "text", text: "a" },
            { type: "text", text: "b" }
          ]
        }
      ],
      tools: [{ type: "function", function: { name: "f", parameters: { type: "object" } } }, { type: "other" }],
      stop: "x",
      max_tokens: 5,
      max_completion_tokens: 7,
      stream: true,
      stream_options: { include_usage: true },
      logprobs: true,
      top_logprobs: 2
    }
    const request = Either.getOrThrow(readChatRequest(body))
    assert.deepStrictEqual(request.messages, [{ role: "user", content: "ab" }])
    assert.deepStrictEqual(request.tools, [{ name: "f", parameters: { type: "object" } }])
    assert.deepStrictEqual(
      [request.stop, request.maxTokens, request.stream, request.includeUsage, request.topLogprobs],
      [["x"], 7, true, true, 2]
    )
  })
})
