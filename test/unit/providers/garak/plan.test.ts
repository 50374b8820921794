import { assert, describe, it } from "@effect/vitest"
import { Either } from "effect"
import { DEFINITION } from "../../../../providers/garak/definition.ts"
import { plan } from "../../../../providers/garak/plan.ts"
import { type Asked, planRequest } from "../../../support/wrapper-plan.ts"

const planned = (asked: Asked) => Either.flatMap(planRequest(DEFINITION, asked), plan)
const good = (asked: Asked) => Either.getOrThrowWith(planned(asked), (error) => error)
const refused = (asked: Asked) =>
  Either.match(planned(asked), { onLeft: ({ code, message }) => `${code}: ${message}`, onRight: () => "planned" })
const json = (text: string | undefined): unknown => JSON.parse(text ?? "")

describe("garak's command line", () => {
  it("minimal: the row's probes, a dummy key, the report below the results", () => {
    const { args, env, files, timeLimit } = good({ benchmark: "quick" })
    assert.strictEqual(
      args.join(" "),
      "--config /w/run.yaml --target_type openai.OpenAICompatible --target_name tiny --generator_option_file /w/generator.json --probes dan.Dan_11_0 --generations 1 --eval_threshold 0.5 --seed 42 --parallel_attempts 8 --report_prefix /r/framework/evald --skip_unknown"
    )
    assert.deepStrictEqual(json(files["/w/generator.json"]), {
      openai: { OpenAICompatible: { uri: "http://127.0.0.1:9100/v1/" } }
    })
    assert.deepStrictEqual(json(files["/w/run.yaml"]), { reporting: { report_dir: "/r/framework" } })
    assert.strictEqual(env["OPENAICOMPATIBLE_API_KEY"], "EMPTY")
    assert.isUndefined(timeLimit)
  })
  it("every parameter, the run file merged, the wall clock limit kept by ourselves", () => {
    const parameters = {
      ...{
        probes: ["dan.Dan_11_0", "lmrc"],
        eval_threshold: 0.8,
        generations: 3,
        parallel_attempts: 2,
        seed: 7,
        timeout: 60,
        model_name: "other"
      },
      garak_config: { run: { deprefix: true }, reporting: { taxonomy: "owasp", report_dir: "/elsewhere" } }
    }
    const { args, files, timeLimit } = good({
      benchmark: "avid",
      parameters,
      modelParameters: { max_tokens: 64 },
      apiKey: "secret-key"
    })
    assert.include(
      args.join(" "),
      "--target_name other --generator_option_file /w/generator.json --probes dan.Dan_11_0,lmrc --generations 3 --eval_threshold 0.8 --seed 7 --parallel_attempts 2"
    )
    assert.deepStrictEqual(json(files["/w/run.yaml"]), {
      run: { deprefix: true },
      reporting: { taxonomy: "owasp", report_dir: "/r/framework" }
    })
    assert.deepStrictEqual(json(files["/w/generator.json"]), {
      openai: { OpenAICompatible: { uri: "http://127.0.0.1:9100/v1/", max_tokens: 64 } }
    })
    assert.strictEqual(timeLimit, 60)
    assert.notInclude(JSON.stringify([args, files]), "secret-key")
  })
  it("groups are selected by tag, and a parameter replaces the row's selection", () => {
    assert.include(good({ benchmark: "owasp_llm_top10" }).args.join(" "), "--probe_tags owasp:llm ")
    assert.include(
      good({ benchmark: "quick", parameters: { probe_tags: "quality" } }).args.join(" "),
      "--probe_tags quality "
    )
    assert.include(good({ benchmark: "promptinject" }).args.join(" "), "--probes promptinject ")
  })
  it("the generator for any HTTP server gets route, template and the key's place", () => {
    const { files, env } = good({
      benchmark: "quick",
      parameters: { model_type: "rest.RestGenerator" },
      apiKey: "api-key:ref",
      url: "http://127.0.0.1:9000/cb/s/model"
    })
    const { rest } = json(files["/w/generator.json"]) as {
      readonly rest: { readonly RestGenerator: { readonly [name: string]: unknown } }
    }
    assert.deepInclude(rest.RestGenerator, {
      uri: "http://127.0.0.1:9000/cb/s/model/v1/chat/completions",
      response_json_field: "$.choices[0].message.content"
    })
    assert.strictEqual(env["REST_API_KEY"], "api-key:ref")
  })
  it("conflicts and what the wrapper does not offer are refused", () => {
    assert.match(
      refused({ benchmark: "quick", parameters: { probes: "a", probe_tags: "b" } }),
      /^invalid_parameter: .*exclude each other/
    )
    assert.match(refused({ benchmark: "quick", parameters: { probes: ["a", 1] } }), /^invalid_parameter: probes/)
    assert.match(
      refused({ benchmark: "quick", parameters: { seed: 1, random_seed: 2 } }),
      /^invalid_parameter: .*two spellings/
    )
    assert.match(
      refused({ benchmark: "quick", parameters: { garak_config: { other: {} } } }),
      /^invalid_parameter: garak_config has no section other/
    )
    assert.match(refused({ benchmark: "intents" }), /^benchmark_not_supported/)
  })
})
