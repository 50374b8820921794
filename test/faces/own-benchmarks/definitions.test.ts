/** Providers of somebody's own on adapters of ours: what their definition says of a benchmark is what the adapter does. */
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { run } from "../../support/evald-process.ts"
import { type HostedJob, type HostedModel, type ServiceHost, serviceHost } from "../../support/service-host.ts"

/** stands for the LM Evaluation Harness: reports 55 of 100 for the task it is asked for, and 7 few-shot examples unless told another number */
const framework = `#!/usr/bin/env node
const { mkdirSync, writeFileSync } = require("node:fs")
const args = process.argv.slice(2)
const value = (name) => args[args.indexOf(name) + 1]
if (args.includes("--help")) process.exit(0)
const task = value("--tasks")
const shots = args.includes("--num_fewshot") ? Number(value("--num_fewshot")) : 7
mkdirSync(value("--output_path") + "/m", { recursive: true })
writeFileSync(value("--output_path") + "/m/results_2026-01-01T00-00-00.000000.json", JSON.stringify({
  results: { [task]: { alias: task, "bleu,none": 55, "acc,none": 0.5, "bleu_stderr,none": 5 } },
  "n-samples": { [task]: { original: 20, effective: 20 } }, "n-shot": { [task]: shots }, configs: {}, versions: { [task]: 1 }, lm_eval_version: "0.4.13"
}))
`

const benchmark = (id: string, requirements: object, more: object = {}) => ({
  ...{
    id,
    name: id,
    category: "general",
    metrics: ["bleu", "acc"],
    primary_score: { metric: "bleu" },
    pass_criteria: { threshold: 0.5 },
    requirements
  },
  ...more
})
const harness = {
  name: "mine",
  runtime: { local: { command: "evald adapter lm_evaluation_harness" } },
  benchmarks: [benchmark("our_reports", { endpoint: "chat", framework_task: "reports_v2", percent_metrics: ["bleu"] })]
}
const sums = {
  name: "sums",
  runtime: { local: { command: "evald adapter evald" } },
  benchmarks: [
    benchmark(
      "our_sums",
      { endpoint: "generate", framework_task: "arith_basic" },
      { metrics: ["exact_match"], primary_score: { metric: "exact_match" } }
    )
  ]
}

let bin = ""
let host: ServiceHost
let model: HostedModel

beforeAll(async () => {
  bin = mkdtempSync(join(tmpdir(), "evald-bin-"))
  mkdirSync(bin, { recursive: true })
  writeFileSync(join(bin, "lm_eval"), framework)
  chmodSync(join(bin, "lm_eval"), 0o755)
  host = await serviceHost({ bin })
  model = await host.demoModel()
})
afterAll(async () => {
  await host.stop()
  rmSync(bin, { recursive: true, force: true })
})

const completed = (job: HostedJob) => {
  assert.strictEqual(job.status.state, "completed", JSON.stringify(job.status))
  return job.results.benchmarks[0] as HostedJob["results"]["benchmarks"][number] & {
    readonly test?: { readonly pass?: boolean }
  }
}

const ways: ReadonlyArray<readonly [string, (provider: object) => Promise<string>]> = [
  [
    "by a file that appears while the server runs",
    (provider) => host.defineByFile(`file-${Object.values(provider)[0]}`, provider)
  ],
  ["over the API", (provider) => host.defineByApi(provider)]
]

describe("benchmarks of an own provider on our adapters", () => {
  for (const [way, define] of ways) {
    it(`${way}: the wrapper runs the named task and divides its percentages`, async () => {
      const provider = await define(harness)
      const result = completed(await host.evaluate(model, [{ id: "our_reports", provider_id: provider }]))
      assert.deepInclude(result.metrics, { bleu: 0.55, bleu_raw: 55, acc: 0.5 })
      assert.isTrue(result.test?.pass)
    })
    it(`${way}: the embedded benchmark runs under the own name`, async () => {
      const provider = await define(sums)
      const job = await host.evaluate(model, [
        { id: "our_sums", provider_id: provider, parameters: { num_examples: 5 } }
      ])
      const result = completed(job)
      assert.strictEqual(result.metrics["exact_match"], 1)
      assert.deepInclude(result.additional_info?.["dataset"] as object, { used: 5 })
      const samples = await host.expected(200, "GET", `jobs/${job.resource.id}/samples?content=true`)
      const { total_count, items } = samples.json as {
        readonly total_count: number
        readonly items: ReadonlyArray<{ readonly record: { readonly response: string } }>
      }
      assert.deepStrictEqual([total_count, items.every(({ record }) => record.response !== "")], [5, true])
    })
  }

  it("evald rescore finds the same metrics in the samples alone", async () => {
    const own = (id: string) =>
      benchmark(id, { endpoint: "generate" }, { metrics: ["exact_match"], primary_score: { metric: "exact_match" } })
    const provider = await host.defineByApi({
      ...{ name: "ours", runtime: sums.runtime },
      benchmarks: [own("arith_basic"), own("word_problems")]
    })
    const job = await host.evaluate(model, [
      { id: "arith_basic", provider_id: provider, parameters: { num_examples: 6 } },
      { id: "word_problems", provider_id: provider, parameters: { num_examples: 4, seed: 3 } }
    ])
    completed(job)
    const { code, stdout, stderr } = await run(["rescore", "--server", host.url, job.resource.id])
    assert.strictEqual(stderr, "")
    assert.match(stdout, /^agrees {2}0 \S+\/arith_basic: \d+ metrics from 6 samples, 6 answers judged again$/m)
    assert.match(stdout, /^agrees {2}1 \S+\/word_problems: \d+ metrics from 4 samples/m)
    assert.strictEqual(code, 0, stdout)
  })
})
