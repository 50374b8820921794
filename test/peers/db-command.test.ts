/** `evald db check` and `evald db backup` on PostgreSQL. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { JobStore } from "../../application/ports/stores/job-store.ts"
import { Database } from "../../infrastructure/sql/connection/client.ts"
import * as OpenDatabase from "../../infrastructure/sql/connection/open.ts"
import { run } from "../support/evald-process.ts"
import { configOf, freshSchema, postgresAt } from "../support/postgres.ts"
import { jobId, makeJob } from "../support/stored-jobs.ts"

let folder = ""
let url = ""
const job = makeJob({ id: jobId(1), tenant: "t" })
const db = (args: ReadonlyArray<string>, database: string) =>
  run(["db", ...args, "-configdir", folder], { DB_URL: database })

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "evald-db-"))
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, "config.yaml"), "database: {driver: pgx}\n")
  url = await Effect.runPromise(freshSchema)
  const insert = Effect.flatMap(JobStore, (store) => store.insert(job, []))
  await Effect.runPromise(Effect.provide(insert, postgresAt(url)))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe("evald db on PostgreSQL", () => {
  it("checks it, and names every contradiction", async () => {
    assert.deepStrictEqual(await db(["check"], url), { code: 0, stdout: "the database is sound\n", stderr: "" })
    const damage = Effect.flatMap(Database, (database) =>
      database.write("test", (session) => session.write("UPDATE jobs SET state = 'running'", []))
    )
    await Effect.runPromise(Effect.provide(damage, OpenDatabase.layer(configOf(url))))
    const found = await db(["check"], url)
    assert.strictEqual(found.code, 1)
    assert.include(found.stdout, `job ${job.id}: is running, but its counts say pending`)
  })

  it("leaves copies to the tools that do it better, and names them", async () => {
    const { code, stderr } = await db(["backup", join(folder, "copy.db")], url)
    assert.strictEqual(code, 78)
    assert.include(stderr, "pg_dump")
  })

  it("refuses an empty database, and one that does not answer, without its password", async () => {
    const empty = await db(["check"], await Effect.runPromise(freshSchema))
    assert.strictEqual(empty.code, 78)
    assert.include(empty.stderr, "holds no evald database")
    const absent = await db(["check"], "postgres://user:canary@127.0.0.1:1/none")
    assert.strictEqual(absent.code, 78)
    assert.include(absent.stderr, "127.0.0.1:1")
    assert.notInclude(absent.stderr, "canary")
  })
})
