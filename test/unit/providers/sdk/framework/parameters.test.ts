import { assert, describe, it } from "@effect/vitest"
import { Either } from "effect"
import type { FrameworkParameter } from "../../../../../providers/sdk/framework/definition.ts"
import { knownNames, readFrameworkParameters } from "../../../../../providers/sdk/framework/parameters.ts"
import { frameworkJob } from "../../../../support/framework-request.ts"

const declared: ReadonlyArray<FrameworkParameter> = [
  { name: "num_few_shot", type: "integer", minimum: 0, maximum: 8, aliases: ["num_fewshot"] },
  { name: "random_seed", type: "integer", default: 42, aliases: ["seed"] },
  { name: "endpoint", type: "string", default: "auto", enum: ["auto", "chat"] },
  { name: "rate", type: "number" },
  { name: "flag", type: "boolean", default: false },
  { name: "more", type: "object" },
  { name: "list", type: "array" },
  { name: "any", type: "any" }
]
const read = (parameters: object, model?: object) =>
  readFrameworkParameters(
    declared,
    frameworkJob({
      parameters: { ...parameters },
      seed: 5,
      model: { url: "http://m", name: "m", ...(model === undefined ? {} : { parameters: { ...model } }) }
    })
  )
const problem = (parameters: object) =>
  Either.match(read(parameters), { onLeft: ({ code, message }) => `${code}: ${message}`, onRight: () => "accepted" })

describe("parameters of a wrapper", () => {
  it("aliases, defaults, null as absent, and the job's seed", () => {
    const values = Either.getOrThrow(read({ num_fewshot: 2, endpoint: null, own: 1 }, { temperature: 0.5, rate: 3 }))
    assert.deepStrictEqual(
      [
        values.number("num_few_shot"),
        values.text("endpoint"),
        values.flag("flag"),
        values.number("rate"),
        values.seed,
        values.given("endpoint"),
        values.given("rate")
      ],
      [2, "auto", false, 3, 5, false, true]
    )
    assert.deepStrictEqual([values.unknown, values.generation], [{ own: 1 }, { temperature: 0.5 }])
    assert.strictEqual(Either.getOrThrow(read({ seed: 9 })).seed, 9)
  })
  it("the benchmark's own wins over the model's", () => {
    assert.strictEqual(Either.getOrThrow(read({ rate: 1 }, { rate: 2 })).number("rate"), 1)
  })
  it("two spellings with different values are refused, with equal values not", () => {
    assert.match(
      problem({ num_few_shot: 1, num_fewshot: 2 }),
      /^invalid_parameter: num_few_shot \(1\) and num_fewshot \(2\) are two spellings/
    )
    assert.strictEqual(problem({ num_few_shot: 1, num_fewshot: 1 }), "accepted")
  })
  it("all problems come at once", () => {
    const text = problem({ num_few_shot: 9, endpoint: "x", rate: "y", flag: 1, more: [], list: {}, random_seed: 1.5 })
    for (const part of [
      "num_few_shot (9) must be at most 8",
      'endpoint ("x") must be one of auto, chat',
      'rate ("y") must be a number',
      "flag (1) must be true or false"
    ]) {
      assert.include(text, part)
    }
    assert.strictEqual(text.split("; ").length, 7)
  })
  it("auth_key is always known", () => {
    assert.include(knownNames(declared), "auth_key")
    assert.deepStrictEqual(Either.getOrThrow(read({ auth_key: "judge_api-key" })).unknown, {})
  })
})
