/**
 * A database as a year of use leaves it: one tenant with 100,000 jobs of ten benchmarks. A few jobs are made through the API, one per
 * state; the others are copies of their rows with ids, times, names and tags of their own, made by the database itself.
 */
import { Effect, Redacted } from "effect"
import type { Database } from "../../infrastructure/sql/connection/client.ts"
import { open } from "../../infrastructure/sql/connection/open.ts"
import { tuples } from "../../infrastructure/sql/connection/session.ts"
import { insertedColumns as jobColumns, nameKey } from "../../infrastructure/sql/rows/job-row.ts"
import { withServer } from "./bench-server.ts"
import type { BenchDatabase } from "./databases.ts"
import { eventOf, jobsPath, proxyConfig, proxyHeaders, submit } from "./job-bodies.ts"
import { type Client, makeClient } from "./load.ts"

export const manyJobs = 100_000
const benchmarksEach = 10

const [nameMark, tagMark] = ["name-of-the-pattern", "tag-of-the-pattern"]

/** share of the jobs in percent, by the state they are in */
const shares = { completed: 80, failed: 8, cancelled: 4, running: 4, pending: 4 } as const
type State = keyof typeof shares

const call = async (client: Client, request: Parameters<Client["send"]>[0]): Promise<void> => {
  const { status, text } = await client.send(request)
  if (status >= 300) throw new Error(`${request.method} ${request.path}: ${status} ${text}`)
}

const inState = async (client: Client, state: State): Promise<string> => {
  const id = await submit(client, { name: nameMark, benchmarks: benchmarksEach, tags: [tagMark, "common"] })
  if (state === "cancelled") await call(client, { method: "DELETE", path: `${jobsPath}/${id}`, headers: proxyHeaders })
  else if (state !== "pending") {
    const indices = state === "running" ? [0, 1, 2] : Array.from({ length: benchmarksEach }, (_, index) => index)
    for (const index of indices) await call(client, eventOf(id, index, state))
  }
  return id
}

/** ids of one job in each state */
const patterns = (database: BenchDatabase): Promise<ReadonlyArray<readonly [State, string]>> =>
  withServer({ local: false, config: proxyConfig, database }, async (server) => {
    const client = makeClient(server.url, 4)
    const made: Array<readonly [State, string]> = []
    for (const state of Object.keys(shares) as ReadonlyArray<State>) made.push([state, await inState(client, state)])
    client.close()
    return made
  })

/** one job in a hundred, by its number */
const stateOf = (number: number): State => {
  let place = (number * 37) % 100
  for (const [state, share] of Object.entries(shares)) {
    if (place < share) return state as State
    place -= share
  }
  return "completed"
}

/** when the first of them was created; the next ones follow five minutes apart */
const firstCreated = Date.parse("2025-01-01T00:00:00.000Z")

export const jobName = (number: number): string => `nightly run ${number} of model ${number % 97}`

const copyOf = (number: number, pattern: ReadonlyMap<State, string>): ReadonlyArray<string> => [
  pattern.get(stateOf(number)) ?? "",
  `${number.toString(16).padStart(8, "0")}-0000-7000-8000-${number.toString(16).padStart(12, "0")}`,
  new Date(firstCreated + number * 300_000).toISOString(),
  jobName(number),
  nameKey(jobName(number)),
  number % 1000 === 0 ? "rare" : `team-${number % 20}`
]

const create = "CREATE TABLE bench_copies (pattern TEXT, id TEXT, created_at TEXT, name TEXT, name_key TEXT, tag TEXT)"

const own = new Set(["id", "created_at", "name", "name_key"])
const copied = jobColumns
  .split(", ")
  .map((column) => (own.has(column) ? `c.${column}` : column === "updated_at" ? "c.created_at" : `t.${column}`))
  .join(", ")
const marked = (column: string) => `replace(replace(${column}, '${nameMark}', c.name), '${tagMark}', c.tag)`
const joined = "bench_copies c JOIN jobs j ON j.id = c.id JOIN jobs t ON t.id = c.pattern"

const copies = (shards: number): ReadonlyArray<string> => [
  `INSERT INTO jobs (${jobColumns}) SELECT ${copied} FROM bench_copies c JOIN jobs t ON t.id = c.pattern`,
  `INSERT INTO job_requests (job_key, wire, data) SELECT j.key, ${marked("r.wire")}, ${marked("r.data")} FROM ${joined} JOIN job_requests r ON r.job_key = t.key`,
  `INSERT INTO job_benchmarks (job_key, idx, state, benchmark_id, provider_id, status, result, data, spec)
    SELECT j.key, b.idx, b.state, b.benchmark_id, b.provider_id, b.status, b.result, b.data, b.spec FROM ${joined} JOIN job_benchmarks b ON b.job_key = t.key`,
  `INSERT INTO job_labels (tenant, kind, value, created_at, id, job_key)
    SELECT l.tenant, l.kind, replace(l.value, '${tagMark}', c.tag), c.created_at, c.id, j.key
    FROM ${joined} JOIN job_labels l ON l.tenant = t.tenant AND l.created_at = t.created_at AND l.id = t.id`,
  "INSERT INTO changes (tenant, job_id, kind) SELECT j.tenant, j.id, 'created' FROM bench_copies c JOIN jobs j ON j.id = c.id",
  "DELETE FROM job_counts",
  `INSERT INTO job_counts (tenant, state, shard, jobs) SELECT tenant, state, key % ${shards}, count(*) FROM jobs GROUP BY tenant, state, key % ${shards}`,
  "DROP TABLE bench_copies"
]

const rowsAtOnce = 1000

const fill = (database: typeof Database.Service, pattern: ReadonlyMap<State, string>) =>
  Effect.gen(function* () {
    const statement = (text: string, params: ReadonlyArray<string> = []) =>
      database.write("bench", (session) => session.write(text, params))
    yield* statement(create)
    for (let number = 0; number < manyJobs; number += rowsAtOnce) {
      const rows = Array.from({ length: rowsAtOnce }, (_, at) => copyOf(number + at, pattern))
      yield* statement(`INSERT INTO bench_copies VALUES ${tuples(rows.length, 6)}`, rows.flat())
    }
    if (database.dialect === "pg") yield* database.read("bench", (session) => session.query("ANALYZE", []))
    for (const text of copies(database.dialect === "pg" ? 16 : 1)) yield* statement(text)
    // what autovacuum does in time
    if (database.dialect === "pg") yield* database.read("bench", (session) => session.query("VACUUM ANALYZE", []))
  })

/** fills an empty database */
export const loadManyJobs = async (database: BenchDatabase): Promise<void> => {
  const pattern = new Map(await patterns(database))
  const config = {
    driver: database.kind === "sqlite" ? "sqlite" : "pgx",
    url: Redacted.make(database.url),
    poolSize: 2,
    statementTimeoutMillis: 600_000
  } as const
  await Effect.runPromise(Effect.scoped(Effect.flatMap(open(config), (opened) => fill(opened, pattern))))
}
