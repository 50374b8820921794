/**
 * Three server processes on one PostgreSQL, stopped, continued and killed at random while jobs come in. Every benchmark is launched
 * once; what a killed server ran fails and is never launched again; nothing that was accepted is lost.
 */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import { Effect } from "effect"
import { afterAll, assert, beforeAll, it } from "vitest"
import type { BenchmarkState } from "../../../domain/job/job.ts"
import { aggregate, countsOf } from "../../../domain/job/job-state.ts"
import { checkDatabase } from "../../../infrastructure/sql/connection/check.ts"
import * as OpenDatabase from "../../../infrastructure/sql/connection/open.ts"
import { type Running, until } from "../../support/evald-process.ts"
import { configOf, freshSchema } from "../../support/postgres.ts"
import {
  isOver,
  livingUnits,
  type RecordingSetup,
  recordingServers,
  type ServedJob
} from "../../support/recording-servers.ts"
import { seedOf } from "../../support/seed.ts"
import { type Dice, seededDice } from "../../support/seeded-dice.ts"

const chaosMillis = 42_000
/** longer than a lease, so that what the server had claimed goes to others while it is away */
const longPauseMillis = 34_000
const seed = seedOf(process.env)

let folder = ""
let databaseUrl = ""
let setup: RecordingSetup
const members: Array<Member> = []
/** ports of servers that were killed: what ran there may be lost */
const killedPorts = new Set<string>()

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "evald-fleet-"))
  databaseUrl = await Effect.runPromise(freshSchema)
  setup = recordingServers(folder, "pgx")
})
afterAll(async () => {
  for (const member of members) await member.end("SIGKILL")
  rmSync(folder, { recursive: true, force: true })
})

/** one of the servers: the same place in the fleet, again and again another process */
class Member {
  running: Running | undefined
  isPaused = false
  readonly #signal = (signal: NodeJS.Signals) => {
    if (this.running !== undefined) process.kill(this.running.pid, signal)
  }
  start = async () => {
    this.running = await setup.start(databaseUrl)
    this.isPaused = false
  }
  stopFor = async (millis: number) => {
    this.isPaused = true
    this.#signal("SIGSTOP")
    await pause(millis)
    this.#signal("SIGCONT")
    this.isPaused = false
  }
  killAndRestart = async (awayMillis: number) => {
    if (this.running === undefined) return
    killedPorts.add(new URL(this.running.url).port)
    const { stop } = this.running
    this.running = undefined
    await stop("SIGKILL")
    await pause(awayMillis)
    await this.start()
  }
  end = async (signal: NodeJS.Signals) => {
    if (this.isPaused) this.#signal("SIGCONT")
    return this.running?.stop(signal)
  }
}

let turns = 0

/** asks one server after the other, as a client behind a load balancer does, until one answers below 500 */
const ask = async (
  method: string,
  path: string,
  body?: unknown,
  headers: Readonly<Record<string, string>> = {}
): Promise<Response> => {
  for (let turn = turns++; ; turn++) {
    const url = members[turn % members.length]?.running?.url
    const answer =
      url === undefined
        ? undefined
        : await fetch(`${url}/api/v1/evaluations/jobs${path}`, {
            method,
            headers: { ...(body === undefined ? {} : { "content-type": "application/json" }), ...headers },
            ...(body === undefined ? {} : { body: JSON.stringify(body) }),
            signal: AbortSignal.timeout(2000)
          }).catch(() => undefined)
    if (answer !== undefined && answer.status < 500) return answer
    if (answer !== undefined) assert.strictEqual(answer.status, 503, await answer.text())
    await pause(50)
  }
}

const outcomes = ["completed", "completed", "completed", "failed", "silent", "spooled"] as const

const benchmarkOf = (dice: Dice) => ({
  id: "b",
  provider_id: "recorder",
  parameters: { hold_millis: dice.between(0, 2500), outcome: dice.oneOf(outcomes), accuracy: dice.between(1, 99) / 100 }
})

const submit = async (name: string, dice: Dice): Promise<string> => {
  const body = {
    name,
    model: { url: "http://127.0.0.1:9/v1", name: "none" },
    benchmarks: Array.from({ length: dice.between(1, 5) }, () => benchmarkOf(dice))
  }
  // the same key on every try: an answer that got lost must not become a second job
  const answer = await ask("POST", "", body, { "idempotency-key": `fleet-${name}` })
  assert.strictEqual(answer.status, 202, await answer.clone().text())
  return ((await answer.json()) as ServedJob).resource.id
}

const get = async (id: string): Promise<ServedJob> => (await (await ask("GET", `/${id}`)).json()) as ServedJob

/** stops, continues and kills one server until the time is over */
const disturb = async (member: Member, dice: Dice, end: number) => {
  while (performance.now() < end) {
    await pause(dice.between(500, 3000))
    if (dice.between(0, 2) === 0) await member.killAndRestart(dice.between(0, 1500))
    else await member.stopFor(dice.between(100, 5000))
  }
}

const verdictOn = (job: ServedJob, index: number, cancelled: boolean) => {
  const { status, error_message } = job.status.benchmarks[index] ?? { status: "absent" }
  const unit = `${job.resource.id}/${index}`
  const launches = setup.records("launches").filter(([one]) => one === unit)
  const isLost = status === "failed" && error_message?.message_code === "runtime_object_lost"
  assert.isAtMost(launches.length, 1, `${unit} was launched ${launches.length} times`)
  if (launches.length === 0)
    assert.isTrue(isLost || (cancelled && status === "cancelled"), `${unit} was never launched and is ${status}`)
  if (isLost)
    for (const [, port] of launches)
      assert.isTrue(killedPorts.has(port), `${unit} is lost, and its server ${port} was never killed`)
  const accepted = setup.records("acknowledged").filter(([one, word]) => one === unit && word !== "running")
  for (const [, word] of accepted) assert.strictEqual(status, word, `${unit} reported ${word}, which was accepted`)
  const codes = ["runtime_object_lost", "adapter_exited_without_result", "no_samples_scored"]
  if (status === "failed") assert.include(codes, error_message?.message_code, unit)
}

it("three servers that are stopped and killed at random launch everything once and lose nothing that was accepted", async () => {
  const dice = seededDice(seed)
  members.push(new Member(), new Member(), new Member())
  await Promise.all(members.map((member) => member.start()))
  const begin = performance.now()
  const disturbances = members.map(async (member, place) => {
    const own = dice.split()
    if (place === 0) {
      await pause(1500)
      await member.stopFor(longPauseMillis)
    }
    await disturb(member, own, begin + chaosMillis)
  })
  const ids: Array<string> = []
  const cancelled = new Set<string>()
  const client = async (number: number, own: Dice) => {
    for (let round = 0; performance.now() < begin + chaosMillis - 8000; round++) {
      const id = await submit(`${number}-${round}`, own)
      ids.push(id)
      if (own.between(0, 7) === 0) {
        await pause(own.between(0, 1500))
        const answer = await ask("DELETE", `/${id}`)
        assert.include([204, 409], answer.status)
        if (answer.status === 204) cancelled.add(id)
      }
      await pause(own.between(0, 1500))
    }
  }
  await Promise.all([...disturbances, ...[0, 1, 2].map((number) => client(number, dice.split()))])
  const jobs: Array<ServedJob> = []
  for (const id of ids) jobs.push(await until(() => get(id), isOver, 75_000))

  // few on a busy machine; none of either would show nothing
  assert.isAbove(ids.length, 4)
  assert.isAbove(killedPorts.size, 0)
  const { total_count: total } = (await (await ask("GET", "?limit=1")).json()) as { readonly total_count: number }
  assert.strictEqual(total, ids.length)
  for (const job of jobs) {
    const { benchmarks, state } = job.status
    assert.strictEqual(
      state,
      aggregate(countsOf(benchmarks.map(({ status }) => ({ state: status as BenchmarkState }))))
    )
    if (cancelled.has(job.resource.id)) assert.strictEqual(state, "cancelled")
    for (const { benchmark_index: index } of benchmarks) verdictOn(job, index, cancelled.has(job.resource.id))
    const values = benchmarks.flatMap(({ status, benchmark_index: index }) => {
      const { accuracy } = job.results.benchmarks.find((one) => one.benchmark_index === index)?.metrics ?? {}
      return status === "completed" && accuracy !== undefined ? [accuracy] : []
    })
    if (values.length > 0)
      assert.closeTo(
        job.results.test?.score ?? Number.NaN,
        values.reduce((sum, value) => sum + value, 0) / values.length,
        1e-9
      )
    assert.closeTo(job.results.test?.coverage ?? 0, values.length / benchmarks.length, 1e-9)
  }
  const states = jobs.flatMap(({ status }) => status.benchmarks.map((benchmark) => benchmark.status))
  assert.isAbove(states.filter((state) => state === "completed").length, 0)
  for (const member of members) assert.strictEqual(await member.end("SIGTERM"), 0)
  await until(
    async () => livingUnits(new Set(ids)),
    (count) => count === 0
  )
  assert.deepStrictEqual(
    await Effect.runPromise(Effect.provide(checkDatabase, OpenDatabase.layer(configOf(databaseUrl)))),
    []
  )
}, 200_000)
