/**
 * Statements on one connection. Texts are constants with `?` for parameters and run unchanged on both databases; values never
 * enter a text. Going to the connection directly costs a quarter of a tagged template per statement, and statements are most of
 * what a status event costs.
 */
import type { SqlConnection, SqlError } from "@effect/sql"
import type { Effect } from "effect"

export type Dialect = "sqlite" | "pg"

export type Param = string | number | null

export interface Session {
  readonly dialect: Dialect
  /** rows of a statement that changes nothing */
  readonly query: <Row>(text: string, params: ReadonlyArray<Param>) => Effect.Effect<ReadonlyArray<Row>, SqlError.SqlError>
  /** a statement that writes, with its RETURNING rows; only within `Database.write` */
  readonly write: <Row>(text: string, params: ReadonlyArray<Param>) => Effect.Effect<ReadonlyArray<Row>, SqlError.SqlError>
  /** runs once after COMMIT and never after ROLLBACK; must not throw */
  readonly afterCommit: (hook: () => void) => void
}

/** a session that knows whether anything was written and what to run after COMMIT */
export interface TrackedSession extends Session {
  readonly written: () => boolean
  readonly hooks: ReadonlyArray<() => void>
}

const numbered = new Map<string, string>()

/** `?` as PostgreSQL wants it; texts are constants or built from few parts, so each is translated once */
const numberedText = (text: string): string => {
  const known = numbered.get(text)
  if (known !== undefined) return known
  let position = 0
  const translated = text.replace(/\?/g, () => `$${++position}`)
  if (numbered.size > 2000) numbered.clear()
  numbered.set(text, translated)
  return translated
}

/** PostgreSQL has no NUL in a text; JSON escapes it, but a log line or the reason of a failure may hold one */
const withoutNul = (params: ReadonlyArray<Param>): ReadonlyArray<Param> =>
  params.some((param) => typeof param === "string" && param.includes("\0"))
    ? params.map((param) => (typeof param === "string" ? param.replaceAll("\0", "\uFFFD") : param))
    : params

export const make = (connection: SqlConnection.Connection, dialect: Dialect): TrackedSession => {
  let written = false
  const hooks: Array<() => void> = []
  const execute = <Row>(text: string, params: ReadonlyArray<Param>): Effect.Effect<ReadonlyArray<Row>, SqlError.SqlError> =>
    dialect === "pg" ? connection.execute(numberedText(text), withoutNul(params), undefined) : connection.execute(text, params, undefined)
  return {
    dialect,
    query: execute,
    write: (text, params) => {
      written = true
      return execute(text, params)
    },
    afterCommit: (hook) => {
      hooks.push(hook)
    },
    written: () => written,
    hooks
  }
}

/** `(?, ?, ?)` as often as there are rows */
export const tuples = (rows: number, columns: number): string => {
  const one = `(${Array.from({ length: columns }, () => "?").join(", ")})`
  return Array.from({ length: rows }, () => one).join(", ")
}

/** `?, ?, ?` */
export const marks = (count: number): string => Array.from({ length: count }, () => "?").join(", ")
