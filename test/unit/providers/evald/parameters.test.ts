import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { Either } from "effect"
import { parse } from "yaml"
import type { JobSpec } from "../../../../providers/contract/job-spec.ts"
import { PARAMETERS } from "../../../../providers/evald/parameter-table.ts"
import { type Parameters, readParameters } from "../../../../providers/evald/parameters.ts"
import { jobOf } from "./fake-client.ts"

const accepted = (parameters: JobSpec["parameters"], more: Partial<JobSpec> = {}): Parameters =>
  Either.getOrThrowWith(readParameters(jobOf("arith_basic", parameters, more)), ({ message }) => new Error(message))

const refused = (parameters: JobSpec["parameters"], more: Partial<JobSpec> = {}): string => {
  const result = readParameters(jobOf("arith_basic", parameters, more))
  if (Either.isRight(result)) throw new Error("was accepted")
  assert.strictEqual(result.left.code, "invalid_parameter")
  return result.left.message
}

describe("parameters of the embedded benchmarks", () => {
  it("have defaults", () => {
    assert.deepInclude(accepted({}), {
      seed: 42,
      fewShot: 0,
      concurrency: 4,
      endpoint: "auto",
      method: "generate",
      temperature: 0,
      timeoutSeconds: 120,
      maxRetries: 3,
      maxErrorRate: 0.05,
      difficulty: "mixed"
    })
  })

  it("take the seed from the job, unless one is given by either name", () => {
    assert.strictEqual(accepted({}, { seed: 7 }).seed, 7)
    assert.strictEqual(accepted({ seed: 5 }, { seed: 7 }).seed, 5)
    assert.strictEqual(accepted({ random_seed: 5 }).seed, 5)
  })

  it("read both spellings and refuse two different values", () => {
    assert.strictEqual(accepted({ num_fewshot: 3 }).fewShot, 3)
    assert.strictEqual(accepted({ num_fewshot: 3, num_few_shot: 3 }).fewShot, 3)
    assert.include(refused({ num_fewshot: 3, num_few_shot: 2 }), "two spellings")
    assert.include(refused({ seed: 1, random_seed: 2 }), "two spellings")
  })

  it("name every problem at once", () => {
    const message = refused({
      temperature: 3,
      num_concurrent: 0,
      difficulty: "extreme",
      seed: 1.5,
      lengths: [],
      rate: 0,
      judge: { url: "x" }
    })
    for (const words of [
      "temperature (3) must be at most 2",
      "num_concurrent (0) must be at least 1",
      'difficulty ("extreme") must be one of easy',
      "seed (1.5) must be an integer",
      "lengths ([]) must be a list",
      "rate (0) must be greater than 0",
      "judge.url",
      "judge.name"
    ]) {
      assert.include(message, words)
    }
  })

  it("null is absent, unknown names are listed, num_examples must be whole", () => {
    assert.strictEqual(accepted({ temperature: null }).temperature, 0)
    assert.deepStrictEqual(accepted({ tempreature: 1, num_examples: 5 }).unknown, ["tempreature"])
    assert.include(refused({}, { num_examples: 1.5 }), "num_examples")
  })

  it("put the model's own settings below the benchmark's and pass the others on", () => {
    const model = {
      url: "http://127.0.0.1:1/v1",
      name: "m",
      parameters: { temperature: 0.7, max_tokens: 50, top_p: 0.5, difficulty: "hard" }
    }
    const read = accepted({ max_tokens: 80 }, { model })
    assert.strictEqual(read.temperature, 0.7)
    assert.strictEqual(read.maxTokens, 80)
    assert.strictEqual(read.difficulty, "mixed")
    assert.deepStrictEqual(read.extraBody, { top_p: 0.5, difficulty: "hard" })
    assert.include(refused({}, { model: { ...model, parameters: { temperature: "warm" } } }), "temperature")
  })

  it("are the ones that the shipped provider declares", () => {
    const { parameters } = parse(
      readFileSync(new URL("../../../../config/providers/evald.yaml", import.meta.url), "utf8")
    ) as {
      parameters: ReadonlyArray<{
        name: string
        type: string
        default?: unknown
        enum?: unknown
        minimum?: number
        maximum?: number
        aliases?: unknown
      }>
    }
    const shape = (one: {
      name: string
      type: string
      default?: unknown
      minimum?: unknown
      maximum?: unknown
      aliases?: unknown
      enum?: unknown
    }) => ({
      name: one.name,
      type: one.type.endsWith("[]") ? "array" : one.type,
      default: one.default,
      enum: one.enum,
      aliases: one.aliases
    })
    assert.deepStrictEqual(
      PARAMETERS.map(({ allowed, ...one }) => shape({ ...one, enum: allowed })),
      parameters.map(shape)
    )
  })
})
