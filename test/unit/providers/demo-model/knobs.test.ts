import { assert, describe, it } from "@effect/vitest"
import { Either } from "effect"
import { defaultKnobs, knobsOf, skillOf } from "../../../../providers/demo-model/knobs.ts"

describe("knobs", () => {
  it("are the server's without headers", () =>
    assert.deepStrictEqual(knobsOf(defaultKnobs, { "x-other": "1" }), Either.right(defaultKnobs)))

  it("are read from headers", () => {
    const headers = {
      "x-demo-skill": "0.5,logic=1",
      "x-demo-ttft-ms": "20",
      "x-demo-tokens-per-second": "100",
      "x-demo-error-rate": "0.1",
      "x-demo-status-script": "429@0.5, 500,hang,ok",
      "x-demo-jailbreak": "1",
      "x-demo-refusal": "0",
      "x-demo-context-limit": "4096",
      "x-demo-require-key": "k",
      "x-demo-seed": "-7"
    }
    const knobs = Either.getOrThrow(knobsOf(defaultKnobs, headers))
    assert.deepStrictEqual(knobs, {
      skill: { default: 0.5, logic: 1 },
      ttftMs: 20,
      tokensPerSecond: 100,
      errorRate: 0.1,
      statusScript: ["429@0.5", "500", "hang", "ok"],
      jailbreak: 1,
      refusal: 0,
      contextLimit: 4096,
      requireKey: "k",
      seed: -7
    })
    assert.deepStrictEqual(
      [skillOf(knobs.skill, "logic"), skillOf(knobs.skill, "arithmetic"), skillOf(0.3, "x")],
      [1, 0.5, 0.3]
    )
  })

  for (const [header, text] of [
    ["x-demo-skill", "2"],
    ["x-demo-skill", "logic=high"],
    ["x-demo-ttft-ms", ""],
    ["x-demo-error-rate", "-0.1"],
    ["x-demo-status-script", "429,explode"],
    ["x-demo-context-limit", "0"]
  ] as const)
    it(`refuses ${header}: ${text}`, () =>
      assert.include(Either.getOrThrow(Either.flip(knobsOf(defaultKnobs, { [header]: text }))), header))
})
