/**
 * P14 the server in local mode as adapters use it, with units starting beside the requests and sharing its core, as they do where one
 * core is all there is; P15 its memory after a mixed load.
 */
import { type BenchServer, withServer } from "./bench-server.ts"
import { newDatabase } from "./databases.ts"
import { jobsPath } from "./job-bodies.ts"
import { type Call, type Client, closedLoop, makeClient, openLoop, wait } from "./load.ts"
import { finisher, provider } from "./local-units.ts"
import { atLeast, atMost, type Measure, shown } from "./measure.ts"
import { atMostLoad } from "./reads-and-writes.ts"

const files = {
  "providers/finisher.yaml": provider("finisher", finisher),
  // a benchmark that is at work for a while
  "providers/lasting.yaml": provider("lasting", "sleep 2")
}

const config = "log: {level: info}\n"

const submission = (providerId: string, benchmarks: number, name = providerId): Call => ({
  method: "POST",
  path: jobsPath,
  body: JSON.stringify({
    name,
    tags: ["bench"],
    model: { url: "http://127.0.0.1:9", name: "m" },
    benchmarks: Array.from({ length: benchmarks }, (_, index) => ({
      id: "b",
      provider_id: providerId,
      parameters: { num_examples: 10 + index }
    }))
  })
})

const submit = async (client: Client, call: Call): Promise<string> => {
  const { status, text } = await client.send(call)
  if (status !== 202) throw new Error(`POST ${jobsPath}: ${status} ${text}`)
  return (JSON.parse(text) as { readonly resource: { readonly id: string } }).resource.id
}

const metricNames = [
  "acc",
  "exact_match",
  "f1",
  "precision",
  "recall",
  "error_rate",
  "latency_p50",
  "latency_p99",
  "tokens_per_second",
  "refusal_rate"
]

/** what an adapter says in its life: it runs, what it does, and ten metrics with their description */
const saying = [
  { status: "running" },
  { status: "running", phase: "running_evaluation", completed_steps: 5, total_steps: 100, message: "sample 5 of 100" },
  {
    status: "completed",
    metrics: Object.fromEntries(metricNames.map((name, at) => [name, 0.5 + at / 100])),
    metrics_schema: metricNames.map((name) => ({ name, type: "numeric", unit: "ratio", n: 100, stderr: 0.05 })),
    completed_at: "2030-01-01T00:00:00.000Z"
  }
] as const

const benchmarksEach = 3

const eventOf = (providerId: string, jobId: string, index: number, step: number, serial: number): Call => ({
  method: "POST",
  path: `${jobsPath}/${jobId}/events`,
  body: JSON.stringify({
    benchmark_status_event: {
      provider_id: providerId,
      id: "b",
      benchmark_index: index,
      ...saying[step % saying.length],
      event_id: `event-${serial}`
    }
  })
})

/** all events of many jobs: the callers are at different jobs, and each benchmark's events come in order */
const eventsOf = (providerId: string, jobs: ReadonlyArray<string>) => (n: number) => {
  const job = n % jobs.length
  const at = Math.floor(n / jobs.length)
  return eventOf(providerId, jobs[job] ?? "", at % benchmarksEach, Math.floor(at / benchmarksEach), n)
}

const inFlight = 64

/** jobs enough for `seconds` of events at any speed to be expected */
const makeJobs = async (client: Client, seconds: number): Promise<ReadonlyArray<string>> => {
  const jobs: Array<string> = []
  const count = Math.ceil((seconds * 6000) / (benchmarksEach * saying.length))
  while (jobs.length < count)
    jobs.push(
      ...(await Promise.all(
        Array.from({ length: Math.min(16, count - jobs.length) }, () =>
          submit(client, submission("lasting", benchmarksEach))
        )
      ))
    )
  return jobs
}

const events = async (server: BenchServer, client: Client, seconds: number): Promise<Measure> => {
  const [warm, measured] = [await makeJobs(client, 1), await makeJobs(client, seconds)]
  await closedLoop(client, inFlight, 1, eventsOf("lasting", warm))
  const { perSecond, micros } = await atMostLoad(server, client, inFlight, seconds, eventsOf("lasting", measured))
  const beside = `${Math.round(micros)} µs of processor each`
  return atLeast("P14", "status events as adapters send them, local mode, five units running", perSecond, "/s", 3000, {
    database: "SQLite file",
    beside
  })
}

const submissions = async (_server: BenchServer, client: Client, seconds: number): Promise<Measure> => {
  const next = () => submission("finisher", 10)
  await openLoop(client, 100, 2, next)
  const { p50, p99, failures } = await openLoop(client, 100, 2 * seconds, next)
  if (failures > 0) throw new Error(`${failures} submissions were refused`)
  return atMost("P14", "POST job with 10 benchmarks at 100/s while units start and end, p99", p99, "ms", 25, {
    database: "SQLite file",
    beside: `p50 ${shown(p50)} ms; units share the server's core`
  })
}

/** each on a server of its own: what one leaves in the queue is no load of the other */
export const asAdaptersSend = async (seconds: number): Promise<ReadonlyArray<Measure>> => {
  const measures: Array<Measure> = []
  for (const part of [events, submissions]) {
    const database = await newDatabase("sqlite")
    measures.push(
      await withServer({ local: true, config, files, database }, async (server) => {
        const client = makeClient(server.url, inFlight)
        const measure = await part(server, client, seconds)
        client.close()
        return measure
      })
    )
  }
  return measures
}

/** requests of a mixed load: of ten, four read a job, three are events, two list, one submits */
const mixed =
  (jobs: ReadonlyArray<string>) =>
  (n: number): Call => {
    const job = jobs[(n * 7) % jobs.length] ?? ""
    const place = n % 10
    if (place === 0) return submission("finisher", 3, `mixed ${n}`)
    if (place <= 2)
      return { method: "GET", path: `${jobsPath}?limit=50${place === 1 ? "" : `&status=completed&offset=${n % 200}`}` }
    if (place <= 5) return eventOf("lasting", job, n % benchmarksEach, 1, n)
    return { method: "GET", path: `${jobsPath}/${job}` }
  }

/** an event of a benchmark that has ended meanwhile is refused, as it should be */
const answered = (status: number) => (status >= 200 && status < 300) || status === 409

/** memory over a mixed load of 300 requests a second; twenty times `seconds`, so that a run of an hour is `--seconds 180` */
export const afterMixedLoad = async (seconds: number): Promise<ReadonlyArray<Measure>> => {
  const database = await newDatabase("sqlite")
  return withServer({ local: true, config, files, database }, async (server) => {
    const client = makeClient(server.url, 32)
    const jobs = await makeJobs(client, 0.5)
    const curve: Array<number> = []
    let failures = 0
    for (let part = 0; part < 4; part++) {
      failures += (await openLoop(client, 300, 5 * seconds, mixed(jobs), answered)).failures
      curve.push(server.rssBytes() / 1e6)
    }
    await wait(2000)
    client.close()
    if (failures > 0) throw new Error(`${failures} calls of the mixed load failed`)
    const beside = `after each quarter ${curve.map(shown).join(", ")} MB`
    return [
      atMost("P15", `memory (RSS) after ${shown(20 * seconds)} s of mixed load`, server.rssBytes() / 1e6, "MB", 200, {
        database: "SQLite file",
        beside
      })
    ]
  })
}
