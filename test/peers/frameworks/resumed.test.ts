/**
 * A benchmark that is killed at 90 % of its answers and run again: the model is asked for the rest alone, and the score is that of a run
 * that nobody killed. The embedded benchmarks, the real lm-eval and the real Inspect under the real server.
 */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { until } from "../../support/evald-process.ts"
import { peerEnvironments } from "../../support/peer-environments.ts"
import { peerVenv } from "../../support/peer-venv.ts"
import { type HostedJob, type ServiceHost, serviceHost } from "../../support/service-host.ts"
import { plantedModel } from "../../trust/support/planted-model.ts"

/** probes of the endpoint are asked in both runs and are never kept: they are few beside so many */
const count = 600

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
        return Sample(id=f"s{a}", input=f'What is {a} + 30?\\n\\nFinish with a last line of the form "Answer: <x>".', target=str(a + 30 + (1 if a % 4 == 0 else 0)))
    return Task(dataset=MemoryDataset([sample(index + 2) for index in range(${count})], name="sums"), solver=generate(), scorer=match(numeric=True))
`

const frameworks = [
  {
    name: "the embedded benchmarks",
    venv: { _tag: "Ready", bin: undefined } as const,
    entry: async () => ({ id: "arith_basic", provider_id: "evald", parameters: { num_examples: count, seed: 3 } })
  },
  {
    name: "lm-eval",
    venv: await peerVenv(peerEnvironments.lmEval),
    entry: async (host: ServiceHost) => {
      const tasks = join(host.folder, "tasks")
      mkdirSync(tasks)
      const rows = Array.from({ length: count }, (_, index) => ({
        a: index + 2,
        answer: String(index + 32 + (index % 4 === 3 ? 1 : 0))
      }))
      writeFileSync(join(tasks, "sums.jsonl"), rows.map((row) => JSON.stringify(row)).join("\n"))
      writeFileSync(join(tasks, "own.yaml"), lmEvalTask)
      const provider = await host.defineByApi({
        name: "own",
        runtime: { local: { command: "evald adapter lm_evaluation_harness" } },
        benchmarks: [{ id: "own_sums", primary_score: { metric: "exact_match" } }]
      })
      return { id: "own_sums", provider_id: provider, parameters: { include_path: tasks } }
    }
  },
  {
    name: "Inspect",
    venv: await peerVenv(peerEnvironments.inspect),
    entry: async (host: ServiceHost) => {
      writeFileSync(join(host.folder, "own.py"), inspectTask)
      return {
        id: "inspect/custom",
        provider_id: "inspect",
        parameters: { task: `${join(host.folder, "own.py")}@sums` }
      }
    }
  }
]

/** every process of a unit of the job: they carry its folder in their environment */
const killUnits = (host: ServiceHost, job: string): number => {
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name) && Number(name) !== host.pid)
  const own = pids.filter((pid) => {
    try {
      const environment = readFileSync(`/proc/${pid}/environ`, "utf8")
      return environment.includes(host.folder) && environment.includes(job)
    } catch {
      return false
    }
  })
  for (const pid of own) process.kill(Number(pid), "SIGKILL")
  return own.length
}

const answersKept = (host: ServiceHost): number =>
  readdirSync(host.folder, { recursive: true, withFileTypes: true }).filter(({ name }) => /^[0-9a-f]{64}$/.test(name))
    .length

const ended = (host: ServiceHost, id: string) =>
  until(
    async () => (await host.expected(200, "GET", `jobs/${id}`)).json as HostedJob,
    ({ status }) => status.state !== "pending" && status.state !== "running",
    300_000
  )

for (const { name, venv, entry } of frameworks)
  describe.runIf(venv._tag === "Ready")(`${name}, killed at 90 % and run again`, () => {
    let host: ServiceHost
    beforeAll(async () => {
      const env = { HF_HUB_OFFLINE: "1", HF_DATASETS_OFFLINE: "1" }
      const bin = venv._tag === "Ready" ? venv.bin : undefined
      host = await serviceHost({ shipped: true, env, ...(bin === undefined ? {} : { bin }) })
    })
    afterAll(() => host?.stop())

    it("asks again for at most 11 % and has the score of a run that nobody killed", async () => {
      const right = await host.demoModel()
      let asked = 0
      let mostAnswered = Number.POSITIVE_INFINITY
      const model = await plantedModel(right.url, right.name, (answer, { number }) => {
        asked = number
        return number > mostAnswered ? "hang" : answer
      })
      try {
        const benchmark = await entry(host)
        const at = { url: model.url, name: model.name }
        const whole = await host.evaluate(at, [benchmark])
        assert.strictEqual(whole.status.state, "completed", JSON.stringify(whole.status))
        const requests = asked
        const probes = requests - count

        mostAnswered = requests + probes + count * 0.9
        const body = { name: "killed", model: at, benchmarks: [benchmark], resume: true }
        const { id } = ((await host.expected(202, "POST", "jobs", body)).json as HostedJob).resource
        await until(
          async () => asked > mostAnswered && answersKept(host) >= count * 0.9,
          (isThere) => isThere,
          200_000
        )
        assert.isAbove(killUnits(host, id), 0)
        const killed = await ended(host, id)
        assert.strictEqual(killed.status.state, "failed")

        const before = asked
        mostAnswered = Number.POSITIVE_INFINITY
        const made = (await host.expected(202, "POST", `jobs/${id}/rerun`, { which: "failed" })).json as HostedJob
        const resumed = await ended(host, made.resource.id)
        assert.strictEqual(resumed.status.state, "completed", JSON.stringify(resumed.status))
        assert.isAtMost(asked - before, requests * 0.11)
        assert.isAtLeast(asked - before, count * 0.1)
        const scores = ({ results }: HostedJob) => results.benchmarks.map(({ metrics }) => JSON.stringify(metrics))
        assert.deepStrictEqual(scores(resumed), scores(whole))
      } finally {
        await model.close()
      }
    })
  })

describe("what measures times", () => {
  let host: ServiceHost
  beforeAll(async () => {
    host = await serviceHost({ shipped: true })
  })
  afterAll(() => host?.stop())

  it("is not resumed: GuideLLM and the embedded performance benchmarks are refused with the member", async () => {
    const model = { url: "http://127.0.0.1:9/v1", name: "m" }
    const { json } = await host.expected(200, "GET", "providers/guidellm")
    const [shipped] = (json as { readonly benchmarks: ReadonlyArray<{ readonly id: string }> }).benchmarks
    for (const [provider_id, id] of [
      ["guidellm", shipped?.id],
      ["evald", "perf_synchronous"]
    ])
      assert.include(
        (
          await host.expected(400, "POST", "jobs", {
            name: "timed",
            model,
            benchmarks: [{ id, provider_id }],
            resume: true
          })
        ).text,
        '"/resume"'
      )
  })
})
