/** Much work in one job must not pile up in the server: its memory is looked at from outside, and its heap is small. */
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { type HostedJob, type ServiceHost, serviceHost } from "../support/service-host.ts"

/** the smallest adapter there is: its result lies in the spool when it exits */
const tiny = `printf '{"benchmark_status_event":{"id":"%s","provider_id":"%s","benchmark_index":%s,"status":"completed","metrics":{"acc":1}}}' tiny PROVIDER "$EVALD_BENCHMARK_INDEX" > ../spool/1-a.json`

/** tells its progress as often as it can, then its result */
const talkative = `
const { readFileSync } = require("node:fs")
const { Agent, request } = require("node:http")
const job = JSON.parse(readFileSync(process.env.EVALD_JOB_SPEC_PATH, "utf8"))
const agent = new Agent({ keepAlive: true, maxSockets: 1 })
const url = job.callback_url + "/api/v1/evaluations/jobs/" + job.id + "/events"
const post = (event) => new Promise((resolve, reject) => {
  const body = JSON.stringify({ benchmark_status_event: { id: job.benchmark_id, provider_id: job.provider_id, benchmark_index: job.benchmark_index, ...event } })
  const sent = request(url, { agent, method: "POST", headers: { "content-type": "application/json", "content-length": Buffer.byteLength(body) } }, (response) => {
    response.resume().on("end", () => (response.statusCode === 200 ? resolve() : reject(new Error(String(response.statusCode)))))
  })
  sent.on("error", reject)
  sent.end(body)
})
const text = "x".repeat(500)
const run = async () => {
  for (let n = 1; n <= job.parameters.events; n++) {
    await post({ status: "running", phase: "running_evaluation", message: n + text, completed_steps: n, total_steps: job.parameters.events })
  }
  await post({ status: "completed", metrics: { acc: 1, events: job.parameters.events } })
  agent.destroy()
}
run()
`

let host: ServiceHost
let provider = ""

const benchmark = (id: string) => ({
  id,
  name: id,
  category: "general",
  metrics: ["acc"],
  primary_score: { metric: "acc" },
  pass_criteria: { threshold: 1 }
})

beforeAll(async () => {
  // a small heap, so that garbage is not mistaken for what is kept: whoever keeps too much does not finish at all
  host = await serviceHost({
    config: { local: { workers: 5 } },
    env: { NODE_OPTIONS: "--max-old-space-size=64 --max-semi-space-size=4" }
  })
  const script = join(host.folder, "talkative.cjs")
  writeFileSync(script, talkative)
  provider = await host.defineByFile("tiny", {
    name: "tiny",
    runtime: { local: { command: tiny.replace("PROVIDER", "tiny") } },
    benchmarks: [benchmark("tiny")]
  })
  await host.defineByFile("talkative", {
    name: "talkative",
    runtime: { local: { command: `${process.execPath} ${script}` } },
    benchmarks: [benchmark("talk")]
  })
})
afterAll(() => host.stop())

/** resident megabytes of the server */
const resident = (): number =>
  Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${host.pid}/status`, "utf8"))?.[1]) / 1024

const model = { url: "http://127.0.0.1:9/v1", name: "nobody" }
const tinyJob = (count: number): Promise<HostedJob> =>
  host.evaluate(
    model,
    Array.from({ length: count }, () => ({ id: "tiny", provider_id: provider }))
  )
const talk = (events: number): Promise<HostedJob> =>
  host.evaluate(model, [{ id: "talk", provider_id: "talkative", parameters: { events } }])

/** the first run warms up caches and compiled code; what the later, ten times larger one adds is the price of its size */
const growth = async (small: () => Promise<HostedJob>, large: () => Promise<HostedJob>) => {
  assert.strictEqual((await small()).status.state, "completed")
  const before = resident()
  const began = performance.now()
  const job = await large()
  const [seconds, after] = [(performance.now() - began) / 1000, resident()]
  return {
    job,
    megabytes: after - before,
    figures: `${seconds.toFixed(1)} s, ${before.toFixed(0)} MB before, ${after.toFixed(0)} MB after`
  }
}

describe("the server's memory", () => {
  it("a job of 1,000 tiny benchmarks completes with all of its results", async () => {
    const { job, megabytes, figures } = await growth(
      () => tinyJob(100),
      () => tinyJob(1000)
    )
    assert.strictEqual(
      job.status.state,
      "completed",
      JSON.stringify(job.status.benchmarks.find(({ status }) => status !== "completed"))
    )
    assert.strictEqual(job.results.benchmarks.length, 1000)
    console.info(`1,000 benchmarks: ${figures}`)
    assert.isBelow(megabytes, 60)
  }, 240_000)
  it("an adapter that sends 10,000 events leaves nothing behind but the last one", async () => {
    const { job, megabytes, figures } = await growth(
      () => talk(1000),
      () => talk(10_000)
    )
    assert.deepStrictEqual(job.results.benchmarks[0]?.metrics, { acc: 1, events: 10_000 })
    console.info(`10,000 events: ${figures}`)
    assert.isBelow(megabytes, 40)
  }, 240_000)
})
