/** A copy of a SQLite file taken while benchmarks run, and a server that goes on from it; old jobs are removed from the file. */
import { mkdtempSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Clock, Effect } from "effect"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { JobStore } from "../../../application/ports/stores/job-store.ts"
import { backUpAndRestore } from "../../support/database/restored-backup.ts"
import { run } from "../../support/evald-process.ts"
import { recordingServers } from "../../support/recording-servers.ts"
import { sqliteAt } from "../../support/storage.ts"
import { makeJob } from "../../support/stored-jobs.ts"

let folder = ""
const at = (name: string) => join(folder, name)
const db = (args: ReadonlyArray<string>, name: string) => run(["db", ...args], { DB_URL: `file:${at(name)}` })

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "evald-backup-"))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const day = 86_400_000

describe("a database file", () => {
  it("backed up while benchmarks run: a server on the copy has all of them and ends each truthfully", () =>
    backUpAndRestore(folder, "sqlite", `file:${at("evald.db")}`, async () => {
      const { code, stderr } = await db(["backup", at("copy.db")], "evald.db")
      assert.strictEqual(code, 0, stderr)
      return async () => `file:${at("copy.db")}`
    }))

  it("pruned, it has no old jobs, and takes less of the disk; while a server runs it is refused", async () => {
    const now = await Effect.runPromise(Clock.currentTimeMillis)
    const idAt = (millis: number, number: number) => {
      const time = millis.toString(16).padStart(12, "0")
      return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-${number.toString(16).padStart(12, "0")}`
    }
    const finished = (age: number, number: number) => {
      const job = makeJob({
        id: idAt(now - age * day, number),
        tenant: "default",
        benchmarks: 1,
        createdAt: new Date(now - age * day).toISOString(),
        request: { custom: { text: "x".repeat(20_000) } }
      })
      return {
        ...job,
        state: "completed" as const,
        counts: { pending: 0, running: 0, completed: 1, failed: 0, cancelled: 0 },
        benchmarks: job.benchmarks.map((benchmark) => ({ ...benchmark, state: "completed" as const }))
      }
    }
    const jobs = [...Array.from({ length: 60 }, (_, number) => finished(40, number)), finished(10, 60)]
    const fill = Effect.flatMap(JobStore, (store) => Effect.forEach(jobs, (job) => store.insert(job, [])))
    await Effect.runPromise(Effect.provide(fill, sqliteAt(at("old.db"))))
    const size = statSync(at("old.db")).size
    const none = await db(["prune"], "old.db")
    assert.deepStrictEqual([none.code, none.stdout], [78, ""])
    assert.include(none.stderr, "give --days, or set retention.jobs_days")
    const server = await recordingServers(folder, "sqlite").start(`file:${at("old.db")}`)
    const refused = await db(["prune", "--days", "30"], "old.db")
    assert.strictEqual(refused.code, 78)
    assert.include(refused.stderr, "another evald server uses the database file")
    assert.strictEqual(await server.stop(), 0)
    const { code, stdout, stderr } = await db(["prune", "--days", "30"], "old.db")
    assert.deepStrictEqual([code, stderr], [0, ""])
    assert.match(stdout, /^60 jobs removed that had not changed for 30 days, \d+ bytes given back/)
    assert.isBelow(statSync(at("old.db")).size, size / 2)
    const left = Effect.flatMap(JobStore, (store) => store.page("default", { limit: 10, offset: 0 }))
    assert.strictEqual((await Effect.runPromise(Effect.provide(left, sqliteAt(at("old.db"))))).total, 1)
    assert.deepStrictEqual(await db(["check"], "old.db"), { code: 0, stdout: "the database is sound\n", stderr: "" })
  })
})
