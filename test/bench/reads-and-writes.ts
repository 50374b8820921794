/** P3 reads of one job, P4 submissions with full durability, P6 status events. */
import { startBareServer } from "./bare-server.ts"
import { type BenchProcess, withServer } from "./bench-server.ts"
import { type BenchDatabase, type Kind, newDatabase } from "./databases.ts"
import { eventOf, jobsPath, proxyConfig, proxyHeaders, submission, submit } from "./job-bodies.ts"
import { type Call, type Client, closedLoop, type Figures, inTurn, makeClient, openLoop } from "./load.ts"
import { atLeast, atMost, type Measure, shown } from "./measure.ts"

/** with the processor time of the server per call, which other load on the machine does not change */
export const atMostLoad = async (
  server: BenchProcess,
  client: Client,
  connections: number,
  seconds: number,
  next: (n: number) => Call
) => {
  const before = server.processorSeconds()
  const start = performance.now()
  const figures = await closedLoop(client, connections, seconds, next)
  const calls = (figures.perSecond * (performance.now() - start)) / 1000
  if (figures.failures > 0)
    throw new Error(`${next(0).method} ${next(0).path}: ${figures.failures} of ${Math.round(calls)} calls failed`)
  return { ...figures, micros: ((server.processorSeconds() - before) * 1e6) / calls }
}

export const ofBare = async (
  body: string,
  call: Call,
  connections: number,
  seconds: number
): Promise<Figures & { readonly micros: number }> => {
  const bare = await startBareServer(body)
  const client = makeClient(bare.url, connections)
  await closedLoop(client, connections, 1, () => call)
  const figures = await atMostLoad(bare, client, connections, seconds, () => call)
  client.close()
  await bare.stop()
  return figures
}

const micros = (value: number) => `${Math.round(value)} µs of processor each`

const mostReads: { readonly [K in Kind]: number } = { sqlite: 7000, postgres: 3500 }

const reads = async (
  server: BenchProcess,
  client: Client,
  { kind, label }: BenchDatabase,
  seconds: number
): Promise<ReadonlyArray<Measure>> => {
  const id = await submit(client, { name: "read me", benchmarks: 10 })
  const call: Call = { method: "GET", path: `${jobsPath}/${id}`, headers: proxyHeaders }
  const body = (await client.send(call)).text
  await closedLoop(client, 32, 2, () => call)
  const steady = await openLoop(client, 500, seconds, () => call)
  const most = await atMostLoad(server, client, 32, seconds, () => call)
  const bare = await ofBare(body, call, 32, seconds)
  const beside = `${micros(most.micros)}; bare node:http with the same bytes ${shown(bare.perSecond)} req/s, ${Math.round(bare.micros)} µs`
  return [
    atMost("P3", "GET one job (10 benchmarks), p99 at 500/s", steady.p99, "ms", 5, { database: label }),
    atLeast("P3", "GET one job, most, server on one core", most.perSecond, "req/s", mostReads[kind], {
      database: label,
      beside
    })
  ]
}

const writes = async (
  server: BenchProcess,
  client: Client,
  { label: database }: BenchDatabase,
  seconds: number
): Promise<ReadonlyArray<Measure>> => {
  const post = (benchmarks: number) => (n: number) => submission({ name: `job ${n}`, benchmarks })
  await closedLoop(client, 32, 2, post(10))
  const steady = await openLoop(client, 100, seconds, post(10))
  const most = await atMostLoad(server, client, 32, seconds, post(10))
  const large = await inTurn(client, 100, post(100))
  return [
    atMost("P4", "POST job with 10 benchmarks, durable, p99 at 100/s", steady.p99, "ms", 25, { database }),
    atLeast("P4", "the same, most", most.perSecond, "req/s", 600, { database, beside: micros(most.micros) }),
    atMost("P4", "POST job with 100 benchmarks, one after the other, p50", large.p50, "ms", 15, { database })
  ]
}

const mostEvents: { readonly [K in Kind]: number } = { sqlite: 3500, postgres: 2000 }

const events = async (
  server: BenchProcess,
  client: Client,
  { kind, label }: BenchDatabase,
  seconds: number
): Promise<ReadonlyArray<Measure>> => {
  const many = await Promise.all(
    Array.from({ length: 200 }, (_, n) => submit(client, { name: `events ${n}`, benchmarks: 10 }))
  )
  const large = await submit(client, { name: "large", benchmarks: 1000 })
  const spread = (n: number) => eventOf(many[n % many.length] ?? "", Math.floor(n / many.length) % 10, "running", n)
  const single = (n: number) => eventOf(large, n % 1000, "running", n)
  await closedLoop(client, 64, 2, spread)
  // interleaved, so that a busy moment of the machine meets both
  const rounds: Array<readonly [Figures & { readonly micros: number }, Figures]> = []
  for (let round = 0; round < 3; round++) {
    rounds.push([
      await atMostLoad(server, client, 64, seconds / 2, spread),
      await atMostLoad(server, client, 64, seconds / 2, single)
    ])
  }
  const mean = (pick: (round: (typeof rounds)[number]) => number) =>
    rounds.reduce((sum, round) => sum + pick(round), 0) / rounds.length
  const [first, second] = [mean(([many]) => many.perSecond), mean(([, one]) => one.perSecond)]
  return [
    atLeast("P6", "status events, durable, 200 jobs", first, "/s", mostEvents[kind], {
      database: label,
      beside: micros(mean(([many]) => many.micros))
    }),
    atLeast("P6", "the same, all in one job of 1,000 benchmarks, share of the first", (100 * second) / first, "%", 80, {
      database: label
    })
  ]
}

const parts = { P3: reads, P4: writes, P6: events }

export const readsAndWrites = async (
  kind: Kind,
  seconds: number,
  wanted: (id: string) => boolean
): Promise<ReadonlyArray<Measure>> => {
  const database = await newDatabase(kind)
  return withServer({ local: false, config: proxyConfig, database }, async (server) => {
    const client = makeClient(server.url, 64)
    const measures: Array<Measure> = []
    for (const [id, part] of Object.entries(parts))
      if (wanted(id)) measures.push(...(await part(server, client, database, seconds)))
    client.close()
    return measures
  })
}
