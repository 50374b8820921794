/** Faults of an endpoint under the real lm-eval and the real Inspect: the gateway's witness tells them, whatever the framework makes of them. */
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { peerEnvironments } from "../../support/peer-environments.ts"
import { peerVenv } from "../../support/peer-venv.ts"
import { type HostedModel, type ServiceHost, serviceHost } from "../../support/service-host.ts"
import { type Completion, type Fault, plantedModel } from "../../trust/support/planted-model.ts"

const count = 40

const lmEvalTask = `task: own_sums
dataset_path: json
dataset_kwargs: {data_files: {test: sums.jsonl}}
test_split: test
output_type: generate_until
doc_to_text: "What is {{a}} + 30?\\n\\nFinish with a last line of the form \\"Answer: <x>\\"."
doc_to_target: "{{answer}}"
generation_kwargs: {until: ["\\n\\n\\n"], max_gen_toks: 64, temperature: 0.0}
filter_list:
  - {name: number, filter: [{function: regex, regex_pattern: "Answer: (-?[0-9]+)"}, {function: take_first}]}
metric_list: [{metric: exact_match, aggregation: mean, higher_is_better: true}]
metadata: {version: 1.0}
`
const inspectTask = `from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.scorer import match
from inspect_ai.solver import generate

@task
def sums():
    def sample(a):
        return Sample(id=f"s{a}", input=f'What is {a} + 30?\\n\\nFinish with a last line of the form "Answer: <x>".', target=str(a + 30))
    return Task(dataset=MemoryDataset([sample(index + 2) for index in range(${count})], name="sums"), solver=generate(), scorer=match(numeric=True))
`

const silent = (answer: Completion, finish: string): Completion => ({
  ...answer,
  choices: [{ message: { role: "assistant", content: "" }, finish_reason: finish }]
})
const faults: ReadonlyArray<{ readonly says: string; readonly code: string; readonly fault: Fault }> = [
  { says: "answers nothing", code: "empty_responses", fault: (answer) => silent(answer, "stop") },
  {
    says: "is another model from the 20th question on",
    code: "model_changed",
    fault: (answer, { number }) => (number >= 20 ? { ...answer, model: "tiny-1b" } : answer)
  },
  { says: "filters every answer", code: "content_filtered", fault: (answer) => silent(answer, "content_filter") }
]

interface Judged {
  readonly validity?: { readonly status: string; readonly flags: ReadonlyArray<{ readonly code: string }> }
  readonly test?: { readonly pass?: boolean; readonly decided?: string }
}

const frameworks = [
  {
    name: "lm-eval",
    venv: await peerVenv(peerEnvironments.lmEval),
    entry: async (host: ServiceHost) => {
      const tasks = join(host.folder, "tasks")
      mkdirSync(tasks)
      const rows = Array.from({ length: count }, (_, index) => ({ a: index + 2, answer: String(index + 32) }))
      writeFileSync(join(tasks, "sums.jsonl"), rows.map((row) => JSON.stringify(row)).join("\n"))
      writeFileSync(join(tasks, "own.yaml"), lmEvalTask)
      const provider = await host.defineByApi({
        name: "own",
        runtime: { local: { command: "evald adapter lm_evaluation_harness" } },
        benchmarks: [{ id: "own_sums", primary_score: { metric: "exact_match" }, pass_criteria: { threshold: 0.1 } }]
      })
      return { id: "own_sums", provider_id: provider, parameters: { include_path: tasks } }
    }
  },
  {
    name: "Inspect",
    venv: await peerVenv(peerEnvironments.inspect),
    entry: async (host: ServiceHost) => {
      writeFileSync(join(host.folder, "own.py"), inspectTask)
      const parameters = { task: `${join(host.folder, "own.py")}@sums` }
      return { id: "inspect/custom", provider_id: "inspect", parameters, pass_criteria: { threshold: 0.1 } }
    }
  }
]

for (const { name, venv, entry } of frameworks)
  describe.runIf(venv._tag === "Ready")(`an endpoint with a planted fault under ${name}`, () => {
    let host: ServiceHost
    let right: HostedModel
    let benchmark: object
    beforeAll(async () => {
      const env = { HF_HUB_OFFLINE: "1", HF_DATASETS_OFFLINE: "1" }
      host = await serviceHost({ shipped: true, env, ...(venv._tag === "Ready" ? { bin: venv.bin } : {}) })
      right = await host.demoModel()
      benchmark = await entry(host)
    })
    afterAll(() => host?.stop())

    const judged = async (fault: Fault) => {
      const model = await plantedModel(right.url, right.name, fault)
      try {
        const job = await host.evaluate({ url: model.url, name: model.name }, [benchmark])
        assert.strictEqual(job.status.state, "completed", JSON.stringify(job.status))
        return job.results.benchmarks[0] as Judged
      } finally {
        await model.close()
      }
    }

    for (const { says, code, fault } of faults)
      it(`${says}: ${code}, and no pass`, async () => {
        const { validity, test } = await judged(fault)
        assert.include(validity?.flags.map((flag) => flag.code) ?? [], code, JSON.stringify({ validity, test }))
        assert.strictEqual(validity?.status, "invalid")
        assert.isUndefined(test?.pass)
        assert.notStrictEqual(test?.decided, "pass")
      })
    it("without a fault the same run is valid", async () => {
      const { validity } = await judged((answer) => answer)
      assert.strictEqual(validity?.status, "valid", JSON.stringify(validity))
    })
  })
