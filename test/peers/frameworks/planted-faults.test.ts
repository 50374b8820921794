/** Faults of an endpoint under the real lm-eval and the real Inspect: the gateway's witness tells them, whatever the framework makes of them. */
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { peerEnvironments } from "../../support/peer-environments.ts"
import { peerVenv } from "../../support/peer-venv.ts"
import { type HostedJob, type HostedModel, type ServiceHost, serviceHost } from "../../support/service-host.ts"
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

const said = (answer: Completion, message: object, finish = "stop"): Completion => ({
  ...answer,
  choices: answer.choices.map((choice) => ({
    ...choice,
    message: { role: "assistant", ...message },
    finish_reason: finish
  }))
})

interface Planted {
  readonly says: string
  readonly codes: readonly [string, ...ReadonlyArray<string>]
  readonly level?: "blocking" | "advisory"
  readonly fault: Fault
  /** a framework that gives up on it by itself, so that nothing is left to be judged */
  readonly endsIn?: string
}

const faults: ReadonlyArray<Planted> = [
  { says: "answers nothing", codes: ["empty_responses"], fault: (answer) => said(answer, { content: "" }) },
  {
    says: "is cut off while it thinks",
    codes: ["truncated"],
    fault: (answer) => said(answer, { content: "", reasoning_content: "Let me think about" }, "length")
  },
  {
    says: "filters every answer",
    codes: ["content_filtered"],
    fault: (answer) => said(answer, { content: "" }, "content_filter")
  },
  {
    says: "answers errors with status 200",
    codes: ["error_share"],
    fault: (answer, { number }) =>
      number > 12 ? { body: { error: { message: "CUDA out of memory", code: 500 } } } : answer,
    endsIn: "Inspect"
  },
  {
    says: "is another model from the 20th question on",
    codes: ["model_changed"],
    fault: (answer, { number }) => (number >= 20 ? { ...answer, model: "tiny-1b" } : answer)
  },
  {
    says: "repeats the question",
    codes: ["response_echoes_prompt"],
    fault: (answer, { question }) => said(answer, { content: question })
  },
  {
    says: "answers every question with the same long text",
    codes: ["identical_responses"],
    fault: (answer) => said(answer, { content: "As a helpful assistant I would say that the answer depends." })
  },
  {
    says: "is another model all along, changes its fingerprint, reuses ids and reports tokens that nobody saw",
    codes: ["model_alias", "fingerprint_changed", "cache_suspected", "usage_inconsistent"],
    level: "advisory",
    fault: (answer, { number }) => ({
      ...answer,
      ...{ model: "tiny-1b", id: `chatcmpl-${number % 3}`, system_fingerprint: number > 20 ? "fp_b" : "fp_a" },
      usage: { prompt_tokens: 10, completion_tokens: 100_000, total_tokens: 100_010 }
    })
  }
]

interface Judged {
  readonly validity?: {
    readonly status: string
    readonly flags: ReadonlyArray<{ readonly code: string; readonly level: string }>
  }
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

    const evaluated = async (fault: Fault) => {
      const model = await plantedModel(right.url, right.name, fault)
      try {
        return await host.evaluate({ url: model.url, name: model.name }, [benchmark])
      } finally {
        await model.close()
      }
    }
    const judged = (job: HostedJob): Judged => {
      assert.strictEqual(job.status.state, "completed", JSON.stringify(job.status))
      return job.results.benchmarks[0] as Judged
    }

    for (const { says, codes, level = "blocking", fault, endsIn } of faults)
      if (endsIn === name)
        it(`${says}: ${name} gives up on its own, and nothing passes`, async () => {
          const { status, results } = await evaluated(fault)
          assert.strictEqual(status.state, "failed", JSON.stringify(status))
          assert.notStrictEqual((results.benchmarks[0] as Judged | undefined)?.test?.pass, true)
        })
      else
        it(`${says}: ${codes.join(", ")}`, async () => {
          const { validity, test } = judged(await evaluated(fault))
          const flags = validity?.flags.map((flag) => `${flag.code} ${flag.level}`) ?? []
          assert.includeMembers(
            flags,
            codes.map((code) => `${code} ${level}`),
            JSON.stringify({ validity, test })
          )
          assert.strictEqual(validity?.status, level === "blocking" ? "invalid" : "suspect", JSON.stringify(validity))
          if (level === "advisory") return
          assert.isUndefined(test?.pass)
          assert.notStrictEqual(test?.decided, "pass")
        })
    it("without a fault the same run is valid", async () => {
      const { validity } = judged(await evaluated((answer) => answer))
      assert.strictEqual(validity?.status, "valid", JSON.stringify(validity))
    })
  })
