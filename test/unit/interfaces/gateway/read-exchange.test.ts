import { assert, describe, it } from "vitest"
import {
  type AnswerSeen,
  isFilterRefusal,
  readAnswer,
  readQuestion
} from "../../../../interfaces/gateway/witness/read-exchange.ts"

const json = "application/json; charset=utf-8"
const sse = "text/event-stream; charset=utf-8"

/** as several servers write them: OpenAI, vLLM with a reasoning parser, llama.cpp, Ollama, Anthropic-like parts, Azure */
const answers: ReadonlyArray<
  readonly [says: string, type: string, body: string, outcome: AnswerSeen["outcome"], text: string]
> = [
  [
    "a text",
    json,
    '{"id":"c-1","model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"Paris."},"finish_reason":"stop"}]}',
    "answered",
    "Paris."
  ],
  [
    "a list of parts",
    json,
    '{"choices":[{"message":{"content":[{"type":"text","text":"Pa"},{"type":"text","text":"ris"}]},"finish_reason":"stop"}]}',
    "answered",
    "Paris"
  ],
  [
    "no content at all",
    json,
    '{"choices":[{"message":{"role":"assistant","content":null},"finish_reason":"stop"}]}',
    "empty",
    ""
  ],
  ["white space", json, '{"choices":[{"message":{"content":" \\n "},"finish_reason":"stop"}]}', "empty", " \n "],
  [
    "a tool call without content",
    json,
    '{"choices":[{"message":{"content":null,"tool_calls":[{"id":"1","function":{"name":"f","arguments":"{}"}}]},"finish_reason":"tool_calls"}]}',
    "answered",
    '[{"id":"1","function":{"name":"f","arguments":"{}"}}]'
  ],
  [
    "a refusal in its own member",
    json,
    '{"choices":[{"message":{"content":null,"refusal":"I cannot."},"finish_reason":"stop"}]}',
    "answered",
    "I cannot."
  ],
  [
    "reasoning alone, cut",
    json,
    '{"choices":[{"message":{"content":"","reasoning_content":"Let me"},"finish_reason":"length"}]}',
    "cut",
    ""
  ],
  [
    "reasoning in the text that never ends, cut",
    json,
    '{"choices":[{"message":{"content":"<think>\\nLet me see"},"finish_reason":"length"}]}',
    "cut",
    "<think>\nLet me see"
  ],
  [
    "an answer behind its reasoning, cut",
    json,
    '{"choices":[{"message":{"content":"<think>a</think>Paris, and"},"finish_reason":"length"}]}',
    "answered",
    "<think>a</think>Paris, and"
  ],
  ["a filter", json, '{"choices":[{"message":{"content":""},"finish_reason":"content_filter"}]}', "filtered", ""],
  ["an error with status 200", json, '{"error":{"message":"model is loading","code":503}}', "error_body", ""],
  ["a page of a proxy", "text/html", "<html><body>Bad gateway</body></html>", "page", ""],
  ["no choice", json, '{"id":"x","choices":[]}', "error_body", ""],
  ["the older kind of completions", json, '{"choices":[{"text":"Paris","finish_reason":"stop"}]}', "answered", "Paris"],
  [
    "a stream",
    sse,
    'data: {"id":"c-2","model":"m","choices":[{"delta":{"role":"assistant"}}]}\n\ndata: {"choices":[{"delta":{"content":"Pa"}}]}\n\ndata: {"choices":[{"delta":{"content":"ris"},"finish_reason":"stop"}]}\n\ndata: {"choices":[],"usage":{"prompt_tokens":9,"completion_tokens":2}}\n\ndata: [DONE]\n\n',
    "answered",
    "Paris"
  ],
  [
    "a stream that says nothing",
    sse,
    'data: {"choices":[{"delta":{"role":"assistant","content":""}}]}\r\n\r\ndata: {"choices":[{"delta":{},"finish_reason":"stop"}]}\r\n\r\ndata: [DONE]\r\n\r\n',
    "empty",
    ""
  ],
  [
    "an error in the middle of a stream",
    sse,
    'data: {"choices":[{"delta":{"content":"Pa"}}]}\n\ndata: {"error":{"message":"out of memory"}}\n\n',
    "error_body",
    ""
  ],
  [
    "signs that nobody sees",
    json,
    '{"choices":[{"message":{"content":"\\u200b\\u2060"},"finish_reason":"stop"}]}',
    "empty",
    "\u200b\u2060"
  ]
]

describe("an answer as it went by", () => {
  for (const [says, type, body, outcome, text] of answers)
    it(`${says}: ${outcome}`, () => {
      const seen = readAnswer(type, body)
      assert.deepStrictEqual([seen.outcome, seen.text], [outcome, text])
    })

  it("names, ids and usage are found in a stream's first and last parts", () => {
    const { model, id, promptTokens, completionTokens, chunks } = readAnswer(sse, answers[14]?.[2] ?? "")
    assert.deepStrictEqual(
      { model, id, promptTokens, completionTokens, chunks },
      { model: "m", id: "c-2", promptTokens: 9, completionTokens: 2, chunks: 2 }
    )
  })

  it("a refusal of a filter is told from other bad requests", () => {
    assert.isTrue(isFilterRefusal(400, '{"error":{"code":"content_filter","message":"The response was filtered"}}'))
    assert.isTrue(isFilterRefusal(400, '{"error":{"innererror":{"code":"ResponsibleAIPolicyViolation"}}}'))
    assert.isFalse(isFilterRefusal(400, '{"error":{"message":"temperature is not supported"}}'))
  })
})

describe("a question as it went by", () => {
  const chat = (more: object) =>
    readQuestion(JSON.stringify({ model: "m", messages: [{ role: "user", content: "Capital of France?" }], ...more }))
  const keyOf = (question: ReturnType<typeof readQuestion>) => (typeof question === "number" ? question : question.key)

  it("is the same whatever the model, the sampling and the seed", () => {
    assert.strictEqual(
      keyOf(chat({ temperature: 0 })),
      keyOf(chat({ temperature: 1, seed: 4, model: "n", stream: true }))
    )
    assert.notStrictEqual(keyOf(chat({})), keyOf(chat({ response_format: { type: "json_object" } })))
  })

  it("log-likelihoods, echoes and answers of one token are none, and a list of prompts counts each", () => {
    assert.strictEqual(chat({ max_tokens: 1 }), 1)
    assert.strictEqual(readQuestion('{"model":"m","prompt":"a","echo":true,"max_tokens":0}'), 1)
    assert.strictEqual(readQuestion('{"model":"m","prompt":["a","b","c"],"max_tokens":1,"logprobs":1}'), 3)
    assert.strictEqual(readQuestion('{"model":"m","prompt":[1,2,3],"max_tokens":1,"logprobs":1}'), 1)
    assert.strictEqual(readQuestion("not json"), 0)
  })
})
