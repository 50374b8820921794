/**
 * Statements on one connection. Texts are constants with `?` for parameters and run unchanged on both databases; values never
 * enter a text. Going to the connection directly costs a quarter of a tagged template per statement, and statements are most of
 * what a status event costs.
 */
import type { SqlConnection, SqlError } from "@effect/sql"
import { Effect } from "effect"

export type Dialect = "sqlite" | "pg"

/** bytes travel as a `Buffer` in both directions */
export type Param = string | number | null | Buffer

/** a whole column of many rows in one parameter, so that a text does not depend on their number; only PostgreSQL takes them */
export type Column = ReadonlyArray<Param>

/** how rows of a statement are had */
export type Rows = <Row>(
  text: string,
  params: ReadonlyArray<Param | Column>
) => Effect.Effect<ReadonlyArray<Row>, SqlError.SqlError>

export interface Session {
  readonly dialect: Dialect
  /** rows of a statement that changes nothing */
  readonly query: Rows
  /** a statement that writes, with its RETURNING rows; only within `Database.write` */
  readonly write: <Row>(
    text: string,
    params: ReadonlyArray<Param | Column>
  ) => Effect.Effect<ReadonlyArray<Row>, SqlError.SqlError>
  /**
   * Adds to the exact total of a tenant's jobs in a state; only within `Database.write`. Written once before COMMIT, in one order, so
   * that transactions that count the same things never wait for each other in a circle.
   */
  readonly count: (total: JobTotal, delta: number) => void
  /** says that something is kept to be written before COMMIT; only within `Database.write` */
  readonly keep: () => void
  /** runs once after COMMIT and never after ROLLBACK; must not throw */
  readonly afterCommit: (hook: () => void) => void
}

export interface JobTotal {
  readonly tenant: string
  readonly state: string
  /** totals are split on PostgreSQL, where writers run at the same moment */
  readonly jobKey: number
}

/** a session that knows what its transaction has to know */
export interface TrackedSession extends Session {
  readonly written: () => boolean
  /** a statement failed: PostgreSQL refuses everything after it */
  readonly failed: () => boolean
  readonly counts: ReadonlyArray<readonly [JobTotal, number]>
  readonly hooks: ReadonlyArray<() => void>
}

/** a text as the PostgreSQL driver takes it: with a name it is parsed and planned once per connection */
interface Statement {
  readonly text: string
  readonly name?: string
}

const statements = new Map<string, Statement>()

/** texts with a name: constants, which come first; those of lists and of many rows come in too many forms to be kept by every connection */
const mostNamed = 150

/** `?` as PostgreSQL wants it; each text is translated once */
const statementOf = (text: string): Statement => {
  const known = statements.get(text)
  if (known !== undefined) return known
  let position = 0
  const translated = text.replace(/\?/g, () => `$${++position}`)
  if (statements.size >= 2000) return { text: translated }
  // how rare a pattern is decides about its plan
  if (text.includes(" LIKE ")) return { text: translated }
  const statement =
    statements.size < mostNamed ? { text: translated, name: `evald_${statements.size}` } : { text: translated }
  statements.set(text, statement)
  return statement
}

/** the driver hands a statement with a name on as it is, which its type does not say */
const driverText = (text: string): string => statementOf(text) as unknown as string

/** PostgreSQL has no NUL in a text; JSON escapes it, but a log line or the reason of a failure may hold one */
const isColumn = (param: Param | Column): param is Column => Array.isArray(param)

const hasNul = (param: Param | Column): boolean =>
  typeof param === "string" ? param.includes("\0") : isColumn(param) && param.some(hasNul)

const cleaned = (param: Param): Param => (typeof param === "string" ? param.replaceAll("\0", "\uFFFD") : param)

const withoutNul = (params: ReadonlyArray<Param | Column>): ReadonlyArray<Param | Column> =>
  params.some(hasNul) ? params.map((param) => (isColumn(param) ? param.map(cleaned) : cleaned(param))) : params

export const make = (connection: SqlConnection.Connection, dialect: Dialect): TrackedSession => {
  let written = false
  let failed = false
  const counts: Array<readonly [JobTotal, number]> = []
  const hooks: Array<() => void> = []
  const noteFailure = Effect.sync(() => {
    failed = true
  })
  const execute = <Row>(
    text: string,
    params: ReadonlyArray<Param | Column>
  ): Effect.Effect<ReadonlyArray<Row>, SqlError.SqlError> =>
    dialect === "pg"
      ? Effect.tapError(connection.execute(driverText(text), withoutNul(params), undefined), () => noteFailure)
      : connection.execute(text, params, undefined)
  return {
    dialect,
    query: execute,
    write: (text, params) => {
      written = true
      return execute(text, params)
    },
    count: (total, delta) => {
      written = true
      counts.push([total, delta])
    },
    keep: () => {
      written = true
    },
    afterCommit: (hook) => {
      hooks.push(hook)
    },
    written: () => written,
    failed: () => failed,
    counts,
    hooks
  }
}

/** a session that reads, wherever its rows come from */
export const reading = (dialect: Dialect, rows: Rows): Session => ({
  dialect,
  query: rows,
  write: () => Effect.dieMessage("a reader writes nothing"),
  count: () => {},
  keep: () => {},
  afterCommit: () => {}
})

/** rows of the texts that are kept: more come seldom, and their texts are long */
const mostKept = 100

/** a text for each number of rows, made once: making it, and finding its statement by a text that was just put together, costs more than the statement */
export const textByRows = (make: (rows: number) => string): ((rows: number) => string) => {
  const made = new Map<number, string>()
  return (rows) => {
    const known = made.get(rows)
    if (known !== undefined) return known
    const text = make(rows)
    if (rows <= mostKept) made.set(rows, text)
    return text
  }
}

/** `(?, ?, ?)` as often as there are rows */
export const tuples = (rows: number, columns: number): string => {
  const one = `(${Array.from({ length: columns }, () => "?").join(", ")})`
  return Array.from({ length: rows }, () => one).join(", ")
}

/** rows turned into one parameter for each of their `count` columns */
export const columnsOf = (rows: ReadonlyArray<ReadonlyArray<Param>>, count: number): ReadonlyArray<Column> =>
  Array.from({ length: count }, (_, column) => rows.map((row) => row[column] ?? null))

/** `?, ?, ?` */
export const marks = (count: number): string => Array.from({ length: count }, () => "?").join(", ")
