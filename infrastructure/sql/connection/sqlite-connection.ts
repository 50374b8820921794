/**
 * One connection to a SQLite database, whose statements are prepared once. It is the driver without the client around it: that looks a statement up
 * in a cache made for values that are fetched, and runs it in a dozen steps of a fiber, which together cost as much as an ordinary statement itself.
 */
import { createRequire } from "node:module"
import { SqlError } from "@effect/sql"
import { Effect, type Scope } from "effect"
import type { Connection } from "./session.ts"

/** what is used of the driver, which has no types */
interface Statement {
  /** it answers with rows */
  readonly reader: boolean
  readonly all: (...params: ReadonlyArray<unknown>) => ReadonlyArray<never>
  readonly run: (...params: ReadonlyArray<unknown>) => unknown
}

interface Driver {
  readonly prepare: (text: string) => Statement
  readonly pragma: (text: string) => unknown
  readonly close: () => void
}

/** statements that are kept prepared; the oldest makes room */
const mostPrepared = 500

const preparing = (driver: Driver) => {
  const prepared = new Map<string, Statement>()
  return (text: string): Statement => {
    const known = prepared.get(text)
    if (known !== undefined) return known
    const [oldest] = prepared.size >= mostPrepared ? prepared.keys() : []
    if (oldest !== undefined) prepared.delete(oldest)
    const statement = driver.prepare(text)
    prepared.set(text, statement)
    return statement
  }
}

export interface SqliteOptions {
  /** `:memory:` has no file */
  readonly filename: string
  readonly readonly?: boolean
  /** writes go to a log beside the file first, so that readers and the writer do not wait for each other */
  readonly writeAheadLog?: boolean
}

/**
 * Closed with the scope. What the driver says when the file cannot be opened is a defect; a statement that fails is an error with the driver's as its
 * cause. Rows are objects by the names of their columns.
 */
export const open = ({
  filename,
  readonly = false,
  writeAheadLog = false
}: SqliteOptions): Effect.Effect<Connection, never, Scope.Scope> =>
  Effect.gen(function* () {
    const Sqlite: new (path: string, options: { readonly readonly: boolean }) => Driver = createRequire(
      import.meta.url
    )("better-sqlite3")
    const driver = yield* Effect.acquireRelease(
      Effect.sync(() => new Sqlite(filename, { readonly })),
      (opened) => Effect.sync(() => opened.close())
    )
    if (writeAheadLog) driver.pragma("journal_mode = WAL")
    const prepared = preparing(driver)
    return {
      execute: (text, params) =>
        Effect.suspend(() => {
          try {
            const statement = prepared(text)
            if (statement.reader) return Effect.succeed(statement.all(...params))
            statement.run(...params)
            return Effect.succeed([])
          } catch (cause) {
            return Effect.fail(new SqlError.SqlError({ cause, message: "Failed to execute statement" }))
          }
        })
    }
  })
