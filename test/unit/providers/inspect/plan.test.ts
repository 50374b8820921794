import { assert, describe, it } from "@effect/vitest"
import { Either } from "effect"
import { DEFINITION } from "../../../../providers/inspect/definition.ts"
import { plan } from "../../../../providers/inspect/plan.ts"
import { roleKeys } from "../../../../providers/inspect/roles.ts"
import { type Asked, planRequest } from "../../../support/wrapper-plan.ts"

const planned = (asked: Asked) => Either.flatMap(planRequest(DEFINITION, asked), plan)
const good = (asked: Asked) => Either.getOrThrowWith(planned(asked), (error) => error)
const refused = (asked: Asked) =>
  Either.match(planned(asked), { onLeft: ({ code, message }) => `${code}: ${message}`, onRight: () => "planned" })
const line = (asked: Asked) => good(asked).args.join(" ")

describe("Inspect's command line", () => {
  it("minimal: all samples, an end to retries, a dummy key", () => {
    const { args, env, files } = good({ benchmark: "inspect/mmlu" })
    assert.strictEqual(
      args.join(" "),
      "eval inspect_evals/mmlu --model openai-api/evald/tiny --log-dir /r/framework --log-format json --display plain --epochs 1 --max-connections 8 --max-retries 3 --seed 42"
    )
    assert.deepStrictEqual(env, {
      EVALD_BASE_URL: "http://127.0.0.1:9100/v1",
      EVALD_API_KEY: "EMPTY",
      XDG_DATA_HOME: "/w/cache"
    })
    assert.deepStrictEqual(files, {})
  })
  it("every parameter; what the framework would split or misread goes into a file", () => {
    const parameters = {
      ...{
        task: "/tasks/own.py@sums",
        limit: "10-20",
        epochs: 3,
        num_concurrent: 2,
        timeout_seconds: 30,
        temperature: 0,
        max_tokens: 64,
        seed: 7
      },
      ...{ task_args: { shots: 2, names: ["a", "b"], plain: "word", text: "one, two", digits: "007" }, level: "hard" }
    }
    const { args, files, notes } = good({
      benchmark: "inspect/custom",
      parameters,
      modelParameters: { top_p: 0.9, min_p: 0.1 }
    })
    assert.strictEqual(
      args.join(" "),
      "eval /tasks/own.py@sums --model openai-api/evald/tiny --log-dir /r/framework --log-format json --display plain --limit 10-20 --epochs 3 --max-connections 2 --max-retries 3 --timeout 30 --temperature 0 --max-tokens 64 --top-p 0.9 --seed 7 " +
        '-T level=hard -T shots=2 -T names=["a","b"] -T plain=word --task-config /w/task-args.json'
    )
    assert.deepStrictEqual(JSON.parse(files["/w/task-args.json"] ?? ""), { text: "one, two", digits: "007" })
    assert.match(notes?.join() ?? "", /min_p/)
  })
  it("num_examples is the limit; a different limit beside it is a conflict, the same one is none", () => {
    assert.include(line({ benchmark: "inspect/mmlu", job: { num_examples: 5 } }), "--limit 5 ")
    assert.include(
      line({ benchmark: "inspect/mmlu", job: { num_examples: 5 }, parameters: { limit: 5 } }),
      "--limit 5 "
    )
    assert.match(
      refused({ benchmark: "inspect/mmlu", job: { num_examples: 5 }, parameters: { limit: 6 } }),
      /^invalid_parameter: .*two spellings/
    )
    assert.match(refused({ benchmark: "inspect/mmlu", parameters: { limit: "many" } }), /^invalid_parameter: limit/)
    assert.match(
      refused({ benchmark: "inspect/mmlu", parameters: { max_connections: 1, num_concurrent: 2 } }),
      /^invalid_parameter: .*two spellings/
    )
    assert.match(refused({ benchmark: "inspect/custom" }), /^invalid_parameter: .*needs the parameter task/)
  })
  it("behind a gateway the reference is the key, and /v1 is added to the address", () => {
    const { env } = good({
      benchmark: "inspect/mmlu",
      url: "http://127.0.0.1:9000/cb/secret/model",
      apiKey: "api-key:ref"
    })
    assert.strictEqual(env["EVALD_BASE_URL"], "http://127.0.0.1:9000/cb/secret/model/v1")
    assert.strictEqual(env["EVALD_API_KEY"], "api-key:ref")
  })
  it("roles: keys only in the environment, the model's own address and key without one of theirs", () => {
    const asked: Asked = {
      ...{ benchmark: "inspect/petri-bias", apiKey: "secret-key" },
      parameters: {
        judge_model: "big",
        model_roles: { auditor: { name: "other", base_url: "http://h:1", temperature: 0.5 } }
      },
      otherKeys: { "auditor_api-key": "auditor-key" }
    }
    const { args, env } = good(asked)
    assert.deepStrictEqual(
      args.filter((_, index) => args[index - 1] === "--model-role"),
      [
        'auditor={"model":"openai-api/evald-auditor/other","temperature":0.5}',
        'grader={"model":"openai-api/evald-judge/big"}',
        'judge={"model":"openai-api/evald-judge/big"}'
      ]
    )
    assert.deepInclude(env, {
      ...{ EVALD_AUDITOR_API_KEY: "auditor-key", EVALD_AUDITOR_BASE_URL: "http://h:1/v1" },
      ...{ EVALD_JUDGE_API_KEY: "secret-key", EVALD_JUDGE_BASE_URL: "http://127.0.0.1:9100/v1" }
    })
    assert.notInclude(args.join(" "), '-key"')
    const request = Either.getOrThrow(planRequest(DEFINITION, asked))
    assert.deepStrictEqual(roleKeys(request.parameters), [
      "auditor_api-key",
      "auditor_url",
      "judge_api-key",
      "judge_url"
    ])
  })
  it("a role with an address of its own never gets the model's key", () => {
    const { env } = good({
      benchmark: "inspect/mmlu",
      apiKey: "secret-key",
      parameters: { judge_model: "big" },
      otherKeys: { judge_url: "http://h:1/v1" }
    })
    assert.deepInclude(env, { EVALD_JUDGE_API_KEY: "EMPTY", EVALD_JUDGE_BASE_URL: "http://h:1/v1" })
  })
  it("an audit without an auditor, and a role that names no model, are refused", () => {
    assert.match(
      refused({ benchmark: "inspect/petri-bias", parameters: { judge_model: "big" } }),
      /^benchmark_not_supported: .*auditor_model/
    )
    assert.match(
      refused({ benchmark: "inspect/mmlu", parameters: { model_roles: { grader: { url: "x" } } } }),
      /^invalid_parameter: model_roles.grader/
    )
  })
})
