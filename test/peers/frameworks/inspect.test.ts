/** The real Inspect under the real server, with a task of one's own against the demo model; nothing is fetched. */
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { FRAMEWORKS } from "../../../providers/contract/frameworks.ts"
import { listen, type Running, until } from "../../support/evald-process.ts"
import { peerVenv } from "../../support/peer-venv.ts"

const framework = FRAMEWORKS.find(({ id }) => id === "inspect")
// the shipped tasks of inspect-evals want data of the hub: they are not needed here
const venv = framework === undefined ? undefined : peerVenv(framework, ["inspect-ai", "openai"])
const key = "a-key-that-only-the-gateway-knows"

let folder = ""
let server: Running | undefined
const started: Array<Running> = []

interface Job {
  readonly resource: { readonly id: string }
  readonly status: {
    readonly state: string
    readonly benchmarks: ReadonlyArray<{ readonly status: string; readonly error_message?: { readonly message: string; readonly message_code: string } }>
  }
  readonly results: {
    readonly benchmarks: ReadonlyArray<{
      readonly metrics: { readonly [name: string]: unknown }
      readonly additional_info: { readonly [name: string]: unknown }
    }>
  }
}

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

beforeAll(async () => {
  if (venv?._tag !== "Ready") return
  folder = mkdtempSync(join(tmpdir(), "evald-peers-"))
  const [config, secret] = [join(folder, "config"), join(folder, "config", "secrets", "demo")]
  for (const path of [config, secret]) mkdirSync(path, { recursive: true })
  for (const name of ["providers", "collections"]) symlinkSync(resolve("config", name), join(config, name))
  writeFileSync(join(secret, "api-key"), key, { mode: 0o600 })
  for (const path of [join(config, "secrets"), secret]) chmodSync(path, 0o700)
  writeFileSync(join(folder, "own.py"), task)
  const path = `${join(venv.path, "bin")}:${process.env["PATH"]}`
  server = await listen(["server", "-local", `-configdir=${config}`], { PORT: "0", TMPDIR: folder, PATH: path })
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

const custom = (parameters: object) => ({ id: "inspect/custom", provider_id: "inspect", parameters })

describe.runIf(venv?._tag === "Ready")("Inspect from PyPI", () => {
  it("a task of one's own through the gateway: score, error, counts and samples are Inspect's, and no result holds key or callback secret", async () => {
    const model = { ...(await demoModel("--require-key", key)), auth: { secret_ref: "demo" } }
    const own = { task: `${join(folder, "own.py")}@sums`, count: 12, num_examples: 8, seed: 7 }
    const job = await evaluate(model, [custom(own)])
    assert.strictEqual(job.status.state, "completed", JSON.stringify(job.status))
    const [result] = job.results.benchmarks
    assert.deepInclude(result?.metrics ?? {}, { accuracy: 0.75, "match/accuracy": 0.75, error_rate: 0 })
    assert.deepInclude(result?.additional_info ?? {}, {
      counts: { total: 8, scored: 8, errors: 0 },
      sampling: { seed: 7, num_examples: 8, method: "first" },
      demo: true
    })
    const files = readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .filter((path) => path.includes(job.resource.id) && path.includes("/results/"))
    const samples = readFileSync(files.find((path) => path.endsWith("/samples/sums.ndjson")) ?? "", "utf8")
      .trim()
      .split("\n")
    assert.deepStrictEqual(
      samples.map((line) => (JSON.parse(line) as { readonly verdict: string }).verdict),
      ["correct", "correct", "correct", "incorrect", "correct", "correct", "correct", "incorrect"]
    )
    for (const path of files) {
      const text = readFileSync(path, "utf8")
      assert.notInclude(text, key, path)
      assert.notMatch(text, /\/cb\/[A-Za-z0-9_-]{20,}/, path)
    }
  })
  it("a task that is not there, and one that breaks, fail with the code that says so", async () => {
    const job = await evaluate(await demoModel(), [
      custom({ task: `${join(folder, "own.py")}@others` }),
      custom({ task: `${join(folder, "own.py")}@sums`, count: "many" })
    ])
    assert.deepStrictEqual(
      job.status.benchmarks.map(({ status, error_message }) => [status, error_message?.message_code]),
      [
        ["failed", "benchmark_not_supported"],
        ["failed", "framework_failed"]
      ],
      JSON.stringify(job.status)
    )
  })
})
