/** P3 reads of one job, P4 submissions, on a SQLite file with full durability. P6 status events. */
import { join } from "node:path"
import { type BenchServer, removeFolder, startServer } from "./bench-server.ts"
import { jobBody, proxyConfig, proxyHeaders, statusEvent } from "./job-bodies.ts"
import { type Client, closedLoop, makeClient, openLoop } from "./load.ts"
import { atLeast, atMost, type Measure } from "./measure.ts"

const jobs = "/api/v1/evaluations/jobs"

const submit = async (client: Client, name: string, benchmarks: number): Promise<string> => {
  const { status, text } = await client.send({ method: "POST", path: jobs, headers: proxyHeaders, body: jobBody(name, benchmarks) })
  if (status !== 202) throw new Error(`POST jobs: ${status} ${text}`)
  return (JSON.parse(text) as { readonly resource: { readonly id: string } }).resource.id
}

const reads = async (client: Client, seconds: number): Promise<ReadonlyArray<Measure>> => {
  const id = await submit(client, "read me", 10)
  const call = () => ({ method: "GET", path: `${jobs}/${id}`, headers: proxyHeaders })
  await closedLoop(client, 16, 1, call)
  const steady = await openLoop(client, 500, seconds, call)
  const most = await closedLoop(client, 32, seconds, call)
  return [
    atMost("P3", "GET one job (10 benchmarks), p99 at 500/s", steady.p99, "ms", 5),
    atLeast("P3", "GET one job, maximum, server on one core, SQLite", most.perSecond, "req/s", 7000)
  ]
}

const writes = async (client: Client, seconds: number): Promise<ReadonlyArray<Measure>> => {
  const post = (size: number) => (n: number) => ({ method: "POST", path: jobs, headers: proxyHeaders, body: jobBody(`job ${n}`, size) })
  const steady = await openLoop(client, 100, seconds, post(10))
  const most = await closedLoop(client, 32, seconds, post(10))
  const large = await closedLoop(client, 1, seconds, post(100))
  return [
    atMost("P4", "POST job with 10 benchmarks, durable, p99 at 100/s", steady.p99, "ms", 25),
    atLeast("P4", "POST job with 10 benchmarks, durable, maximum", most.perSecond, "req/s", 600),
    atMost("P4", "POST job with 100 benchmarks, one after the other, p50", large.p50, "ms", 15)
  ]
}

const eventsOf = (id: string, index: number, name: string) => ({
  method: "POST",
  path: `${jobs}/${id}/events`,
  headers: proxyHeaders,
  body: statusEvent(index, name, "running")
})

const names = ["arith_basic", "mcq_general", "logic_deduction", "word_problems"]

const events = async (client: Client, seconds: number): Promise<ReadonlyArray<Measure>> => {
  const many = await Promise.all(Array.from({ length: 200 }, (_, n) => submit(client, `events ${n}`, 10)))
  const one = await submit(client, "large", 1000)
  const spread = await closedLoop(client, 64, seconds, (n) => eventsOf(many[n % many.length] ?? "", n % 10, names[(n % 10) % 4] ?? ""))
  const single = await closedLoop(client, 64, seconds, (n) => eventsOf(one, n % 1000, names[(n % 1000) % 4] ?? ""))
  return [
    atLeast("P6", "status events, durable, 200 jobs, SQLite file", spread.perSecond, "/s", 3500),
    atLeast("P6", "the same, all in one job of 1,000 benchmarks, share of the first", (100 * single.perSecond) / spread.perSecond, "%", 80)
  ]
}

export const readsAndWrites = async (seconds: number): Promise<ReadonlyArray<Measure>> => {
  let server: BenchServer | undefined
  const client = { value: undefined as Client | undefined }
  try {
    server = await startServer({
      local: false,
      config: proxyConfig,
      environment: { DB_URL: `file:${join(process.env["BENCH_DIR"] ?? "/var/tmp", `evald-bench-${process.pid}.db`)}` }
    })
    client.value = makeClient(server.url, 64)
    return [...(await reads(client.value, seconds)), ...(await writes(client.value, seconds)), ...(await events(client.value, seconds))]
  } finally {
    client.value?.close()
    await server?.stop()
    if (server !== undefined) removeFolder(server.folder)
  }
}
