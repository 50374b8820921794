/** P16 samples: some of 2 KiB, with `--million` a million, brought in calls of a thousand while a job reports progress, then filtered pages and single records. */
import { statSync } from "node:fs"
import { loadavg, setPriority } from "node:os"
import { setFlagsFromString } from "node:v8"
import { Worker } from "node:worker_threads"
import { Effect, Redacted } from "effect"
import { open } from "../../../infrastructure/sql/connection/open.ts"
import { type BenchServer, withServer } from "../bench-server.ts"
import { type BenchDatabase, type Kind, newDatabase } from "../databases.ts"
import { eventOf, jobsPath, proxyConfig, proxyHeaders, submit } from "../job-bodies.ts"
import { type Call, type Client, figuresOf, inTurn, makeClient, median, openLoop } from "../load.ts"
import { atMost, type Measure, shown } from "../measure.ts"
import { type Bringing, type Brought, benchmarkOf, benchmarks, lines } from "./sender.ts"

const diskBytes = async ({ kind, url }: BenchDatabase): Promise<number> => {
  if (kind === "sqlite") {
    const path = url.replace(/^file:/, "")
    return ["", "-wal"].reduce((sum, end) => sum + (statSync(`${path}${end}`, { throwIfNoEntry: false })?.size ?? 0), 0)
  }
  const asked = Effect.flatMap(
    open({ driver: "pgx", url: Redacted.make(url), poolSize: 1, statementTimeoutMillis: 60_000 }),
    (database) =>
      database.read("bench", (session) =>
        session.query<{ size: string }>("SELECT pg_database_size(current_database()) AS size", [])
      )
  )
  const [row] = await Effect.runPromise(Effect.scoped(asked))
  return Number(row?.size)
}

const progressPerSecond = 30
const wall: { readonly [K in Kind]: number } = { sqlite: 120, postgres: 200 }

const bring = async (
  server: BenchServer,
  jobId: string,
  count: number
): Promise<Brought & { readonly threadSeconds: number }> => {
  const before = server.threadSeconds()
  const brought = await new Promise<Brought>((resolve, reject) => {
    const workerData: Bringing = { url: server.url, jobId, count }
    new Worker(new URL("./samples/sender.mjs", import.meta.url), { workerData })
      .once("message", resolve)
      .once("error", reject)
  })
  return { ...brought, threadSeconds: server.threadSeconds() - before }
}

/**
 * What sends the events and times them shares the cores with what is measured, and its own waiting for a core is no latency of the server. On Linux a priority is of the
 * calling thread, and what starts later has it as well; who may not raise it measures that waiting too.
 */
const first = (priority: number): void => {
  try {
    setPriority(priority)
  } catch {
    process.stderr.write("no right to a priority: events may be sent late\n")
  }
}

/** thread seconds of one progress event while nothing else is asked */
const eventCost = async (server: BenchServer, client: Client, jobId: string): Promise<number> => {
  const rounds = 4
  const event = (at: number) => eventOf(jobId, at % 100, "running", at)
  await openLoop(client, progressPerSecond, 2, event)
  const before = server.threadSeconds()
  for (let round = 0; round < rounds; round++) await openLoop(client, progressPerSecond, 2, event)
  return (server.threadSeconds() - before) / (rounds * 2 * progressPerSecond)
}

const storing = async (
  server: BenchServer,
  database: BenchDatabase,
  jobId: string,
  count: number
): Promise<ReadonlyArray<Measure>> => {
  const { kind, label } = database
  const empty = await diskBytes(database)
  const reporting = makeClient(server.url, 8)
  const progress = await submit(reporting, { name: "progress", benchmarks: 100 })
  const cold = await eventCost(server, reporting, progress)
  // V8 collects in a thread that has little to do, for 15 ms at a time: what times the events would be late
  setFlagsFromString("--no-memory-reducer")
  const brought = bring(server, jobId, count)
  first(-10)
  let going = true
  let events = 0
  const latencies = (async () => {
    const all: Array<number> = []
    for (let n = 0; going; n++) {
      const round = openLoop(reporting, progressPerSecond, 2, (at) =>
        eventOf(progress, at % 100, "running", n * 100 + at)
      )
      all.push(...(await round).latencies)
      events += 2 * progressPerSecond
    }
    return all
  })()
  const { millis, threadSeconds, bytes } = await brought
  going = false
  const meanwhile = figuresOf(await latencies, 1, 0)
  first(0)
  // a server that has warmed up takes less for them
  const event = Math.min(cold, await eventCost(server, reporting, progress))
  reporting.close()
  const each = (1000 * millis.reduce((sum, one) => sum + one, 0)) / count
  const disk = (await diskBytes(database)) - empty
  const last = millis.slice(-Math.ceil(millis.length / 10))
  const beside = `last tenth ${shown((1000 * last.reduce((sum, one) => sum + one, 0)) / (last.length * lines))} µs; slowest call ${shown(Math.max(...millis))} ms`
  // what the events cost by themselves is not the samples'
  const seconds = Math.max(0, threadSeconds - events * event)
  const about = `${shown(count)} samples of ${shown(bytes / count)} bytes`
  return [
    atMost("P16", `${about}: thread time each`, (seconds * 1e6) / count, "µs", 60, {
      database: label,
      beside: `${shown((threadSeconds * 1e6) / count)} µs with ${progressPerSecond} events/s; load average ${shown(loadavg()[0] ?? 0)}`
    }),
    atMost("P16", "the same: wall time each", each, "µs", wall[kind], { database: label, beside }),
    atMost("P16", "the same: disk each", disk / count / 1024, "KiB", 1.3, { database: label }),
    atMost("P16", `${progressPerSecond} events/s meanwhile, p99`, meanwhile.p99, "ms", 20, {
      database: label,
      beside: `p50 ${shown(meanwhile.p50)} ms; ${shown(events)} events`
    })
  ]
}

const runs = 200
/** of 200 the 99th percentile is the second slowest, which one collection of garbage decides: it was anything from 4 to 12 ms of one server */
const recordRuns = 1000

const reading = async (
  client: Client,
  { label: database }: BenchDatabase,
  jobId: string,
  count: number
): Promise<ReadonlyArray<Measure>> => {
  const measures: Array<Measure> = []
  const page = (path: string): Call => ({ method: "GET", path: `${jobsPath}/${jobId}/${path}`, headers: proxyHeaders })
  const queries = [
    "samples?limit=100&verdict=incorrect",
    "samples?limit=100&verdict=incorrect&sort=-score",
    "samples?limit=100&finish_reason=length&sort=tokens",
    "samples?limit=100&flag=answer_repeated&sort=-latency_ms",
    "benchmarks/2/samples?limit=100&sort=-tokens",
    "samples?limit=100&verdict=correct&content=true"
  ]
  for (const query of queries) {
    let call = page(query)
    const first = await client.send(call)
    const { total_count } = JSON.parse(first.text) as { readonly total_count: number }
    if (first.status !== 200 || total_count === 0)
      throw new Error(`GET ${call.path}: ${first.status} ${first.text.slice(0, 200)}`)
    await inTurn(client, 10, () => call)
    // on and on, so that no page is read twice
    const steps: Array<number> = []
    for (let run = 0; run < runs; run++) {
      const begin = performance.now()
      const { text } = await client.send(call)
      steps.push(performance.now() - begin)
      const href = (
        JSON.parse(text.slice(0, 4000).replace(/,"items":.*$/s, "}")) as { readonly next?: { readonly href: string } }
      ).next?.href
      call = href === undefined ? page(query) : { ...call, path: href }
    }
    const p99 = steps.toSorted((a, b) => a - b)[Math.floor(0.99 * steps.length)] ?? Number.NaN
    const what = `100 out of ${shown(count)} samples, ${query.replace("limit=100&", "").replace(/^.*\?/, "")}, p99`
    measures.push(
      atMost("P16", what, p99, "ms", 50, {
        database,
        beside: `p50 ${shown(median(steps))} ms; ${shown(total_count)} match`
      })
    )
  }
  const single = (n: number) => {
    const index = (n * 7919 * 31) % count
    return page(`benchmarks/${benchmarkOf(index, count)}/samples/${encodeURIComponent(`mmlu_pro:1:${index}`)}`)
  }
  const { p50, p99, failures } = await inTurn(client, recordRuns, single)
  if (failures > 0) throw new Error(`${failures} records were not found`)
  measures.push(atMost("P16", "record of one sample, p99", p99, "ms", 10, { database, beside: `p50 ${shown(p50)} ms` }))
  return measures
}

export const samples = async (kind: Kind, count: number): Promise<ReadonlyArray<Measure>> => {
  const database = await newDatabase(kind)
  return withServer({ local: false, config: proxyConfig, database, cores: "all" }, async (server) => {
    const client = makeClient(server.url, 1)
    const jobId = await submit(client, { name: "samples", benchmarks })
    client.close()
    const stored = await storing(server, database, jobId, count)
    const reader = makeClient(server.url, 1)
    const read = await reading(reader, database, jobId, count)
    reader.close()
    return [...stored, ...read]
  })
}
