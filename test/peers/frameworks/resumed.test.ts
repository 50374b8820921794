/**
 * A benchmark that is killed at 90 % of its answers and run again: the model is asked for the rest alone, and the score is that of a run
 * that nobody killed. The embedded benchmarks, the real lm-eval and the real Inspect under the real server.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { type HostedJob, type ServiceHost, serviceHost } from "../../support/service-host.ts"
import { plantedModel } from "../../trust/support/planted-model.ts"
import { endedJob, killUnits, settledAnswers } from "./killed-units.ts"
import { frameworksOnSums, offlineHost } from "./own-sums.ts"

/** few enough that questions which are asked anew show: what the endpoint can do is not asked twice either */
const count = 200

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
        // questions that are asked side by side are not answered in their order
        asked = Math.max(asked, number)
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
        const kept = await settledAnswers(host, () => asked > mostAnswered)
        assert.isAtLeast(kept, Math.floor(items * 0.89))
        assert.isAbove(killUnits(host, id), 0)
        const killed = await endedJob(host, id)
        assert.strictEqual(killed.status.state, "failed")

        const before = asked
        mostAnswered = Number.POSITIVE_INFINITY
        const made = (await host.expected(202, "POST", `jobs/${id}/rerun`, { which: "failed" })).json as HostedJob
        const resumed = await endedJob(host, made.resource.id)
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
