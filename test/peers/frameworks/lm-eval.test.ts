/** The real lm-eval under the real server, on local data against the demo model; nothing is fetched from a data hub. */
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { FRAMEWORKS } from "../../../providers/contract/frameworks.ts"
import { listen, type Running, until } from "../../support/evald-process.ts"
import { peerVenv } from "../../support/peer-venv.ts"

const framework = FRAMEWORKS.find(({ id }) => id === "lm_evaluation_harness")
const venv = framework === undefined ? undefined : peerVenv(framework)
const key = "a-key-that-only-the-gateway-knows"

let folder = ""
let server: Running | undefined
const started: Array<Running> = []

interface BenchmarkResult {
  readonly metrics: { readonly [name: string]: unknown }
  readonly additional_info: { readonly [name: string]: unknown }
}
interface Job {
  readonly resource: { readonly id: string }
  readonly status: {
    readonly state: string
    readonly benchmarks: ReadonlyArray<{ readonly status: string; readonly error_message?: { readonly message: string; readonly message_code: string } }>
  }
  readonly results: { readonly benchmarks: ReadonlyArray<BenchmarkResult> }
}

/** sums; every fourth reference is wrong, so that the score must be 3/4 of a model that is always right */
const sums = (count: number, first: number) =>
  Array.from({ length: count }, (_, index) => ({ a: first + index, b: 30, answer: String(first + index + 30 + (index % 4 === 3 ? 1 : 0)) }))

const task = (name: string, data: string, filters: string) => `task: ${name}
dataset_path: json
dataset_kwargs: {data_files: {test: ${data}}}
test_split: test
fewshot_split: test
output_type: generate_until
doc_to_text: "What is {{a}} + {{b}}?\\n\\nFinish with a last line of the form \\"Answer: <x>\\"."
doc_to_target: "{{answer}}"
generation_kwargs: {until: ["\\n\\n\\n"], max_gen_toks: 64, temperature: 0.0}
filter_list:
${filters}
metric_list: [{metric: exact_match, aggregation: mean, higher_is_better: true}]
metadata: {version: 1.0}
`
const filter = (name: string) => `  - {name: ${name}, filter: [{function: regex, regex_pattern: "Answer: (-?[0-9]+)"}, {function: take_first}]}`

const api = async (method: string, path: string, body?: object): Promise<{ readonly status: number; readonly json: unknown }> => {
  const response = await fetch(`${server?.url}/api/v1/evaluations/${path}`, {
    method,
    ...(body === undefined ? {} : { headers: { "content-type": "application/json" }, body: JSON.stringify(body) })
  })
  return { status: response.status, json: await response.json() }
}

const evaluate = async (model: object, benchmarks: ReadonlyArray<object>): Promise<Job> => {
  const submitted = await api("POST", "jobs", { name: "peers", model, benchmarks })
  assert.strictEqual(submitted.status, 202, JSON.stringify(submitted.json))
  const { id } = (submitted.json as Job).resource
  const read = async () => (await api("GET", `jobs/${id}`)).json as Job
  return until(read, ({ status }) => status.state !== "pending" && status.state !== "running", 300_000)
}

/** every file below the units' folder */
const filesBelow = (root: string): ReadonlyArray<string> =>
  readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))

beforeAll(async () => {
  if (venv?._tag !== "Ready") return
  folder = mkdtempSync(join(tmpdir(), "evald-peers-"))
  const [config, tasks, secret] = [join(folder, "config"), join(folder, "tasks"), join(folder, "config", "secrets", "demo")]
  for (const path of [config, tasks, secret]) mkdirSync(path, { recursive: true })
  for (const name of ["providers", "collections"]) symlinkSync(resolve("config", name), join(config, name))
  writeFileSync(join(secret, "api-key"), key, { mode: 0o600 })
  for (const path of [join(config, "secrets"), secret]) chmodSync(path, 0o700)
  const lines = (rows: ReadonlyArray<object>) => rows.map((row) => `${JSON.stringify(row)}\n`).join("")
  writeFileSync(join(tasks, "eight.jsonl"), lines(sums(8, 2)))
  writeFileSync(join(tasks, "four.jsonl"), lines(sums(4, 50)))
  // a shipped benchmark on data of one's own, named by a relative path
  writeFileSync(
    join(tasks, "gsm8k-platinum.yaml"),
    task("gsm8k_platinum_cot_llama", "eight.jsonl", [filter("flexible-extract"), filter("strict-match")].join("\n"))
  )
  writeFileSync(join(tasks, "own-eight.yaml"), task("own_eight", "eight.jsonl", filter("number")))
  writeFileSync(join(tasks, "own-four.yaml"), task("own_four", "four.jsonl", filter("number")))
  writeFileSync(
    join(tasks, "own.yaml"),
    "group: own_sums\ntask: [own_eight, own_four]\naggregate_metric_list: [{metric: exact_match, aggregation: mean, weight_by_size: true, filter_list: number}]\nmetadata: {version: 1.0}\n"
  )
  const path = `${join(venv.path, "bin")}:${process.env["PATH"]}`
  const env = { PORT: "0", TMPDIR: folder, PATH: path, HF_HOME: join(folder, "hf"), HF_HUB_OFFLINE: "1", HF_DATASETS_OFFLINE: "1" }
  server = await listen(["server", "-local", `-configdir=${config}`], env)
  started.push(server)
})
afterAll(async () => {
  for (const { stop } of started) await stop("SIGKILL")
  if (folder !== "") rmSync(folder, { recursive: true, force: true })
})

const demoModel = async (...args: ReadonlyArray<string>) => {
  const model = await listen(["demo-model", "--port", "0", "--skill", "1", ...args])
  started.push(model)
  return { url: model.url, name: "evald-demo" }
}

describe.runIf(venv?._tag === "Ready")("lm-eval 0.4.13 from PyPI", () => {
  it("a shipped benchmark on own data: the score, both filters, counts and the version are lm-eval's", async () => {
    const own = { include_path: join(folder, "tasks"), num_few_shot: 1, fewshot_as_multiturn: true, seed: 7, num_examples: 6 }
    const job = await evaluate(await demoModel(), [{ id: "gsm8k_platinum_cot_llama", provider_id: "lm_evaluation_harness", parameters: own }])
    assert.strictEqual(job.status.state, "completed", JSON.stringify(job.status))
    const [result] = job.results.benchmarks
    // of the first six references one is wrong
    assert.closeTo(Number(result?.metrics["exact_match"]), 5 / 6, 1e-9)
    assert.closeTo(Number(result?.metrics["exact_match,flexible-extract"]), 5 / 6, 1e-9)
    assert.closeTo(Number(result?.metrics["exact_match_stderr"]), Math.sqrt(((5 / 6) * (1 / 6)) / 5), 1e-9)
    assert.deepInclude(result?.additional_info ?? {}, {
      framework: { name: "lm_evaluation_harness", version: "0.4.13" },
      counts: { total: 6, scored: 6, errors: 0, invalid: 0 },
      sampling: { seed: 7, num_examples: 6, method: "first" },
      demo: true
    })
  })
  it("a group of a provider of one's own, through the gateway: the key reaches the model, and no result holds key or callback secret", async () => {
    const provider = await api("POST", "providers", {
      name: "own",
      runtime: { local: { command: "evald adapter lm_evaluation_harness" } },
      benchmarks: [{ id: "own_sums", primary_score: { metric: "exact_match" }, pass_criteria: { threshold: 0.7 } }]
    })
    assert.strictEqual(provider.status, 201, JSON.stringify(provider.json))
    const { id } = (provider.json as Job).resource
    const model = { ...(await demoModel("--require-key", key)), auth: { secret_ref: "demo" } }
    const job = await evaluate(model, [{ id: "own_sums", provider_id: id, parameters: { include_path: join(folder, "tasks") } }])
    assert.strictEqual(job.status.state, "completed", JSON.stringify(job.status))
    const { metrics } = job.results.benchmarks[0] ?? { metrics: {} }
    assert.deepInclude(metrics, { exact_match: 0.75, "own_eight/exact_match": 0.75, "own_four/exact_match": 0.75 })
    const files = filesBelow(folder).filter((path) => path.includes(job.resource.id) && path.includes("/results/"))
    const names = files.map((path) => path.replace(/^.*\/results\//, "").replace(/_\d{4}-.*\./, "_<time>."))
    assert.includeMembers(names, ["result.json", "samples/own_eight.ndjson", "samples/own_four.ndjson", "framework/evald-demo/results_<time>.json"])
    const samples = readFileSync(files.find((path) => path.endsWith("own_eight.ndjson")) ?? "", "utf8")
      .trim()
      .split("\n")
    const verdicts = samples.map((line) => (JSON.parse(line) as { readonly verdict: string }).verdict)
    assert.deepStrictEqual(verdicts, ["correct", "correct", "correct", "incorrect", "correct", "correct", "correct", "incorrect"])
    for (const path of files) {
      const text = readFileSync(path, "utf8")
      assert.notInclude(text, key, path)
      assert.notMatch(text, /\/cb\/[A-Za-z0-9_-]{20,}/, path)
    }
  })
  it("what lm-eval does not know, and what it can not fetch, fails with the code that says so", async () => {
    const model = await demoModel()
    const provider = { name: "typo", runtime: { local: { command: "evald adapter lm_evaluation_harness" } }, benchmarks: [{ id: "no_such_task" }] }
    const { id } = ((await api("POST", "providers", provider)).json as Job).resource
    const job = await evaluate(model, [
      { id: "no_such_task", provider_id: id },
      { id: "gsm8k_platinum_cot_llama", provider_id: "lm_evaluation_harness", parameters: { num_examples: 1 } }
    ])
    assert.deepStrictEqual(
      job.status.benchmarks.map(({ status, error_message }) => [status, error_message?.message_code]),
      [
        ["failed", "benchmark_not_supported"],
        ["failed", "dataset_unavailable"]
      ],
      JSON.stringify(job.status)
    )
  })
})
