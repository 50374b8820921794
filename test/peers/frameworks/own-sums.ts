/** A task of one's own for lm-eval and for Inspect: sums whose right answers a model knows that is always right. Nothing of it is fetched. */
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { peerEnvironments } from "../../support/peer-environments.ts"
import { peerVenv } from "../../support/peer-venv.ts"
import { type ServiceHost, serviceHost } from "../../support/service-host.ts"

/** within every third question, so that they are of different lengths */
const blankLines = 120

const lmEvalTask = `task: own_sums
dataset_path: json
dataset_kwargs: {data_files: {test: sums.jsonl}}
test_split: test
output_type: generate_until
doc_to_text: "What is {{a}} + 30?{{room}}\\n\\nFinish with a last line of the form \\"Answer: <x>\\"."
doc_to_target: "{{answer}}"
generation_kwargs: {until: ["\\n\\n\\n"], max_gen_toks: 64, temperature: 0.0}
filter_list:
  - {name: number, filter: [{function: regex, regex_pattern: "Answer: (-?[0-9]+)"}, {function: take_first}]}
metric_list: [{metric: exact_match, aggregation: mean, higher_is_better: true}]
metadata: {version: 1.0}
`
const inspectTask = (count: number) => `from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.scorer import match
from inspect_ai.solver import generate

@task
def sums():
    def sample(a):
        room = "\\n" * (${blankLines} if a % 3 == 0 else 0)
        return Sample(id=f"s{a}", input=f'What is {a} + 30?{room}\\n\\nFinish with a last line of the form "Answer: <x>".', target=str(a + 30))
    return Task(dataset=MemoryDataset([sample(index + 2) for index in range(${count})], name="sums"), solver=generate(), scorer=match(numeric=True))
`

/** writes the task below the folder and answers with its parameters; its name is `own_sums` */
export const writeLmEvalSums = (folder: string, count: number) => {
  const tasks = join(folder, "tasks")
  mkdirSync(tasks)
  const rows = Array.from({ length: count }, (_, index) => ({
    ...{ a: index + 2, room: "\n".repeat((index + 2) % 3 === 0 ? blankLines : 0), answer: String(index + 32) }
  }))
  writeFileSync(join(tasks, "sums.jsonl"), rows.map((row) => JSON.stringify(row)).join("\n"))
  writeFileSync(join(tasks, "own.yaml"), lmEvalTask)
  return { include_path: tasks }
}

/** the same for Inspect, of which it is `inspect/custom` */
export const writeInspectSums = (folder: string, count: number) => {
  const file = join(folder, "own.py")
  writeFileSync(file, inspectTask(count))
  return { task: `${file}@sums` }
}

/** an entry of a job that runs so many of them */
const lmEvalSums = async (host: ServiceHost, count: number) => {
  const provider = await host.defineByApi({
    name: "own",
    runtime: { local: { command: "evald adapter lm_evaluation_harness" } },
    benchmarks: [
      {
        ...{ id: "own_sums", primary_score: { metric: "exact_match" }, pass_criteria: { threshold: 0.1 } },
        requirements: { calls: 1 }
      }
    ]
  })
  return { id: "own_sums", provider_id: provider, parameters: writeLmEvalSums(host.folder, count) }
}

/** the same for Inspect */
const inspectSums = async (host: ServiceHost, count: number) => {
  const provider = await host.defineByApi({
    name: "own",
    runtime: { local: { command: "evald adapter inspect" } },
    benchmarks: [{ id: "inspect/custom", primary_score: { metric: "accuracy" }, requirements: { calls: 1 } }]
  })
  const parameters = writeInspectSums(host.folder, count)
  return { id: "inspect/custom", provider_id: provider, parameters, pass_criteria: { threshold: 0.1 } }
}

/** the frameworks that are there, each with a server of its own and so many sums */
export const frameworksOnSums = async (count: number) => {
  const [lmEval, inspect] = [await peerVenv(peerEnvironments.lmEval), await peerVenv(peerEnvironments.inspect)]
  return [
    { name: "lm-eval", venv: lmEval, entry: (host: ServiceHost) => lmEvalSums(host, count) },
    { name: "Inspect", venv: inspect, entry: (host: ServiceHost) => inspectSums(host, count) }
  ]
}

/** without a way to a hub of data; `bin`: of the framework, `config`: further settings */
export const offlineHost = (bin: string | undefined, config: object = {}): Promise<ServiceHost> => {
  const env = { HF_HUB_OFFLINE: "1", HF_DATASETS_OFFLINE: "1" }
  return serviceHost({ shipped: true, env, config, ...(bin === undefined ? {} : { bin }) })
}
