/** P8 from the accepted POST to the adapter's process, P9 the cost of many queued benchmarks. */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { withServer } from "./bench-server.ts"
import { newDatabase } from "./databases.ts"
import { jobsPath as jobs } from "./job-bodies.ts"
import { type Client, makeClient, median, wait } from "./load.ts"
import { atMost, type Measure, shown } from "./measure.ts"
import { workspace } from "./workspace.ts"

/** the smallest possible adapters: one notes when it started, one completes by a single event */
export const provider = (id: string, command: string) => `id: ${id}
type: builtin
name: ${id}
runtime:
  local:
    command: ${JSON.stringify(command)}
benchmarks:
  - {id: b, name: B, category: bench, metrics: [acc], primary_score: {metric: acc}}
`
const note = 'date +%s%N > "$EVALD_OUTPUT_DIR/started"'
/** command of the provider `finisher`: completes by a single event */
export const finisher = [
  'url=$(sed -n "s/.*\\"callback_url\\": \\"\\(.*\\)\\",/\\1/p" "$EVALD_JOB_SPEC_PATH")',
  'curl -s -o /dev/null -H "content-type: application/json" -d "{\\"benchmark_status_event\\":{\\"id\\":\\"b\\",\\"provider_id\\":\\"finisher\\",\\"benchmark_index\\":$EVALD_BENCHMARK_INDEX,\\"status\\":\\"completed\\",\\"metrics\\":{\\"acc\\":1}}}" "$url/api/v1/evaluations/jobs/$EVALD_JOB_ID/events"'
].join("; ")

const post = async (client: Client, providerId: string, count: number): Promise<string> => {
  const benchmarks = Array.from({ length: count }, () => ({ id: "b", provider_id: providerId }))
  const body = JSON.stringify({ name: providerId, model: { url: "http://127.0.0.1:9", name: "m" }, benchmarks })
  const { status, text } = await client.send({ method: "POST", path: jobs, body })
  if (status !== 202) throw new Error(`POST jobs: ${status} ${text}`)
  return (JSON.parse(text) as { readonly resource: { readonly id: string } }).resource.id
}

const noted = async (units: string, jobId: string): Promise<number> => {
  for (let tries = 0; tries < 500; tries++) {
    for (const instance of existsSync(units) ? readdirSync(units) : []) {
      const file = join(units, instance, jobId, "0-b", "results", "started")
      const text = existsSync(file) ? readFileSync(file, "utf8").trim() : ""
      if (text !== "") return Number(BigInt(text) / 1000n) / 1000
    }
    await wait(10)
  }
  throw new Error("the adapter did not start")
}

const launchLatency = async (client: Client, units: string): Promise<Measure> => {
  const latencies: Array<number> = []
  for (let i = 0; i < 25; i++) {
    const id = await post(client, "noter", 1)
    const accepted = performance.timeOrigin + performance.now()
    latencies.push((await noted(units, id)) - accepted)
    await wait(50)
  }
  return atMost("P8", "local mode: POST accepted to adapter process started, p50", median(latencies), "ms", 50)
}

interface Record {
  readonly status: { readonly state: string; readonly benchmarks: ReadonlyArray<{ readonly completed_at?: string }> }
}

const queueCost = async (client: Client, total: number): Promise<Measure> => {
  const size = 1000
  const ids: Array<string> = []
  for (let i = 0; i < total / size; i++) ids.push(await post(client, "finisher", size))
  for (const id of ids) {
    for (;;) {
      const { text } = await client.send({ method: "GET", path: `${jobs}/${id}` })
      const { state } = (JSON.parse(text) as Record).status
      if (state !== "pending" && state !== "running") break
      process.stderr.write(".")
      await wait(1000)
    }
  }
  const ends: Array<number> = []
  for (const id of ids) {
    const { text } = await client.send({ method: "GET", path: `${jobs}/${id}` })
    for (const { completed_at } of (JSON.parse(text) as Record).status.benchmarks)
      if (completed_at !== undefined) ends.push(Date.parse(completed_at))
  }
  ends.sort((a, b) => a - b)
  const slice = Math.min(size, Math.floor(total / 2))
  const first = (ends[slice - 1] ?? 0) - (ends[0] ?? 0)
  const last = (ends.at(-1) ?? 0) - (ends.at(-slice) ?? 0)
  return atMost(
    "P9",
    `${shown(total)} queued local benchmarks: last ${shown(slice)} against first ${shown(slice)}`,
    last / first,
    "x",
    1.2,
    {
      beside: `${(first / slice).toFixed(1)} ms each at first`
    }
  )
}

export const localUnits = async (queued: number): Promise<ReadonlyArray<Measure>> => {
  const files = {
    "providers/noter.yaml": provider("noter", note),
    "providers/finisher.yaml": provider("finisher", finisher)
  }
  return withServer(
    { local: true, config: "log: {level: info}\n", files, database: await newDatabase("sqlite") },
    async (server) => {
      const client = makeClient(server.url, 8)
      const measures = [
        await launchLatency(client, join(workspace(), `evald-${process.getuid?.() ?? 0}`)),
        await queueCost(client, queued)
      ]
      client.close()
      return measures
    }
  )
}
