/** What holds for a database file beyond the ports: one server, its schema, and what a damaged row does. */
import { chmodSync, copyFileSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer, Redacted, TestClock } from "effect"
import { JobStore } from "../../../../application/ports/stores/job-store.ts"
import { ProviderStore } from "../../../../application/ports/stores/provider-store.ts"
import { Database } from "../../../../infrastructure/sql/connection/client.ts"
import * as OpenDatabase from "../../../../infrastructure/sql/connection/open.ts"
import * as Storage from "../../../../infrastructure/sql/database.ts"
import * as Inspect from "../../../../infrastructure/sql/inspect.ts"
import { backup } from "../../../../infrastructure/sql/inspect.ts"
import { migrate, schemaVersion } from "../../../../infrastructure/sql/migrate.ts"
import { settings, sqliteAt, temporaryFolder } from "../../../support/storage.ts"
import { makeProvider } from "../../../support/stored-definitions.ts"
import { jobId, makeJob } from "../../../support/stored-jobs.ts"

const configOf = (path: string) => ({ ...settings, driver: "sqlite" as const, url: Redacted.make(`file:${path}`) })

const inFile = Effect.map(temporaryFolder, (folder) => join(folder, "evald.db"))

const statement = (path: string, text: string) =>
  Effect.flatMap(Database, (database) =>
    database.write("test", (session) => session.write<Record<string, unknown>>(text, []))
  ).pipe(Effect.provide(OpenDatabase.layer(configOf(path))))

const open = (path: string) => Effect.flip(Effect.scoped(Layer.build(sqliteAt(path))))

describe("a database file", () => {
  it.scoped("is written with full synchronisation on every start, in write-ahead mode", () =>
    Effect.gen(function* () {
      const path = yield* inFile
      yield* Effect.provide(Effect.void, sqliteAt(path))
      assert.deepEqual(yield* statement(path, "PRAGMA synchronous"), [{ synchronous: 2 }])
      assert.deepEqual(yield* statement(path, "PRAGMA journal_mode"), [{ journal_mode: "wal" }])
    })
  )

  it.scoped("serves one server at a time, and the next one after it", () =>
    Effect.gen(function* () {
      const path = yield* inFile
      yield* Effect.scoped(
        Effect.gen(function* () {
          yield* Layer.build(sqliteAt(path))
          const refused = yield* open(path)
          assert.strictEqual(refused._tag, "DatabaseRefused")
          assert.include(refused.message, "another evald server uses the database file")
        })
      )
      yield* Effect.scoped(Layer.build(sqliteAt(path)))
    })
  )

  it.scopedLive("lets events through while a long list is read (an event waited for the list under way)", () =>
    Effect.gen(function* () {
      const path = yield* inFile
      yield* Effect.gen(function* () {
        const { readLong, read, write } = yield* Database
        yield* write("test", (session) => session.write("CREATE TABLE IF NOT EXISTS seen (n INTEGER)", []))
        const counting =
          "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < ?) SELECT count(*) AS n FROM c"
        const count = (upTo: number) => readLong("test", (session) => session.query<{ n: number }>(counting, [upTo]))
        // the thread has begun
        assert.deepEqual(yield* count(1), [{ n: 1 }])
        const long = yield* Effect.fork(count(5_000_000))
        yield* Effect.yieldNow()
        yield* write("test", (session) => session.write("INSERT INTO seen VALUES (1)", []))
        assert.deepEqual(yield* read("test", (session) => session.query("SELECT count(*) AS n FROM seen", [])), [
          { n: 1 }
        ])
        assert.strictEqual((yield* Fiber.poll(long))._tag, "None")
        assert.deepEqual(yield* Fiber.join(long), [{ n: 5_000_000 }])
        // what was committed before is seen there, and a wrong statement is a fault of ours as everywhere
        assert.deepEqual(yield* readLong("test", (session) => session.query("SELECT count(*) AS n FROM seen", [])), [
          { n: 1 }
        ])
        assert.strictEqual(
          (yield* Effect.exit(readLong("test", (session) => session.query("SELECT nothing FROM nowhere", []))))._tag,
          "Failure"
        )
        assert.deepEqual(yield* count(2), [{ n: 2 }])
      }).pipe(Effect.provide(OpenDatabase.layer(configOf(path))))
    })
  )

  it.scoped("is for its owner alone, with everything beside it and its copies", () =>
    Effect.gen(function* () {
      const path = yield* inFile
      const modes = (...names: ReadonlyArray<string>) => names.map((name) => (statSync(name).mode & 0o777).toString(8))
      yield* Effect.gen(function* () {
        yield* (yield* JobStore).insert(makeJob({ id: jobId(1), tenant: "t" }), [])
        assert.deepEqual(modes(path, `${path}-wal`, `${path}-shm`, `${path}.lock`), ["600", "600", "600", "600"])
        yield* Effect.provide(backup(`${path}.copy`), Inspect.layer(configOf(path)))
        assert.deepEqual(modes(`${path}.copy`), ["600"])
      }).pipe(Effect.provide(sqliteAt(path)))
      // rights that somebody gave stay
      chmodSync(path, 0o640)
      yield* Effect.provide(Effect.void, sqliteAt(path))
      assert.deepEqual(modes(path), ["640"])
    })
  )

  it.scoped("that can only be read is refused at the start in one sentence (it ended in a stack trace)", () =>
    Effect.gen(function* () {
      const path = yield* inFile
      yield* Effect.provide(Effect.void, sqliteAt(path))
      // a write version that SQLite does not know: it opens such a file read only, whoever it is
      const file = readFileSync(path)
      file[18] = 3
      writeFileSync(path, file)
      const refused = yield* open(path)
      assert.strictEqual(refused._tag, "DatabaseRefused")
      assert.match(refused.message, /cannot be written: attempt to write a readonly database\. Is it writable/)
    })
  )

  it.scoped("that is full, removed or replaced is not ready (it was reported as ready)", () =>
    Effect.gen(function* () {
      const path = yield* inFile
      const database = OpenDatabase.layer(configOf(path))
      const storage = Layer.provideMerge(Storage.ports({ vendorAliases: true }, 1), database)
      yield* Effect.gen(function* () {
        const { ping } = yield* JobStore
        const { write } = yield* Database
        const set = (text: string) => write("test", (session) => session.write<Record<string, number>>(text, []))
        const why = Effect.zipRight(
          TestClock.adjust("2 seconds"),
          Effect.map(Effect.flip(ping), ({ reason }) => reason)
        )
        yield* ping
        const [pages] = yield* set("PRAGMA page_count")
        yield* set(`PRAGMA max_page_count = ${pages?.["page_count"]}`)
        yield* Effect.flip(
          Effect.forever(set("INSERT INTO settings (name, value) VALUES (hex(randomblob(9)), hex(zeroblob(1500)))"))
        )
        assert.strictEqual(yield* why, "does not answer, or cannot be written")
        yield* set("PRAGMA max_page_count = 1000000")
        yield* TestClock.adjust("2 seconds")
        yield* ping
        renameSync(path, `${path}.away`)
        assert.strictEqual(yield* why, "the database file was removed or replaced while the server uses it")
        copyFileSync(`${path}.away`, path)
        assert.strictEqual(yield* why, "the database file was removed or replaced while the server uses it")
        renameSync(`${path}.away`, path)
        yield* TestClock.adjust("2 seconds")
        yield* ping
      }).pipe(Effect.provide(storage))
    })
  )

  it.scoped("in a folder that is not there is refused with the reason", () =>
    Effect.gen(function* () {
      const path = join(yield* temporaryFolder, "absent", "evald.db")
      const refused = yield* open(path)
      assert.include(refused.message, path)
      assert.include(refused.message, "folder")
    })
  )

  it.scoped("of a newer build is refused and left as it was", () =>
    Effect.gen(function* () {
      const path = yield* inFile
      yield* Effect.provide(Effect.void, sqliteAt(path))
      yield* statement(
        path,
        `INSERT INTO schema_version (version, name, applied_at) VALUES (${schemaVersion + 1}, 'future', '2030-01-01T00:00:00.000Z')`
      )
      const refused = yield* open(path)
      assert.include(refused.message, `schema version ${schemaVersion + 1}`)
      assert.include(refused.message, `up to ${schemaVersion}`)
      assert.deepEqual(yield* statement(path, "SELECT max(version) AS version FROM schema_version"), [
        { version: schemaVersion + 1 }
      ])
    })
  )

  it.scoped("is migrated once, step by step, and a failing step leaves nothing behind", () =>
    Effect.gen(function* () {
      const path = yield* inFile
      const step = (version: number, ...texts: ReadonlyArray<string>) => ({
        version,
        name: `step ${version}`,
        statements: () => texts
      })
      const first = step(1, "CREATE TABLE a (x TEXT)", "INSERT INTO a VALUES ('1')")
      const run = (...steps: Parameters<typeof migrate>) =>
        Effect.provide(migrate(...steps), OpenDatabase.layer(configOf(path)))
      assert.strictEqual(yield* run([first]), 0)
      assert.strictEqual(yield* run([first]), 1)
      const broken = step(2, "INSERT INTO a VALUES ('2')", "INSERT INTO absent VALUES (1)")
      assert.strictEqual((yield* Effect.exit(run([first, broken])))._tag, "Failure")
      assert.deepEqual(yield* statement(path, "SELECT x FROM a"), [{ x: "1" }])
      assert.strictEqual(yield* run([first, step(2, "INSERT INTO a VALUES ('2')")]), 1)
      assert.deepEqual(yield* statement(path, "SELECT x FROM a"), [{ x: "1" }, { x: "2" }])
    })
  )

  it.scoped("a damaged job is left out of the list and named, the others are shown", () =>
    Effect.gen(function* () {
      const path = yield* inFile
      const [good, bad] = [makeJob({ id: jobId(1), tenant: "t" }), makeJob({ id: jobId(2), tenant: "t" })]
      yield* Effect.provide(
        Effect.flatMap(JobStore, (store) => Effect.zipRight(store.insert(good, []), store.insert(bad, []))),
        sqliteAt(path)
      )
      yield* statement(path, `DELETE FROM job_requests WHERE job_key = (SELECT key FROM jobs WHERE id = '${bad.id}')`)
      const page = yield* Effect.provide(
        Effect.flatMap(JobStore, (store) => store.page("t", { limit: 50, offset: 0 })),
        sqliteAt(path)
      )
      assert.strictEqual(page.items.length, 1)
      assert.strictEqual(page.total, 2)
      assert.deepEqual(page.errors, [`${bad.id}: its request is missing or damaged`])
      // both take a place of the list, so that the next page begins behind them
      assert.strictEqual(page.taken, 2)
      const named = yield* Effect.provide(
        Effect.flatMap(JobStore, (store) => store.page("t", { limit: 50, offset: 0 }, new Set(["name", "status"]))),
        sqliteAt(path)
      )
      // the request is not read for these members
      assert.deepEqual([named.items.length, named.errors], [2, []])
    })
  )

  it.scoped("a damaged provider is left out of the list and named", () =>
    Effect.gen(function* () {
      const path = yield* inFile
      yield* Effect.provide(
        Effect.flatMap(ProviderStore, (store) =>
          Effect.zipRight(store.insert(makeProvider("t", "a")), store.insert(makeProvider("t", "b")))
        ),
        sqliteAt(path)
      )
      yield* statement(path, "UPDATE providers SET data = '{' WHERE id = 'a'")
      const { records, errors } = yield* Effect.provide(
        Effect.flatMap(ProviderStore, (store) => store.list("t")),
        sqliteAt(path)
      )
      assert.deepEqual(
        records.map((record) => record.id),
        ["b"]
      )
      assert.deepEqual(errors, ["a: its stored record is damaged"])
    })
  )
})

describe("a database that cannot be", () => {
  it.effect("the driver and the URL must agree", () =>
    Effect.gen(function* () {
      const refusal = (driver: "sqlite" | "pgx", url?: string) =>
        Effect.flip(
          Effect.scoped(
            Layer.build(
              OpenDatabase.layer({ ...settings, driver, ...(url === undefined ? {} : { url: Redacted.make(url) }) })
            )
          )
        )
      assert.include((yield* refusal("pgx")).message, "postgres://")
      assert.include((yield* refusal("pgx", "file:x.db")).message, "postgres://")
      const swapped = yield* refusal("sqlite", "postgres://user:canary@127.0.0.1/x")
      assert.include(swapped.message, "database.driver")
      assert.notInclude(swapped.message, "canary")
    })
  )
})
