/** The real lm-eval under the real server, on local data against the demo model; nothing is fetched from a data hub. */
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { peerEnvironments } from "../../support/peer-environments.ts"
import { peerVenv } from "../../support/peer-venv.ts"
import { assertNoSecrets, outcomes, type ServiceHost, serviceHost, verdictsOf } from "../../support/service-host.ts"

const venv = await peerVenv(peerEnvironments.lmEval)

/** sums; every fourth reference is wrong, so that the score must be 3/4 of a model that is always right */
const sums = (count: number, first: number) =>
  Array.from({ length: count }, (_, index) => ({
    a: first + index,
    b: 30,
    answer: String(first + index + 30 + (index % 4 === 3 ? 1 : 0))
  }))

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
/** beginnings of sentences; the n-gram table of the demo model knows the first ending, and none of the other's words; every fourth label is wrong */
const sentences = [
  ["In winter the river", "freezes near the mill", "vexes quartz jigs fully"],
  ["On Sunday the whole", "family sits there", "wizard juggles yaks"],
  ["The moon stands over", "the hill", "my vex"],
  ["Tomorrow the market will", "open again", "jinx quips"],
  ["A light burns in the", "bakery", "zephyr"],
  ["The grandmother tells how the", "house was built", "kayak jazzed wolf"],
  ["The teacher says that a good", "question is worth", "quorum of jackdaws"],
  ["Far away a dog answers", "another dog", "pixel vixen"]
].map(([begin, known, strange], index) => {
  const gold = index % 2
  return { begin, choices: gold === 0 ? [known, strange] : [strange, known], gold: index % 4 === 3 ? 1 - gold : gold }
})
const choiceTask = (name: string) => `task: ${name}
dataset_path: json
dataset_kwargs: {data_files: {test: sentences.jsonl}}
test_split: test
output_type: multiple_choice
doc_to_text: "{{begin}}"
doc_to_choice: "{{choices}}"
doc_to_target: "{{gold}}"
metric_list: [{metric: acc, aggregation: mean, higher_is_better: true}, {metric: acc_norm, aggregation: mean, higher_is_better: true}]
metadata: {version: 1.0}
`
const filter = (name: string) =>
  `  - {name: ${name}, filter: [{function: regex, regex_pattern: "Answer: (-?[0-9]+)"}, {function: take_first}]}`
const lines = (rows: ReadonlyArray<object>) => rows.map((row) => `${JSON.stringify(row)}\n`).join("")

let host: ServiceHost
let tasks = ""

describe.runIf(venv._tag === "Ready")("lm-eval 0.4.13 from PyPI", () => {
  beforeAll(async () => {
    const env = { HF_HUB_OFFLINE: "1", HF_DATASETS_OFFLINE: "1" }
    host = await serviceHost({ shipped: true, env, ...(venv._tag === "Ready" ? { bin: venv.bin } : {}) })
    tasks = join(host.folder, "tasks")
    mkdirSync(tasks)
    const files = {
      "eight.jsonl": lines(sums(8, 2)),
      "sentences.jsonl": lines(sentences),
      "own-endings.yaml": choiceTask("own_endings"),
      "four.jsonl": lines(sums(4, 50)),
      // a shipped benchmark on data of one's own, named by a relative path
      "gsm8k-platinum.yaml": task(
        "gsm8k_platinum_cot_llama",
        "eight.jsonl",
        [filter("flexible-extract"), filter("strict-match")].join("\n")
      ),
      "own-eight.yaml": task("own_eight", "eight.jsonl", filter("number")),
      "own-four.yaml": task("own_four", "four.jsonl", filter("number")),
      "own.yaml":
        "group: own_sums\ntask: [own_eight, own_four]\naggregate_metric_list: [{metric: exact_match, aggregation: mean, weight_by_size: true, filter_list: number}]\nmetadata: {version: 1.0}\n"
    }
    for (const [name, content] of Object.entries(files)) writeFileSync(join(tasks, name), content)
  })
  afterAll(() => host?.stop())

  const ownProvider = (benchmark: string) =>
    host.defineByApi({
      name: benchmark,
      runtime: { local: { command: "evald adapter lm_evaluation_harness" } },
      benchmarks: [{ id: benchmark, primary_score: { metric: "exact_match" }, pass_criteria: { threshold: 0.7 } }]
    })

  it("a shipped benchmark on own data: the score, both filters, counts and the version are lm-eval's", async () => {
    const parameters = { include_path: tasks, num_few_shot: 1, fewshot_as_multiturn: true, seed: 7, num_examples: 6 }
    const job = await host.evaluate(await host.demoModel(), [
      { id: "gsm8k_platinum_cot_llama", provider_id: "lm_evaluation_harness", parameters }
    ])
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
    const parameters = { include_path: tasks }
    const job = await host.evaluate(await host.guardedModel(), [
      { id: "own_sums", provider_id: await ownProvider("own_sums"), parameters }
    ])
    assert.strictEqual(job.status.state, "completed", JSON.stringify(job.status))
    const { metrics } = job.results.benchmarks[0] ?? { metrics: {} }
    assert.deepInclude(metrics, { exact_match: 0.75, "own_eight/exact_match": 0.75, "own_four/exact_match": 0.75 })
    const names = [...host.resultFiles(job).keys()]
    assert.includeMembers(names, [
      "result.json",
      "samples/own_eight.ndjson",
      "samples/own_four.ndjson",
      "framework/evald-demo/results_<time>.json"
    ])
    const four = ["correct", "correct", "correct", "incorrect"]
    assert.deepStrictEqual(verdictsOf(host, job, "samples/own_eight.ndjson"), [...four, ...four])
    assertNoSecrets(host, job)
  })
  it("log-likelihoods on the completions route, through the gateway: the model lends its tokenizer, and the likelier ending is the answer", async () => {
    const provider = await host.defineByApi({
      name: "endings",
      runtime: { local: { command: "evald adapter lm_evaluation_harness" } },
      benchmarks: [
        {
          id: "own_endings",
          requirements: { endpoint: "completions_echo", calls: "choices" },
          primary_score: { metric: "acc" },
          pass_criteria: { threshold: 0.7 }
        },
        {
          id: "endings_of_three",
          requirements: { endpoint: "completions_echo", framework_task: "own_endings", calls: 3 },
          primary_score: { metric: "acc" }
        }
      ]
    })
    const job = await host.evaluate(await host.guardedModel(), [
      { id: "own_endings", provider_id: provider, parameters: { include_path: tasks } },
      { id: "endings_of_three", provider_id: provider, parameters: { include_path: tasks } }
    ])
    assert.strictEqual(job.status.state, "completed", JSON.stringify(job.status))
    const [result, ofThree] = job.results.benchmarks
    const codesOf = (one: unknown) =>
      (
        one as { readonly validity?: { readonly flags: ReadonlyArray<{ code: string; count: number; of: number }> } }
      ).validity?.flags.map(({ code, count, of }) => `${code} ${count} of ${of}`) ?? []
    assert.deepStrictEqual(codesOf(result), ["few_items 8 of 8", "score_at_chance 6 of 8"])
    assert.include(codesOf(ofThree), "requests_missing 8 of 24")
    assert.deepInclude(result?.metrics ?? {}, { acc: 0.75, acc_norm: 0.75 })
    assert.deepInclude(result?.additional_info ?? {}, { counts: { total: 8, scored: 8, errors: 0, invalid: 0 } })
    const four = ["correct", "correct", "correct", "incorrect"]
    assert.deepStrictEqual(verdictsOf(host, job, "samples/own_endings.ndjson"), [...four, ...four])
    assertNoSecrets(host, job)
  })
  it("what lm-eval does not know, and what it can not fetch, fails with the code that says so", async () => {
    const job = await host.evaluate(await host.demoModel(), [
      { id: "no_such_task", provider_id: await ownProvider("no_such_task") },
      { id: "gsm8k_platinum_cot_llama", provider_id: "lm_evaluation_harness", parameters: { num_examples: 1 } }
    ])
    assert.deepStrictEqual(
      outcomes(job),
      ["benchmark_not_supported", "dataset_unavailable"],
      JSON.stringify(job.status)
    )
  })
})
