/**
 * A benchmark that is killed at 90 % of its answers and run again: the model is asked for the rest alone, and the score is that of a run
 * that nobody killed. The embedded benchmarks, the real lm-eval and the real Inspect under the real server.
 */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { until } from "../../support/evald-process.ts"
import { type HostedJob, type ServiceHost, serviceHost } from "../../support/service-host.ts"
import { plantedModel } from "../../trust/support/planted-model.ts"
import { frameworksOnSums, offlineHost } from "./own-sums.ts"

/** probes of the endpoint are asked in both runs and are never kept: they are few beside so many */
const count = 600

/** stands for the bucket of the embedded benchmark's own data */
const data = mkdtempSync(join(tmpdir(), "evald-resumed-"))
mkdirSync(join(data, "sums", "rows"), { recursive: true })
const rows = Array.from({ length: count }, (_, index) =>
  JSON.stringify({ question: `What is ${index} + 7? Answer with the number alone.`, answer: String(index + 7) })
)
writeFileSync(join(data, "sums", "rows", "rows.jsonl"), rows.join("\n"))
afterAll(() => rmSync(data, { recursive: true, force: true }))

const frameworks = [
  {
    name: "the embedded benchmarks",
    venv: { _tag: "Ready", bin: undefined } as const,
    entry: async () => ({
      ...{ id: "custom_jsonl", provider_id: "evald", parameters: { num_examples: count } },
      test_data_ref: { s3: { bucket: "sums", key: "rows" } }
    })
  },
  ...(await frameworksOnSums(count))
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
      host = await offlineHost(venv._tag === "Ready" ? venv.bin : undefined, { local: { test_data_dir: data } })
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
        const [{ additional_info: info = {} } = {}] = whole.results.benchmarks
        const items = (info["counts"] as { readonly total: number }).total
        const probes = requests - items

        mostAnswered = requests + probes + Math.round(items * 0.9)
        const body = { name: "killed", model: at, benchmarks: [benchmark], resume: true }
        const { id } = ((await host.expected(202, "POST", "jobs", body)).json as HostedJob).resource
        // answers are written after they were delivered: until none was for a second
        let still = { kept: -1, looks: 0 }
        await until(
          async () => {
            const kept = answersKept(host)
            still = { kept, looks: kept === still.kept ? still.looks + 1 : 0 }
            return asked > mostAnswered && still.looks >= 20
          },
          (isStill) => isStill,
          200_000
        )
        assert.isAtLeast(still.kept, Math.floor(items * 0.89))
        assert.isAbove(killUnits(host, id), 0)
        const killed = await ended(host, id)
        assert.strictEqual(killed.status.state, "failed")

        const before = asked
        mostAnswered = Number.POSITIVE_INFINITY
        const made = (await host.expected(202, "POST", `jobs/${id}/rerun`, { which: "failed" })).json as HostedJob
        const resumed = await ended(host, made.resource.id)
        assert.strictEqual(resumed.status.state, "completed", JSON.stringify(resumed.status))
        assert.isAtMost(asked - before, requests * 0.11)
        assert.isAtLeast(asked - before, Math.floor(items * 0.1))
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
