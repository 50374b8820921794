import { assert, describe, it } from "@effect/vitest"
import { Either } from "effect"
import type { JobSpec } from "../../../../providers/contract/job-spec.ts"
import { WRAPPER } from "../../../../providers/lm-evaluation-harness/main.ts"
import { plan } from "../../../../providers/lm-evaluation-harness/plan.ts"
import type { Plan, PlanRequest } from "../../../../providers/sdk/framework/wrapper.ts"
import { allCapabilities, frameworkJob, planRequest } from "../../../support/framework-request.ts"

const generate = "bbh_cot_zeroshot"
const echo = "arc_easy"

const planOf = (job: Partial<JobSpec>, given: Partial<PlanRequest> = {}): Plan =>
  Either.getOrThrowWith(
    plan(planRequest(WRAPPER, frameworkJob({ benchmark_id: generate, ...job }), given)),
    ({ message }) => new Error(message)
  )
const problemOf = (job: Partial<JobSpec>, given: Partial<PlanRequest> = {}) =>
  Either.match(plan(planRequest(WRAPPER, frameworkJob({ benchmark_id: generate, ...job }), given)), {
    onLeft: ({ code, message }) => `${code}: ${message}`,
    onRight: () => "no problem"
  })
/** value behind an option */
const optionOf = ({ args }: Plan, name: string) => args[args.indexOf(name) + 1] ?? ""
const modelArgs = (made: Plan) => JSON.parse(optionOf(made, "--model_args")) as { readonly [name: string]: unknown }

const always = ["--tasks", "bbh_cot_zeroshot", "--output_path", "/r/framework", "--log_samples"]

describe("plan of lm-eval", () => {
  it("says that it asks on the other route when the model answers no chat, unless that was wanted", () => {
    const endpoint = { ...allCapabilities, chat: false }
    const notes = ["the model answers no chat requests: it was asked on the completions route"]
    assert.deepStrictEqual(planOf({}, { endpoint }).notes, notes)
    assert.notProperty(planOf({ parameters: { endpoint: "completions" } }, { endpoint }), "notes")
    assert.notProperty(planOf({ benchmark_id: echo }, { endpoint }), "notes")
  })
  it("minimal: chat, the template switch, no few-shot count, an empty key", () => {
    assert.deepStrictEqual(planOf({}), {
      args: [
        "--model",
        "local-chat-completions",
        "--model_args",
        '{"model":"org/m","base_url":"http://model:8000/v1/chat/completions","num_concurrent":8,"max_retries":4,"timeout":300,"tokenized_requests":false,"seed":42}',
        ...always,
        "--seed",
        "42",
        "--apply_chat_template",
        "--fewshot_as_multiturn",
        "false"
      ],
      env: { OPENAI_API_KEY: "" },
      files: {}
    })
  })
  it("all parameters", () => {
    const parameters = {
      num_few_shot: 3,
      apply_chat_template: "rag",
      fewshot_as_multiturn: true,
      system_instruction: "Be brief.",
      random_seed: 7,
      batch_size: 4,
      num_concurrent: 2,
      timeout_seconds: 60,
      max_retries: 0,
      max_length: 4096,
      tokenizer: "/models/tok",
      tokenizer_backend: "huggingface",
      endpoint: "completions",
      parameters: { temperature: 0.5 },
      metadata: { max_seq_lengths: [4096] },
      allow_code_execution: true,
      include_path: "/own/tasks"
    }
    assert.deepStrictEqual(
      planOf(
        {
          parameters,
          num_examples: 20,
          model: { url: "http://model", name: "m", parameters: { top_p: 0.9, temperature: 0, max_tokens: 64 } }
        },
        { apiKey: "api-key:ref" }
      ),
      {
        args: [
          "--model",
          "local-completions",
          "--model_args",
          '{"model":"m","base_url":"http://model/v1/completions","num_concurrent":2,"max_retries":1,"timeout":60,"tokenized_requests":false,"seed":7,"tokenizer":"/models/tok","tokenizer_backend":"huggingface","max_length":4096}',
          ...always,
          "--seed",
          "7",
          "--limit",
          "20",
          "--num_fewshot",
          "3",
          "--batch_size",
          "4",
          "--gen_kwargs",
          '{"top_p":0.9,"temperature":0.5,"max_gen_toks":64}',
          "--apply_chat_template",
          "rag",
          "--fewshot_as_multiturn",
          "true",
          "--system_instruction",
          "Be brief.",
          "--metadata",
          '{"max_seq_lengths":[4096]}',
          "--include_path",
          "/own/tasks",
          "--confirm_run_unsafe_code"
        ],
        env: { OPENAI_API_KEY: "api-key:ref", HF_ALLOW_CODE_EVAL: "1" },
        files: {},
        cwd: "/own/tasks"
      }
    )
  })
  it("a row that needs log-probabilities of the prompt takes the completions route, without a template", () => {
    const made = planOf({ benchmark_id: echo })
    assert.strictEqual(optionOf(made, "--model"), "local-completions")
    assert.notInclude(made.args, "--apply_chat_template")
    assert.notProperty(modelArgs(made), "tokenizer_backend")
    assert.strictEqual(optionOf(made, "--batch_size"), "1")
  })
  it("without chat the completions route is taken, and generation needs no tokenizer", () => {
    const made = planOf({}, { endpoint: { ...allCapabilities, chat: false } })
    assert.deepInclude(modelArgs(made), { base_url: "http://model:8000/v1/completions", tokenizer_backend: "none" })
  })
  it("a gateway address keeps its secret path", () => {
    const url = "http://127.0.0.1:9/cb/SECRET/model/v1/"
    assert.strictEqual(
      modelArgs(planOf({ model: { url, name: "m" } }))["base_url"],
      "http://127.0.0.1:9/cb/SECRET/model/v1/chat/completions"
    )
  })
  it("aliases are one parameter", () => {
    const made = planOf({ parameters: { num_fewshot: 5, seed: 9, gen_kwargs: { temperature: 1 } } })
    assert.strictEqual(optionOf(made, "--num_fewshot"), "5")
    assert.strictEqual(optionOf(made, "--seed"), "9")
    assert.strictEqual(optionOf(made, "--gen_kwargs"), '{"temperature":1}')
  })
  it("the name inside the framework and its flags come from the row", () => {
    assert.include(
      WRAPPER.definition.rows.filter(({ task }) => task !== undefined).map(({ id, task }) => `${id}=${task}`),
      "winogender=winogender_all"
    )
    const remote = WRAPPER.definition.rows.find(({ flags }) => flags?.includes("trust_remote_code"))
    assert.include(planOf({ benchmark_id: remote?.id ?? "" }).args, "--trust_remote_code")
  })
  it("own task files: below the test data, and nowhere else when the path is relative", () => {
    assert.strictEqual(
      optionOf(planOf({ parameters: { include_path: "tasks" }, test_data_dir: "/d" }), "--include_path"),
      "/d/tasks"
    )
    assert.match(
      problemOf({ parameters: { include_path: "tasks" } }),
      /^invalid_parameter: include_path \(tasks\) must be an absolute path/
    )
    assert.match(problemOf({ parameters: { include_path: "../x" }, test_data_dir: "/d" }), /^invalid_parameter/)
  })
  it("conflicts are invalid parameters", () => {
    assert.match(
      problemOf({ parameters: { endpoint: "completions", fewshot_as_multiturn: true } }),
      /^invalid_parameter: fewshot_as_multiturn needs a chat template/
    )
    assert.match(
      problemOf({ benchmark_id: echo, parameters: { endpoint: "chat" } }),
      /^invalid_parameter: benchmark arc_easy needs log-probabilities/
    )
    const chatOnly = { endpoint: { ...allCapabilities, completions: false } }
    assert.match(
      problemOf({ parameters: { endpoint: "completions" } }, chatOnly),
      /^invalid_parameter: endpoint: completions was asked for/
    )
    assert.match(
      problemOf({ parameters: { apply_chat_template: 3 } }),
      /^invalid_parameter: apply_chat_template must be/
    )
  })
})
