import { assert, describe, it } from "@effect/vitest"
import { Effect, TestClock } from "effect"
import * as fc from "effect/FastCheck"
import { jitteredDelay, retryAfterMs } from "../../../../providers/sdk/http/retry.ts"
import { splitReasoning } from "../../../../providers/sdk/model/reasoning.ts"
import { makeSseReader } from "../../../../providers/sdk/model/sse-reader.ts"
import { estimateTokens } from "../../../../providers/sdk/model/token-estimate.ts"

describe("splitReasoning", () => {
  for (const [name, raw, separate, text, reasoning] of [
    ["nothing to split", " plain ", undefined, " plain ", undefined],
    ["a block", "<think>\nhm\n</think>\n\n42", undefined, "42", "hm"],
    ["several blocks", "<think>a</think>x <think>b</think>y", undefined, "x y", "a\nb"],
    ["an unclosed block", "so <think>hm, what", undefined, "so", "hm, what"],
    ["a block opened by the template", "hm, well</think>42", undefined, "42", "hm, well"],
    ["an empty block", "<think></think>42", undefined, "42", undefined],
    ["the endpoint's own member", "42", "deep", "42", "deep"],
    ["an empty member", "42", "", "42", undefined],
    ["Magistral", "[THINK]hm[/THINK]42", undefined, "42", "hm"],
    ["Magistral, cut while thinking", "[THINK]it is 41, no", undefined, "", "it is 41, no"],
    ["other spellings", "<thinking>a</thinking><Reasoning>b</Reasoning> 42", undefined, "42", "a\nb"],
    ["Kimi", "◁think▷hm◁/think▷42", undefined, "42", "hm"],
    [
      "thought and solution",
      "<|begin_of_thought|>hm<|end_of_thought|><|begin_of_solution|>42<|end_of_solution|>",
      undefined,
      "42",
      "hm"
    ],
    ["Command", "<|START_THINKING|>hm<|END_THINKING|><|START_RESPONSE|>42<|END_RESPONSE|>", undefined, "42", "hm"],
    [
      "harmony",
      "<|channel|>analysis<|message|>41?<|end|><|start|>assistant<|channel|>final<|message|>42<|return|>",
      undefined,
      "42",
      "41?"
    ],
    ["harmony, cut while thinking", "<|channel|>analysis<|message|>41, I think", undefined, "", "41, I think"],
    ["harmony without its tokens", "analysisWe need 41.assistantfinalIt is 42.", undefined, "It is 42.", "We need 41."],
    ["harmony without its tokens, cut", "analysisWe need 41", undefined, "", "We need 41"],
    ["a text about analysis", "analysis of the poem: good", undefined, "analysis of the poem: good", undefined],
    [
      "a call on a channel stays",
      "<|channel|>analysis<|message|>hm<|end|><|start|>assistant<|channel|>commentary to=functions.f <|constrain|>json<|message|>{}<|call|>",
      undefined,
      "<|channel|>commentary to=functions.f <|constrain|>json<|message|>{}",
      "hm"
    ]
  ] as const)
    it(name, () => {
      const split = splitReasoning(raw, separate)
      assert.strictEqual(split.text.trim(), text.trim())
      assert.strictEqual(split.reasoning, reasoning)
    })
})

describe("makeSseReader", () => {
  const read = (pieces: ReadonlyArray<string>) => {
    const found: Array<readonly [string, number]> = []
    const reader = makeSseReader((data, atMs) => found.push([data, atMs]))
    for (const [at, piece] of pieces.entries()) reader.push(piece, at)
    reader.end(99)
    return found
  }
  const stream = ': hello\r\ndata: {"a":1}\r\n\r\nevent: x\ndata:two\ndata: lines\n\n\ndata: [DONE]\n\n'
  const payloads = ['{"a":1}', "two\nlines", "[DONE]"]

  it("reads payloads with all line ends and comments", () =>
    assert.deepStrictEqual(
      read([stream]),
      payloads.map((data) => [data, 0] as const)
    ))
  it("whatever the chunk boundaries", () =>
    fc.assert(
      fc.property(fc.array(fc.nat(stream.length)), (cuts) => {
        const sorted = [0, ...cuts.sort((a, b) => a - b), stream.length]
        const pieces = sorted.slice(1).map((end, at) => stream.slice(sorted[at], end))
        assert.deepStrictEqual(
          read(pieces).map(([data]) => data),
          payloads
        )
      })
    ))
  it("gives the time of the piece that completed a payload", () =>
    assert.deepStrictEqual(read(["data: a", "\n", "\ndata: b\n"]), [
      ["a", 2],
      ["b", 99]
    ]))
})

describe("retry delays", () => {
  it.effect("stay below the doubling cap", () =>
    Effect.gen(function* () {
      for (let attempt = 0; attempt < 12; attempt++) {
        const delay = yield* jitteredDelay(attempt)
        assert.isAtLeast(delay, 0)
        assert.isAtMost(delay, Math.min(15_000, 250 * 2 ** attempt))
      }
    })
  )

  it.effect("Retry-After is seconds or a date, at most a minute", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.parse("2026-01-01T00:00:00Z"))
      const read = yield* Effect.forEach(
        ["2", "0.5", "600", "Thu, 01 Jan 2026 00:00:10 GMT", "Wed, 31 Dec 2025 00:00:00 GMT", "soon", undefined],
        retryAfterMs
      )
      assert.deepStrictEqual(read, [2000, 500, 60_000, 10_000, 0, undefined, undefined])
    })
  )
})

describe("estimateTokens", () => {
  it("is near what byte-pair vocabularies give", () => {
    assert.strictEqual(estimateTokens(""), 0)
    assert.closeTo(estimateTokens("The quick brown fox jumps over the lazy dog."), 10, 1)
    assert.closeTo(estimateTokens("internationalization 1234567"), 7, 2)
    assert.isAbove(estimateTokens("日本語のテキスト"), 4)
  })
})
