/**
 * The store alone, without HTTP: what lists, reads, submissions and events cost on a database file. `node` runs the bundle of this
 * file; arguments: number of jobs, benchmarks per job. With DB_URL it measures an empty schema of that PostgreSQL instead.
 */
import { mkdtempSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, Redacted } from "effect"
import { JobStore } from "../../application/ports/stores/job-store.ts"
import type { JobQuery } from "../../domain/job/job-query.ts"
import { decodeCursor } from "../../domain/paging.ts"
import * as Storage from "../../infrastructure/sql/database.ts"
import { settings, sqliteAt } from "../support/storage.ts"
import { report } from "../support/store-actions.ts"
import { completedEvent, jobId, launchTasks, makeJob, runningEvent } from "../support/stored-jobs.ts"

const jobs = Number(process.argv[2] ?? 20_000)
const each = Number(process.argv[3] ?? 10)

const now = () => performance.now()
const line = (name: string, text: string) => console.log(`${name.padEnd(44)} ${text}`)

const latency = <A, E, R>(name: string, runs: number, effect: (run: number) => Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const times: Array<number> = []
    for (let run = 0; run < runs; run++) {
      const start = now()
      yield* effect(run)
      times.push(now() - start)
    }
    times.sort((a, b) => a - b)
    const at = (share: number) => (times[Math.min(runs - 1, Math.floor(runs * share))] ?? 0).toFixed(2)
    line(name, `p50 ${at(0.5)} ms   p99 ${at(0.99)} ms`)
  })

const rate = <A, E, R>(
  name: string,
  count: number,
  concurrency: number,
  effect: (run: number) => Effect.Effect<A, E, R>
) =>
  Effect.gen(function* () {
    const start = now()
    const cpu = process.cpuUsage()
    yield* Effect.forEach(
      Array.from({ length: count }, (_, run) => run),
      effect,
      { concurrency, discard: true }
    )
    const seconds = (now() - start) / 1000
    const { user, system } = process.cpuUsage(cpu)
    line(
      name,
      `${Math.round(count / seconds)} /s   ${Math.round((user + system) / count)} us of processor each   (${concurrency} at once)`
    )
  })

const at = (number: number) => new Date(1_767_225_600_000 + number * 1000).toISOString()
const build = (number: number) =>
  makeJob({
    id: jobId(number),
    tenant: "bench",
    benchmarks: each,
    createdAt: at(number),
    owner: `user-${number % 50}`,
    request: {
      name: `nightly run ${number} of model ${number % 97}`,
      tags: [`team-${number % 20}`, number % 1000 === 0 ? "rare" : "common"]
    },
    entry: (index) => ({ parameters: { num_examples: 100, seed: index, prompt: "answer with one word" } })
  })

const program = Effect.gen(function* () {
  const store = yield* JobStore
  yield* rate(`insert jobs of ${each} benchmarks`, jobs, 64, (number) =>
    store.insert(build(number), number < 2000 ? launchTasks(build(number)) : [])
  )
  yield* rate("events: many jobs", 10_000, 64, (run) =>
    report(jobId(run % jobs), completedEvent(Math.floor(run / jobs) + (run % each)))
  )
  const large = makeJob({ id: jobId(jobs + 1), tenant: "large", benchmarks: 1000, createdAt: at(0) })
  yield* store.insert(large, [])
  yield* rate("events: one job of 1000 benchmarks", 999, 64, (run) => report(large.id, completedEvent(run)))
  yield* rate("events: one after the other", 2000, 1, (run) =>
    report(jobId((run * 3) % jobs), runningEvent((((run * 3) % jobs) + 1) % each))
  )
  const page = (members: Partial<JobQuery>) => store.page("bench", { limit: 50, offset: 0, ...members })
  const list = (name: string, members: Partial<JobQuery>) => latency(`list: ${name}`, 60, () => page(members))
  const deep = Math.floor(jobs * 0.9)
  const far = yield* page({ offset: deep, limit: 1 })
  const cursor = decodeCursor(far.next ?? "", 2)
  const [createdAt = "", id = ""] = cursor._tag === "Right" ? cursor.right : []
  yield* list("first page", {})
  yield* list(`offset ${deep}`, { offset: deep })
  yield* list("cursor", { after: { createdAt, id } })
  yield* list("state pending", { states: { values: ["pending"], negated: false } })
  yield* list("state running, offset 5000", { states: { values: ["running"], negated: false }, offset: 5000 })
  yield* list("states not pending", { states: { values: ["pending"], negated: true } })
  yield* list("tag team-7", { tags: [["team-7"]] })
  yield* list("tag common (nearly all)", { tags: [["common"]] })
  yield* list("tag rare", { tags: [["rare"]] })
  yield* list("tags common and team-3", { tags: [["common"], ["team-3"]] })
  yield* list("tags team-3 or team-4", { tags: [["team-3", "team-4"]] })
  yield* list("tag team-7, state running", { tags: [["team-7"]], states: { values: ["running"], negated: false } })
  yield* list("name 'model 42'", { name: "model 42" })
  yield* list("name absent", { name: "no such name" })
  yield* list("name 'run' (all)", { name: "run" })
  yield* list("owner", { owner: "user-7" })
  yield* list("model (all)", { model: "demo-model" })
  yield* list("created after", { createdAfter: at(deep) })
  yield* latency("render one", 2000, (run) => store.render("bench", jobId((run * 7919) % jobs)))
  yield* rate("render one", 20_000, 16, (run) => store.render("bench", jobId((run * 7919) % jobs)))
  yield* latency("render 1000 benchmarks", 50, () => store.render("large", large.id))
  yield* latency("load one benchmark", 500, (run) => store.loadBenchmark(jobId((run * 7919) % jobs), 0))
  line("resident memory", `${Math.round(process.memoryUsage().rss / 1e6)} MB`)
})

const url = process.env["DB_URL"]
if (url !== undefined) {
  await Effect.runPromise(
    Effect.provide(program, Storage.layer({ ...settings, driver: "pgx", url: Redacted.make(url), poolSize: 10 }))
  )
} else {
  const folder = mkdtempSync(join(tmpdir(), "evald-bench-"))
  const path = join(folder, "evald.db")
  await Effect.runPromise(Effect.provide(program, sqliteAt(path)))
  line("database file", `${Math.round(statSync(path).size / 1e6)} MB`)
  rmSync(folder, { recursive: true, force: true })
}
