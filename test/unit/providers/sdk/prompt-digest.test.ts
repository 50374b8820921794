import { createHash } from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import { chatDigest, likelihoodDigest, promptDigest } from "../../../../providers/sdk/prompt-digest.ts"

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex")
const ask = { role: "user", content: "2+2?" } as const
const asked = '"messages":[{"content":"2+2?","role":"user"}]'

describe("the name of what was asked", () => {
  it("is the hash of the canonical JSON of messages or prompt, by hand", () => {
    assert.strictEqual(chatDigest([ask]), sha256(`{${asked}}`))
    assert.strictEqual(promptDigest({ prompt: "2+2?" }), sha256('{"prompt":"2+2?"}'))
    assert.notStrictEqual(promptDigest({ prompt: "2+2?" }), chatDigest([ask]))
  })
  it("tools and the format of the answer are part of the question, and absent ones change nothing", () => {
    const tool = { name: "add", description: "adds", parameters: { type: "object" } }
    const tools =
      '"tools":[{"function":{"description":"adds","name":"add","parameters":{"type":"object"}},"type":"function"}]'
    assert.strictEqual(chatDigest([ask], [tool]), sha256(`{${asked},${tools}}`))
    assert.strictEqual(
      chatDigest([ask], [], { type: "json_object" }),
      sha256(`{${asked},"response_format":{"type":"json_object"}}`)
    )
    assert.strictEqual(chatDigest([ask], [], undefined), chatDigest([ask]))
    assert.strictEqual(promptDigest({ messages: [ask], tools: [], response_format: null }), chatDigest([ask]))
  })
  it("a call in the conversation is hashed as it goes over the wire", () => {
    const call = { id: "c1", name: "add", arguments: '{"a":1}' }
    assert.strictEqual(
      chatDigest([{ role: "assistant", content: "", toolCalls: [call] }]),
      promptDigest({
        messages: [
          {
            role: "assistant",
            content: "",
            tool_calls: [{ id: "c1", type: "function", function: { name: "add", arguments: '{"a":1}' } }]
          }
        ]
      })
    )
  })
  it("of a log-likelihood: context, NUL, continuation", () => {
    assert.strictEqual(likelihoodDigest([["The sky is", " blue"]]), sha256("The sky is\0 blue"))
    assert.strictEqual(
      likelihoodDigest([
        ["The sky is", " blue"],
        ["The sky is", " green"]
      ]),
      sha256("The sky is\0 blue\0The sky is\0 green")
    )
    assert.notStrictEqual(likelihoodDigest([["a", "bc"]]), likelihoodDigest([["ab", "c"]]))
  })
})
