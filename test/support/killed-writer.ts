/** The writing process is killed with -9 again and again; what it acknowledged is there, and what it did not is whole or absent. */
import { spawn } from "node:child_process"
import { mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { join } from "node:path"
import { assert } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { type AuditEntry, AuditLog } from "../../application/ports/stores/audit-log.ts"
import { JobStore } from "../../application/ports/stores/job-store.ts"
import { TaskQueue } from "../../application/ports/task-queue.ts"
import { checkChain } from "../../infrastructure/audit/chain.ts"
import { checkDatabase } from "../../infrastructure/sql/connection/check.ts"
import { Database } from "../../infrastructure/sql/connection/client.ts"
import { bundleProgram } from "./bundled-program.ts"
import { storageAt } from "./storage.ts"
import { jobId } from "./stored-jobs.ts"

const cache = join(".cache", "test")

/** the writer as one file, inside the project, so that the database driver is found */
const writer = Effect.acquireRelease(
  Effect.promise(async () => {
    mkdirSync(cache, { recursive: true })
    const folder = mkdtempSync(join(cache, "killed-"))
    await bundleProgram("test/support/killed-writer.setup.ts", join(folder, "writer.mjs"))
    return folder
  }),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
)

/** lines said by the writer before it was killed, which happens once it has said `lines` of them */
const killedAfter = (folder: string, target: string, first: number, lines: number) =>
  Effect.async<ReadonlyArray<string>>((resume) => {
    const child = spawn(process.execPath, [join(folder, "writer.mjs"), target, String(first)], {
      stdio: ["ignore", "pipe", "inherit"]
    })
    let text = ""
    // whole lines of the writer itself; what the store logs goes the same way
    const said = () =>
      text
        .split("\n")
        .slice(0, -1)
        .filter((line) => /^[a-z]+ \d+$/.test(line))
    child.stdout.on("data", (chunk: Buffer) => {
      text += chunk.toString("utf8")
      if (said().length >= lines) child.kill("SIGKILL")
    })
    child.once("close", () => resume(Effect.succeed(said())))
    return Effect.sync(() => child.kill("SIGKILL"))
  })

/** the chain is whole, and has an entry for everything that was said */
const auditHolds = (said: ReadonlyMap<number, string>) =>
  Effect.gen(function* () {
    const log = yield* AuditLog
    assert.isUndefined((yield* checkChain(log)).problem)
    const found = new Set(
      (yield* log.after(0, 1_000_000)).map(({ entry }) => {
        const { phase, trace } = JSON.parse(entry) as AuditEntry
        return `${phase} ${trace}`
      })
    )
    for (const [number, word] of said) {
      assert.isTrue(found.has(`asked ${number}`), `job ${number}`)
      if (word !== "try") assert.isTrue(found.has(`answered ${number}`), `job ${number} after ${word}`)
    }
  })

/** a secret that was issued is there, also where its COMMIT flushed nothing */
const secretsHold = (said: ReadonlyMap<number, string>) =>
  Effect.gen(function* () {
    const database = yield* Database
    const rows = yield* database.read("secrets", (session) =>
      session.query<{ job_id: string }>("SELECT job_id FROM unit_secrets", [])
    )
    const found = new Set(rows.map((row) => row.job_id))
    for (const [number, word] of said)
      if (word !== "try" && word !== "inserted") assert.isTrue(found.has(jobId(number)), `job ${number} after ${word}`)
  })

/** kills the writer of the database at `target` six times, and looks at what is there afterwards */
export const survivesKills = (target: string, database: Layer.Layer<Database, unknown>) =>
  Effect.gen(function* () {
    const folder = yield* writer
    const said = new Map<number, string>()
    for (const [round, lines] of [3, 17, 40, 101, 203, 350].entries()) {
      for (const line of yield* killedAfter(folder, target, round * 100_000, lines)) {
        const [word = "", number = ""] = line.split(" ")
        said.set(Number(number), word)
      }
    }
    yield* Effect.scoped(Layer.build(storageAt(target)))
    assert.deepEqual(yield* Effect.provide(checkDatabase, database), [])
    yield* Effect.provide(secretsHold(said), database)
    yield* Effect.gen(function* () {
      const store = yield* JobStore
      const tasks = yield* (yield* TaskQueue).claim("launch", "test", 100_000, 1000)
      for (const [number, word] of said) {
        const job = yield* Effect.option(store.load("t", jobId(number)))
        const launches = tasks.filter((task) => task.jobId === jobId(number)).length
        if (job._tag === "None") {
          // nothing said means that the insert was not acknowledged; "completed" may have been followed by an unacknowledged removal
          assert.include(number % 3 === 2 ? ["try", "completed", "removed"] : ["try"], word, `job ${number}`)
          assert.strictEqual(launches, word === "try" ? 0 : 3)
          continue
        }
        assert.strictEqual(launches, 3)
        const states = job.value.benchmarks.map((benchmark) => benchmark.state)
        const allowed: { readonly [word: string]: ReadonlyArray<string | undefined> } = {
          try: ["pending"],
          inserted: ["pending", "running"],
          running: ["running", "completed"],
          completed: ["completed"],
          cancelled: ["completed"],
          ended: ["completed"]
        }
        assert.include(allowed[word] ?? [], states[0], `job ${number} after ${word}`)
        if (word === "cancelled") assert.deepEqual(states, ["completed", "cancelled", "cancelled"])
        if (word === "ended")
          assert.deepEqual([states, job.value.state], [["completed", "failed", "completed"], "partially_failed"])
      }
      yield* auditHolds(said)
      const total = (yield* store.page("t", { limit: 1, offset: 0 })).total
      const present = yield* Effect.filter([...said.keys()], (number) =>
        Effect.isSuccess(store.load("t", jobId(number)))
      )
      assert.strictEqual(total, present.length)
    }).pipe(Effect.provide(storageAt(target)))
  })
