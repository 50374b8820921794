import { assert, describe, it } from "@effect/vitest"
import { Either } from "effect"
import type { JobSpec } from "../../../../providers/contract/job-spec.ts"
import { WRAPPER } from "../../../../providers/lighteval/main.ts"
import { plan } from "../../../../providers/lighteval/plan.ts"
import type { Plan, PlanRequest } from "../../../../providers/sdk/framework/wrapper.ts"
import { frameworkJob, planRequest } from "../../../support/framework-request.ts"

const made = (job: Partial<JobSpec>, given: Partial<PlanRequest> = {}) =>
  plan(planRequest(WRAPPER, frameworkJob({ benchmark_id: "gsm8k", ...job }), given))
const planOf = (job: Partial<JobSpec>, given: Partial<PlanRequest> = {}): Plan =>
  Either.getOrThrowWith(made(job, given), ({ message }) => new Error(message))
const tasksOf = (job: Partial<JobSpec>) => planOf(job).args[3]
const modelOf = (one: Plan) =>
  (
    JSON.parse(one.files["/w/model.yaml"] ?? "{}") as {
      readonly model_parameters: { readonly [name: string]: unknown }
    }
  ).model_parameters

describe("plan of LightEval", () => {
  it("minimal: the row's few-shot count, a context length always, a dummy key, the file with the key outside the results", () => {
    const one = planOf({})
    assert.deepStrictEqual(one.args, [
      "endpoint",
      "litellm",
      "/w/model.yaml",
      "gsm8k|8",
      "--output-dir",
      "/r/framework",
      "--save-details",
      "--no-push-to-hub"
    ])
    assert.deepStrictEqual(modelOf(one), {
      model_name: "openai/org/m",
      provider: "openai",
      base_url: "http://model:8000/v1",
      api_key: "EMPTY",
      concurrent_requests: 8,
      timeout: 300,
      max_model_length: 4096,
      cache_dir: "/w/cache",
      generation_parameters: { seed: 42 }
    })
  })
  it("all parameters, aliases, a key and a gateway address", () => {
    const parameters = {
      provider: "litellm",
      num_fewshot: 2,
      concurrent_requests: 3,
      timeout_seconds: 10,
      max_model_length: 8192,
      system_prompt: "Be brief.",
      seed: 7,
      generation_parameters: { temperature: 0.6 },
      max_error_rate: 0.1
    }
    const url = "http://127.0.0.1:9/cb/SECRET/model/v1"
    const one = planOf(
      { parameters, num_examples: 5, model: { url, name: "m", parameters: { max_tokens: 99, temperature: 0 } } },
      { apiKey: "api-key:ref" }
    )
    assert.strictEqual(one.args[3], "gsm8k|2")
    assert.deepStrictEqual(one.args.slice(-2), ["--max-samples", "5"])
    assert.deepStrictEqual(modelOf(one), {
      model_name: "openai/m",
      provider: "openai",
      base_url: url,
      api_key: "api-key:ref",
      concurrent_requests: 3,
      timeout: 10,
      max_model_length: 8192,
      system_prompt: "Be brief.",
      cache_dir: "/w/cache",
      generation_parameters: { seed: 7, max_new_tokens: 99, temperature: 0.6 }
    })
  })
  it("a suite runs its members in one call, each with its own few-shot count", () => {
    assert.strictEqual(tasksOf({ benchmark_id: "math" }), "gsm8k|8,math:algebra|0,math:counting_and_probability|0")
    assert.strictEqual(
      tasksOf({ benchmark_id: "math", parameters: { num_few_shot: 1 } }),
      "gsm8k|1,math:algebra|1,math:counting_and_probability|1"
    )
  })
  it("tasks of one's own, as text or list, with or without a count", () => {
    assert.strictEqual(tasksOf({ parameters: { tasks: "aime24, gpqa:diamond|2" } }), "aime24|0,gpqa:diamond|2")
    assert.strictEqual(tasksOf({ parameters: { tasks: ["own"] } }), "own|8")
    for (const tasks of ["", [], [3], "a|b", "a|1|2", { a: 1 }]) {
      assert.strictEqual(
        Either.match(made({ parameters: { tasks } }), { onLeft: ({ code }) => code, onRight: () => "accepted" }),
        "invalid_parameter"
      )
    }
  })
})
