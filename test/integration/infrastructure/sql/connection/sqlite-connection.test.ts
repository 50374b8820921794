import { existsSync } from "node:fs"
import { join } from "node:path"
import { SqlError } from "@effect/sql"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit } from "effect"
import { reasonOf } from "../../../../../infrastructure/sql/connection/run.ts"
import type { Connection } from "../../../../../infrastructure/sql/connection/session.ts"
import * as SqliteConnection from "../../../../../infrastructure/sql/connection/sqlite-connection.ts"
import { tempDir } from "../../../../support/temp-dir.ts"

const rows = (connection: Connection, text: string, ...params: ReadonlyArray<unknown>) =>
  connection.execute(text, params, undefined)

describe("a connection to SQLite", () => {
  it.scoped("answers with the rows of a statement that has some, RETURNING included, and with none otherwise", () =>
    Effect.gen(function* () {
      const connection = yield* SqliteConnection.open({ filename: ":memory:" })
      assert.deepStrictEqual(yield* rows(connection, "CREATE TABLE one (id INTEGER PRIMARY KEY, name TEXT)"), [])
      assert.deepStrictEqual(yield* rows(connection, "INSERT INTO one (name) VALUES (?)", "a"), [])
      const inserted = yield* rows(connection, "INSERT INTO one (name) VALUES (?) RETURNING id, name", "b")
      assert.deepStrictEqual(inserted, [{ id: 2, name: "b" }])
      assert.deepStrictEqual(yield* rows(connection, "SELECT name FROM one WHERE id = ?", 1), [{ name: "a" }])
      assert.deepStrictEqual(yield* rows(connection, "SELECT name FROM one WHERE id = ?", 3), [])
    })
  )

  it.scoped("answers right when more texts are run than it keeps prepared, and again by the first", () =>
    Effect.gen(function* () {
      const connection = yield* SqliteConnection.open({ filename: ":memory:" })
      for (let number = 0; number < 1200; number++)
        assert.deepStrictEqual(yield* rows(connection, `SELECT ${number} + ? AS sum`, 1), [{ sum: number + 1 }])
      assert.deepStrictEqual(yield* rows(connection, "SELECT 0 + ? AS sum", 5), [{ sum: 5 }])
    })
  )

  it.scoped("sees a column that a table got after its statement was prepared", () =>
    Effect.gen(function* () {
      const connection = yield* SqliteConnection.open({ filename: ":memory:" })
      yield* rows(connection, "CREATE TABLE one (id INTEGER)")
      yield* rows(connection, "INSERT INTO one VALUES (1)")
      assert.deepStrictEqual(yield* rows(connection, "SELECT * FROM one"), [{ id: 1 }])
      yield* rows(connection, "ALTER TABLE one ADD COLUMN name TEXT DEFAULT 'x'")
      assert.deepStrictEqual(yield* rows(connection, "SELECT * FROM one"), [{ id: 1, name: "x" }])
    })
  )

  it.scoped("fails with the driver's error as the cause, and prepares a text again that could not be prepared", () =>
    Effect.gen(function* () {
      const connection = yield* SqliteConnection.open({ filename: ":memory:" })
      const missing = yield* Effect.flip(rows(connection, "SELECT * FROM later"))
      assert.instanceOf(missing, SqlError.SqlError)
      assert.strictEqual(reasonOf(missing), "bug")
      yield* rows(connection, "CREATE TABLE later (id INTEGER PRIMARY KEY)")
      assert.deepStrictEqual(yield* rows(connection, "SELECT * FROM later"), [])
      yield* rows(connection, "INSERT INTO later VALUES (?)", 1)
      assert.strictEqual(reasonOf(yield* Effect.flip(rows(connection, "INSERT INTO later VALUES (?)", 1))), "conflict")
    })
  )

  it.effect("is closed with its scope", () =>
    Effect.gen(function* () {
      const connection = yield* Effect.scoped(SqliteConnection.open({ filename: ":memory:" }))
      assert.isTrue(Exit.isFailure(yield* Effect.exit(rows(connection, "SELECT 1"))))
    })
  )

  it.scoped("has a log beside the file when it is asked for one, and writes nothing when it only reads", () =>
    Effect.gen(function* () {
      const filename = join(yield* tempDir, "one.db")
      const writer = yield* SqliteConnection.open({ filename, writeAheadLog: true })
      yield* rows(writer, "CREATE TABLE one (id INTEGER)")
      assert.isTrue(existsSync(`${filename}-wal`))
      const reader = yield* SqliteConnection.open({ filename, readonly: true })
      assert.deepStrictEqual(yield* rows(reader, "SELECT * FROM one"), [])
      const refused = yield* Effect.flip(rows(reader, "INSERT INTO one VALUES (1)"))
      assert.strictEqual(reasonOf(refused), "unavailable")
      assert.deepStrictEqual(yield* rows(writer, "SELECT * FROM one"), [])
    })
  )
})
