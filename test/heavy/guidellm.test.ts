/** The real GuideLLM under the real server, against the demo model: a tokenizer made here, nothing is fetched. */
import { execFileSync } from "node:child_process"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { peerVenv } from "../support/peer-venv.ts"
import { assertNoSecrets, outcomes, type ServiceHost, serviceHost } from "../support/service-host.ts"

const venv = await peerVenv({
  id: "guidellm",
  executable: "guidellm",
  packages: ["guidellm[recommended]==0.8.1"],
  limitMinutes: 20
})

/** one token a byte */
const makeTokenizer = `
import json, os, sys
from tokenizers import Tokenizer, decoders, models, pre_tokenizers
folder = sys.argv[1]
vocabulary = {c: i for i, c in enumerate(sorted(pre_tokenizers.ByteLevel.alphabet()))}
vocabulary["<|end|>"] = len(vocabulary)
tokenizer = Tokenizer(models.BPE(vocab=vocabulary, merges=[]))
tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
tokenizer.decoder = decoders.ByteLevel()
os.makedirs(folder, exist_ok=True)
tokenizer.save(os.path.join(folder, "tokenizer.json"))
settings = {"tokenizer_class": "PreTrainedTokenizerFast", "eos_token": "<|end|>", "model_max_length": 100000}
json.dump(settings, open(os.path.join(folder, "tokenizer_config.json"), "w"))
`

let host: ServiceHost
let processor: string
const data = "prompt_tokens=50,output_tokens=16"
const load = (id: string, parameters: object) => ({
  id,
  provider_id: "guidellm",
  parameters: { processor, data, ...parameters }
})

describe.runIf(venv._tag === "Ready")("GuideLLM 0.8.1 from PyPI", () => {
  beforeAll(async () => {
    if (venv._tag !== "Ready") return
    host = await serviceHost({ shipped: true, env: { HF_HUB_OFFLINE: "1", TRANSFORMERS_OFFLINE: "1" }, bin: venv.bin })
    processor = join(host.folder, "tokenizer")
    execFileSync(join(venv.bin, "python"), ["-c", makeTokenizer, processor])
  })
  afterAll(() => host?.stop())

  it("a constant rate through the gateway: the figures fit each other, and no result holds key or callback secret", async () => {
    const job = await host.evaluate(await host.guardedModel(), [load("quick_perf_test", { max_seconds: 3, rate: 5 })])
    assert.deepStrictEqual(outcomes(job), ["completed"], JSON.stringify(job.status))
    const [result] = job.results.benchmarks
    const metrics = result?.metrics ?? {}
    const value = (name: string) => Number(metrics[name])
    assert.strictEqual(metrics["error_rate"], 0)
    // few requests on a loaded machine: bounds with room
    assert.isAbove(value("requests_per_second"), 2)
    assert.isBelow(value("requests_per_second"), 7)
    assert.approximately(value("output_tokens_per_second"), value("requests_per_second") * 16, 0.01)
    for (const kind of ["ttft_ms", "itl_ms", "tpot_ms", "latency_ms"])
      assert.isAtMost(value(`p50_${kind}`), value(`p99_${kind}`), kind)
    assert.isAbove(value("mean_latency_ms"), value("mean_ttft_ms"))
    const info = result?.additional_info ?? {}
    assert.deepInclude(info, {
      framework: { name: "guidellm", version: "0.8.1" },
      sampling: { seed: 42, method: "load" },
      demo: true
    })
    const [point] = info["load"] as ReadonlyArray<{
      readonly profile: string
      readonly rate: number
      readonly requests: { readonly successful: number }
    }>
    assert.deepInclude(point, { profile: "constant", rate: 5 })
    assert.deepStrictEqual(info["counts"], {
      total: point?.requests.successful,
      scored: point?.requests.successful,
      errors: 0
    })
    assertNoSecrets(host, job)
  })
  it("a sweep: every measurement stays readable, the best one is the result, and what the framework says against its figures is a note", async () => {
    const job = await host.evaluate(await host.demoModel(), [load("sweep", { max_seconds: 2, rate: 3 })])
    assert.deepStrictEqual(outcomes(job), ["completed"], JSON.stringify(job.status))
    const [result] = job.results.benchmarks
    const speeds = [0, 1, 2].map((point) => Number(result?.metrics[`point_${point}/output_tokens_per_second`]))
    assert.strictEqual(result?.metrics["output_tokens_per_second"], Math.max(...speeds))
    const info = result?.additional_info ?? {}
    assert.strictEqual(info["best_point"], `point_${speeds.indexOf(Math.max(...speeds))}`)
    assert.deepStrictEqual(
      (info["load"] as ReadonlyArray<{ readonly profile: string }>).map(({ profile }) => profile),
      ["synchronous", "throughput", "constant"]
    )
    const report = JSON.parse(readFileSync(host.resultFiles(job).get("framework/benchmarks.json") ?? "", "utf8")) as {
      readonly benchmarks: ReadonlyArray<{ readonly warnings: ReadonlyArray<{ readonly message: string }> }>
    }
    const notes = JSON.stringify(info["notes"] ?? [])
    // a single process that both sends and counts is late under full load
    const warned = report.benchmarks.flatMap(({ warnings }, point) =>
      warnings.map(({ message }) => `of point_${point}: ${message}`)
    )
    assert.isNotEmpty(warned)
    for (const one of warned) assert.include(notes, one)
  })
  it("own prompts from JSONL and CSV, and every form of report", async () => {
    const [lines, table] = [join(host.folder, "prompts.jsonl"), join(host.folder, "prompts.csv")]
    writeFileSync(
      lines,
      Array.from({ length: 20 }, (_, index) => `${JSON.stringify({ question: `What is ${index} + 30?` })}\n`).join("")
    )
    writeFileSync(table, "prompt\nWhat is 1 + 2?\nWhat is 3 + 4?\n")
    const job = await host.evaluate(await host.demoModel(), [
      load("concurrent", {
        rate: 2,
        max_requests: 10,
        data: lines,
        data_column_mapper: { text_column: "question" },
        outputs: ["csv", "html", "yaml"]
      }),
      load("quick_perf_test", { profile: "synchronous", max_requests: 10, data: table })
    ])
    assert.deepStrictEqual(outcomes(job), ["completed", "completed"], JSON.stringify(job.status))
    const infos = job.results.benchmarks.map(({ additional_info: info }) => info?.["load"])
    const loads = infos.flatMap(
      (info) =>
        info as ReadonlyArray<{ readonly profile: string; readonly streams?: number; readonly requests: object }>
    )
    assert.deepInclude(loads[0], { profile: "concurrent", streams: 2 })
    // the table has two prompts, and none is sent twice
    assert.deepStrictEqual(loads[1], { profile: "synchronous", requests: { successful: 2, incomplete: 0, errored: 0 } })
    assert.includeMembers(
      [...host.resultFiles(job).keys()],
      ["json", "csv", "html", "yaml"].map((kind) => `framework/benchmarks.${kind}`)
    )
  })
  it("failed requests are no figures although the framework ends with 0, and a tokenizer that is not there is called by its name", async () => {
    const failing = await host.evaluate(await host.demoModel("--error-rate", "0.4"), [
      load("poisson", { max_seconds: 3, rate: 8 })
    ])
    assert.deepStrictEqual(outcomes(failing), ["too_many_errors"], JSON.stringify(failing.status))
    assert.include(failing.status.benchmarks[0]?.error_message?.message, "500 Internal Server Error")
    const missing = await host.evaluate(await host.demoModel(), [
      load("quick_perf_test", { max_seconds: 2, processor: "gpt2" })
    ])
    assert.deepStrictEqual(outcomes(missing), ["tokenizer_unavailable"], JSON.stringify(missing.status))
  })
})
