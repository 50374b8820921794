/** The real Inspect under the real server, with a task of one's own against the demo model; nothing is fetched. */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { peerEnvironments } from "../../support/peer-environments.ts"
import { peerVenv } from "../../support/peer-venv.ts"
import { assertNoSecrets, outcomes, type ServiceHost, serviceHost, verdictsOf } from "../../support/service-host.ts"

// the shipped tasks of inspect-evals want data of the hub: they are not needed here
const venv = await peerVenv(peerEnvironments.inspect)

/** sums; every fourth reference is wrong, so that the score must be 3/4 of a model that is always right */
const task = `from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.scorer import match
from inspect_ai.solver import generate

@task
def sums(count: int = 4):
    def sample(index):
        a = 2 + index
        target = a + 30 + (1 if index % 4 == 3 else 0)
        return Sample(id=f"s{index}", input=f'What is {a} + 30?\\n\\nFinish with a last line of the form "Answer: <x>".', target=str(target))
    return Task(dataset=MemoryDataset([sample(index) for index in range(count)], name="sums"), solver=generate(), scorer=match(numeric=True))
`

let host: ServiceHost
const custom = (name: string, parameters: object = {}) => ({
  id: "inspect/custom",
  provider_id: "inspect",
  parameters: { task: `${join(host.folder, "own.py")}@${name}`, ...parameters }
})

describe.runIf(venv._tag === "Ready")("Inspect from PyPI", () => {
  beforeAll(async () => {
    host = await serviceHost({ shipped: true, ...(venv._tag === "Ready" ? { bin: venv.bin } : {}) })
    writeFileSync(join(host.folder, "own.py"), task)
  })
  afterAll(() => host?.stop())

  it("a task of one's own through the gateway: score, error, counts and samples are Inspect's, and no result holds key or callback secret", async () => {
    const job = await host.evaluate(await host.guardedModel(), [
      custom("sums", { count: 12, num_examples: 8, seed: 7 })
    ])
    assert.strictEqual(job.status.state, "completed", JSON.stringify(job.status))
    const [result] = job.results.benchmarks
    assert.deepInclude(result?.metrics ?? {}, { accuracy: 0.75, "match/accuracy": 0.75, error_rate: 0 })
    assert.deepInclude(result?.additional_info ?? {}, {
      counts: { total: 8, scored: 8, errors: 0 },
      sampling: { seed: 7, num_examples: 8, method: "first" },
      demo: true
    })
    const four = ["correct", "correct", "correct", "incorrect"]
    assert.deepStrictEqual(verdictsOf(host, job, "samples/sums.ndjson"), [...four, ...four])
    assertNoSecrets(host, job)
  })
  it("a task that is not there, and one that breaks, fail with the code that says so", async () => {
    const job = await host.evaluate(await host.demoModel(), [custom("others"), custom("sums", { count: "many" })])
    assert.deepStrictEqual(outcomes(job), ["benchmark_not_supported", "framework_failed"], JSON.stringify(job.status))
  })
})
