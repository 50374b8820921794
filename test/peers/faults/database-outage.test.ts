/**
 * On PostgreSQL: the database is stopped for 30 s, killed, swallowed by the network, read-only and full, each under a real server with
 * running adapters. Refusals are 503 with Retry-After, nothing acknowledged is lost, and nobody restarts the server.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import { PgClient } from "@effect/sql-pg"
import { Effect, Redacted, Schedule } from "effect"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { checkDatabase } from "../../../infrastructure/sql/connection/check.ts"
import * as OpenDatabase from "../../../infrastructure/sql/connection/open.ts"
import { listen, type Running, until } from "../../support/evald-process.ts"
import { type OwnPostgres, ownPostgres } from "../../support/own-postgres.ts"
import { configOf } from "../../support/postgres.ts"
import { isOver, type RecordingSetup, recordingServers, type ServedJob } from "../../support/recording-servers.ts"
import { type TcpGate, tcpGate } from "../../support/tcp-gate.ts"

let folder = ""
let postgres: OwnPostgres
let gate: TcpGate
let setup: RecordingSetup
let server: Running
let model: Running

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "evald-outage-"))
  postgres = await ownPostgres(true)
  gate = await tcpGate(postgres.port)
  setup = recordingServers(folder, "pgx", "database.statement_timeout_seconds: 5\n")
  writeFileSync(join(setup.configDir, "providers", "evald.yaml"), readFileSync("config/providers/evald.yaml", "utf8"))
  model = await listen(["demo-model", "--port", "0", "--ttft-ms", "400"])
  const url = new URL(postgres.url)
  url.port = String(gate.port)
  server = await setup.start(url.href)
})
afterAll(async () => {
  for (const one of [server, model]) await one?.stop("SIGKILL")
  await gate?.close()
  await postgres?.remove()
  rmSync(folder, { recursive: true, force: true })
})

const jobsUrl = () => `${server.url}/api/v1/evaluations/jobs`

interface Answered {
  readonly status: number
  readonly seconds: number
  readonly body: { readonly message_code?: string; readonly resource?: { readonly id: string } }
}

const timed = async (method: string, url: string, body?: unknown): Promise<Answered> => {
  const begin = performance.now()
  const answer = await fetch(url, {
    method,
    ...(body === undefined ? {} : { headers: { "content-type": "application/json" }, body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(60_000)
  })
  const parsed = (await answer.json()) as Answered["body"]
  if (answer.status >= 500) assert.match(answer.headers.get("retry-after") ?? "", /^\d+$/)
  return { status: answer.status, seconds: (performance.now() - begin) / 1000, body: parsed }
}

const recorded = (name: string, holdMillis: number) => ({
  name,
  model: { url: "http://127.0.0.1:9/v1", name: "none" },
  benchmarks: [{ id: "b", provider_id: "recorder", parameters: { hold_millis: holdMillis } }]
})

/** an evaluation with the real SDK, which takes longer than the outage begins after */
const evaluated = (seconds: number) => ({
  name: "evaluated",
  model: { url: model.url, name: "evald-demo" },
  benchmarks: [
    {
      id: "arith_basic",
      provider_id: "evald",
      parameters: { num_examples: Math.ceil(seconds / 0.4), num_concurrent: 1 }
    }
  ]
})

const submitted = async (body: unknown): Promise<string> => {
  const answer = await timed("POST", jobsUrl(), body)
  assert.strictEqual(answer.status, 202, JSON.stringify(answer.body))
  return answer.body.resource?.id ?? ""
}

const get = async (id: string): Promise<ServedJob> => (await (await fetch(`${jobsUrl()}/${id}`)).json()) as ServedJob

const running = (id: string) =>
  until(
    () => get(id),
    ({ status }) => status.benchmarks.every((benchmark) => benchmark.status === "running")
  )

/** writes, reads and looks at the server again and again for as long as `away` takes; answers what was acknowledged */
const during = async (away: () => Promise<unknown>, slowest: number): Promise<ReadonlyArray<string>> => {
  const acknowledged: Array<string> = []
  const refused: Array<string> = []
  let over = false
  const lane = async (act: () => Promise<void>) => {
    while (!over) {
      await act()
      await pause(200)
    }
  }
  const outcome = ({ status, seconds, body }: Answered) => {
    assert.isBelow(seconds, slowest, "an answer came late")
    if (status < 500) return true
    assert.deepStrictEqual([status, body.message_code], [503, "database_unavailable"])
    refused.push(body.message_code ?? "")
    return false
  }
  const writer = (number: number) => async () => {
    const answer = await timed("POST", jobsUrl(), recorded(`during ${number}`, 100))
    if (outcome(answer)) acknowledged.push(answer.body.resource?.id ?? "")
  }
  const reader = async () => {
    outcome(await timed("GET", `${jobsUrl()}?limit=1`))
  }
  const service = async () => {
    const health = await timed("GET", `${server.url}/api/v1/health`)
    assert.deepStrictEqual([health.status, health.seconds < 5], [200, true])
    const ready = await timed("GET", `${server.url}/api/v1/health/ready`)
    assert.isBelow(ready.seconds, 8)
    assert.include([200, 503], ready.status)
    const begin = performance.now()
    assert.strictEqual((await fetch(`${server.url}/metrics`)).status, 200)
    assert.isBelow(performance.now() - begin, 8000)
  }
  const lanes = [...[1, 2, 3].map(writer), reader, service].map(lane)
  await away()
  over = true
  await Promise.all(lanes)
  assert.isAbove(refused.length, 0, "the outage was not noticed")
  return acknowledged
}

/** a client of the change stream as browsers are: comes back after every end, with the last id that it heard of */
const watcher = () => {
  const seen = new Set<string>()
  const over = new AbortController()
  let last = ""
  const follow = async () => {
    const answer = await fetch(`${jobsUrl()}?watch=true`, {
      headers: last === "" ? {} : { "last-event-id": last },
      signal: over.signal
    })
    if (answer.status !== 200 || answer.body === null) throw new Error(`${answer.status}`)
    let text = ""
    for await (const piece of answer.body.pipeThrough(new TextDecoderStream())) {
      text += piece
      const events = text.split("\n\n")
      text = events.pop() ?? ""
      for (const event of events) {
        last = /^id: (\d+)/m.exec(event)?.[1] ?? last
        const data = /^data: (.*)$/m.exec(event)?.[1]
        if (data !== undefined) seen.add((JSON.parse(data) as ServedJob).resource.id)
      }
    }
  }
  const lane = async () => {
    while (!over.signal.aborted) {
      await follow().catch(() => undefined)
      await pause(300)
    }
  }
  const ended = lane()
  return {
    seen,
    close: async () => {
      over.abort()
      await ended
    }
  }
}

const works = () =>
  until(
    async () => (await timed("GET", `${jobsUrl()}?limit=1`)).status,
    (status) => status === 200,
    20_000
  )

/** everything acknowledged is there and ends, launched once, with what its adapter reported */
const allComplete = async (ids: ReadonlyArray<string>) => {
  for (const id of ids) {
    const job = await until(() => get(id), isOver, 60_000)
    assert.strictEqual(job.status.state, "completed", JSON.stringify(job.status))
  }
  const launches = setup.records("launches").map(([unit]) => unit)
  assert.strictEqual(new Set(launches).size, launches.length, "something was launched twice")
}

/** as an administrator: also while everybody else may only read */
const sql = (text: string) => {
  const url = new URL(postgres.url)
  url.searchParams.set("options", "-c default_transaction_read_only=off")
  return Effect.runPromise(
    Effect.flatMap(PgClient.PgClient, (client) => client.unsafe(text)).pipe(
      // a change of a table may be chosen to end a deadlock with the server's writes
      Effect.retry({ times: 20, schedule: Schedule.spaced("100 millis") }),
      Effect.provide(PgClient.layer({ url: Redacted.make(url.href), maxConnections: 1 }))
    )
  )
}

describe("a server whose PostgreSQL", () => {
  it("is stopped for 30 s goes on where it was: events of adapters that ran meanwhile arrive", async () => {
    const watching = watcher()
    const before = [await submitted(recorded("runs over it", 15_000)), await submitted(evaluated(12))]
    for (const id of before) await running(id)
    await until(
      async () => watching.seen.has(before[0] ?? ""),
      (heard) => heard
    )
    const acknowledged = await during(async () => {
      await postgres.stop()
      await pause(30_000)
      await postgres.start()
    }, 20)
    await works()
    const after = await submitted(recorded("after it", 0))
    await allComplete([...before, ...acknowledged, after])
    await until(
      async () => [...before, ...acknowledged, after].filter((id) => !watching.seen.has(id)),
      (unheard) => unheard.length === 0
    )
    await watching.close()
  }, 150_000)

  it("is swallowed by the network answers within bounded time, and recovers", async () => {
    const before = [await submitted(recorded("runs over it", 6000))]
    for (const id of before) await running(id)
    const acknowledged = await during(async () => {
      gate.swallow()
      await pause(18_000)
      await gate.pass()
    }, 30)
    await works()
    await allComplete([...before, ...acknowledged])
  }, 150_000)

  it("is killed loses nothing that was acknowledged", async () => {
    const acknowledged = await during(async () => {
      await pause(1500)
      await postgres.kill()
      await pause(1000)
      await postgres.start()
      await pause(1500)
    }, 20)
    await works()
    assert.isAbove(acknowledged.length, 0)
    await allComplete(acknowledged)
  }, 90_000)

  it("is read-only refuses writes, serves what is there, and writes again when it may", async () => {
    const before = await submitted(recorded("runs over it", 1500))
    await running(before)
    await sql("ALTER SYSTEM SET default_transaction_read_only = on")
    await sql("SELECT pg_reload_conf()")
    await until(
      async () => (await timed("POST", jobsUrl(), recorded("refused", 0))).body.message_code,
      (code) => code === "database_unavailable"
    )
    assert.strictEqual((await timed("GET", `${jobsUrl()}/${before}`)).status, 200)
    await pause(2500)
    assert.strictEqual((await get(before)).status.state, "running")
    await sql("ALTER SYSTEM RESET default_transaction_read_only")
    await sql("SELECT pg_reload_conf()")
    await until(
      async () => (await timed("POST", jobsUrl(), recorded("taken", 0))).status,
      (status) => status === 202
    )
    await allComplete([before])
  }, 60_000)

  it("has no room left refuses writes, and writes again when it has", async () => {
    const before = await submitted(recorded("runs over it", 1500))
    await running(before)
    // the error of a full disk, from the place where it comes from
    await sql(`CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = '53100'; END $$`)
    for (const table of ["jobs", "job_benchmarks", "changes"]) {
      await sql(
        `CREATE TRIGGER full_disk BEFORE INSERT OR UPDATE ON ${table} FOR EACH STATEMENT EXECUTE FUNCTION full_disk()`
      )
    }
    const refused = await timed("POST", jobsUrl(), recorded("refused", 0))
    assert.deepStrictEqual([refused.status, refused.body.message_code], [503, "database_unavailable"])
    assert.strictEqual((await timed("GET", `${jobsUrl()}/${before}`)).status, 200)
    await pause(2500)
    await sql("DROP FUNCTION full_disk CASCADE")
    await allComplete([before, await submitted(recorded("taken", 0))])
  }, 60_000)

  it("has seen all this is sound, and the server ends in order", async () => {
    assert.strictEqual(await server.stop("SIGTERM"), 0)
    assert.deepStrictEqual(
      await Effect.runPromise(Effect.provide(checkDatabase, OpenDatabase.layer(configOf(postgres.url)))),
      []
    )
  })
})
