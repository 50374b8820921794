import { assert, describe, it } from "@effect/vitest"
import { Either } from "effect"
import { DEFINITION } from "../../../../providers/guidellm/definition.ts"
import { plan } from "../../../../providers/guidellm/plan.ts"
import { type Asked, planRequest } from "../../../support/wrapper-plan.ts"

const planned = (asked: Asked) => Either.flatMap(planRequest(DEFINITION, asked), (request) => plan(request, 1))
const good = (asked: Asked) => Either.getOrThrowWith(planned(asked), (error) => error)
const refused = (asked: Asked) =>
  Either.match(planned(asked), { onLeft: ({ code, message }) => `${code}: ${message}`, onRight: () => "planned" })
const line = (asked: Asked) => good(asked).args.join(" ")

describe("GuideLLM's command line", () => {
  it("minimal, 0.8: groups, the host without /v1, length and rate of the benchmark id", () => {
    const { args, env, files, timeLimit } = good({ benchmark: "quick_perf_test", version: "0.8.1" })
    assert.strictEqual(
      args.join(" "),
      "run --backend kind=openai_http,target=http://127.0.0.1:9100,model=tiny,request_format=/v1/chat/completions,validate_backend=false,verify=true --profile kind=constant,rate=2 --constraint kind=max_duration,seconds=15 --tokenizer kind=hf_auto,model=gpt2 --data kind=synthetic_text,prompt_tokens=256,output_tokens=128 --seed kind=static,value=42 --output kind=json,path=/r/framework/benchmarks.json --disable-console"
    )
    assert.deepStrictEqual(env, { GUIDELLM__MAX_WORKER_PROCESSES: "1" })
    assert.deepStrictEqual(files, {})
    assert.strictEqual(timeLimit, 15 + 120 + 600)
  })
  it("every parameter, 0.8: what does not fit into key=value is JSON", () => {
    const parameters = {
      ...{
        profile: "concurrent",
        rate: [1, 4],
        max_seconds: 5,
        max_requests: 100,
        max_errors: 3,
        warmup: "10%",
        cooldown: 2,
        detect_saturation: true
      },
      ...{
        data: "/d/own.jsonl",
        data_args: { load_kwargs: { split: "train" } },
        data_column_mapper: { text_column: "q" },
        data_samples: 50
      },
      ...{
        request_type: "text_completions",
        processor: "/tok",
        backend_kwargs: { timeout: 30 },
        outputs: ["html"],
        seed: 7
      }
    }
    const { args, env } = good({
      benchmark: "sweep",
      parameters,
      modelParameters: { temperature: 0, max_tokens: 9 },
      version: "0.8.1"
    })
    assert.deepStrictEqual(args, [
      ...["run", "--backend"],
      '{"kind":"openai_http","target":"http://127.0.0.1:9100","model":"tiny","request_format":"/v1/completions","validate_backend":false,"verify":true,"max_tokens":9,"extras":{"body":{"temperature":0}},"timeout":30}',
      ...["--profile", '{"kind":"concurrent","streams":[1,4],"warmup":0.1,"cooldown":2}'],
      ...["--constraint", "kind=max_duration,seconds=5", "--constraint", "kind=max_requests,count=100"],
      ...["--constraint", "kind=max_errors,count=3", "--constraint", "kind=over_saturation"],
      ...["--tokenizer", "kind=hf_auto,model=/tok"],
      ...["--data", '{"kind":"json_file","path":"/d/own.jsonl","load_kwargs":{"split":"train"}}'],
      ...["--data-column-mapper", '{"kind":"generative_column_mapper","column_mappings":{"text_column":"q"}}'],
      ...["--data-loader", "kind=pytorch,samples=50", "--seed", "kind=static,value=7"],
      ...[
        "--output",
        "kind=json,path=/r/framework/benchmarks.json",
        "--output",
        "kind=html,path=/r/framework/benchmarks.html"
      ],
      "--disable-console"
    ])
    assert.deepStrictEqual(env, { GUIDELLM__MAX_WORKER_PROCESSES: "1", HF_HUB_OFFLINE: "1" })
  })
  it("the same before 0.8", () => {
    assert.strictEqual(
      line({ benchmark: "sweep", version: "0.5.3", apiKey: "api-key:ref", parameters: { warmup: "5%" } }),
      'benchmark run --target http://127.0.0.1:9100 --model tiny --profile sweep --rate 5 --max-seconds 30 --warmup 0.05 --data prompt_tokens=256,output_tokens=128 --request-type chat_completions --processor gpt2 --backend-kwargs {"api_key":"api-key:ref","validate_backend":false} --random-seed 42 --output-dir /r/framework --outputs json --disable-console'
    )
  })
  it("a reference may stand in the arguments, a key goes into a file, and before 0.8 nowhere", () => {
    assert.include(line({ benchmark: "constant", apiKey: "api-key:ref" }), "api_key=api-key:ref,")
    const { args, files } = good({ benchmark: "constant", apiKey: "a-real-key" })
    assert.notInclude(args.join(" "), "a-real-key")
    assert.deepStrictEqual(args.slice(-2), ["--config", "/w/scenario.json"])
    assert.deepStrictEqual(JSON.parse(files["/w/scenario.json"] ?? ""), {
      spec: { backend: { api_key: "a-real-key" } }
    })
    assert.match(
      refused({ benchmark: "constant", apiKey: "a-real-key", version: "0.7.1" }),
      /^invalid_parameter: .*install guidellm 0.8/
    )
  })
  it("the path of a gateway stays in the target; another version than v1 becomes a route", () => {
    assert.include(
      line({ benchmark: "constant", url: "http://127.0.0.1:9000/cb/s/model" }),
      "target=http://127.0.0.1:9000/cb/s/model,"
    )
    assert.include(
      line({ benchmark: "constant", url: "http://h/v2/" }),
      '"api_routes":{"/v1/chat/completions":"/v2/chat/completions"}'
    )
  })
  it("each profile has its own word for the rate, and needs one that it can use", () => {
    assert.include(line({ benchmark: "comprehensive_perf_test" }), "--profile kind=sweep,sweep_size=10 ")
    assert.include(
      line({ benchmark: "throughput", parameters: { rate: 5 } }),
      "--profile kind=throughput,max_concurrency=512 "
    )
    assert.include(
      line({ benchmark: "throughput", parameters: { profile: "synchronous", max_requests: 3 } }),
      "--profile kind=synchronous --constraint kind=max_requests,count=3 "
    )
    assert.match(
      refused({ benchmark: "sweep", parameters: { profile: "poisson" } }),
      /^invalid_parameter: profile poisson needs/
    )
    assert.match(refused({ benchmark: "concurrent", parameters: { rate: 1.5 } }), /^invalid_parameter: rate/)
    assert.match(refused({ benchmark: "sweep", parameters: { rate: [2, 3] } }), /^invalid_parameter: rate/)
    assert.match(refused({ benchmark: "sweep", parameters: { warmup: "100%" } }), /^invalid_parameter: warmup/)
    assert.match(refused({ benchmark: "sweep", parameters: { outputs: ["xml"] } }), /^invalid_parameter: outputs/)
    assert.match(refused({ benchmark: "sweep", parameters: { data: "own.jsonl" } }), /^invalid_parameter: data/)
    assert.match(
      refused({ benchmark: "sweep", parameters: { seed: 1, random_seed: 2 } }),
      /^invalid_parameter: .*two spellings/
    )
  })
})
