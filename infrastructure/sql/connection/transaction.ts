/**
 * Several writes in one transaction, acknowledged after its COMMIT. A write that fails without having written leaves its neighbours
 * alone; one that fails halfway sends all of them into transactions of their own, so that nobody pays for somebody else's failure.
 */
import type { SqlConnection, SqlError } from "@effect/sql"
import { Effect, Exit } from "effect"
import * as Session from "./session.ts"

/** what several writes of one transaction read and write together: once before the first of them, once after the last */
export interface Together<Want, State> {
  readonly prepare: (session: Session.Session, wants: ReadonlyArray<Want>) => Effect.Effect<State, SqlError.SqlError>
  readonly finish: (session: Session.Session, state: State) => Effect.Effect<void, SqlError.SqlError>
}

export interface Write {
  /** may run more than once; must not look at time or randomness. `state`: what was prepared, when there is something. */
  readonly body: (session: Session.Session, state: unknown) => Effect.Effect<unknown, unknown>
  readonly done: (exit: Exit.Exit<unknown, unknown>) => void
  /** what it locks */
  readonly line?: string | undefined
  /** its COMMIT need not flush (`Database.writeUnflushed`) */
  readonly isUnflushed?: boolean
  readonly together?: { readonly how: Together<unknown, unknown>; readonly want: unknown } | undefined
}

const statement = (connection: SqlConnection.Connection, text: string) =>
  Effect.asVoid(connection.execute(text, [], undefined))

/** a failed ROLLBACK means that there is no transaction any more, which is what was wanted */
const rollback = (connection: SqlConnection.Connection) => Effect.ignore(statement(connection, "ROLLBACK"))

const refuseAll = (writes: ReadonlyArray<Write>, error: SqlError.SqlError) => {
  for (const write of writes) write.done(Exit.fail(error))
}

/** rows that a total is split into */
export const shards = { sqlite: 1, pg: 16 } as const

/** totals that changed, each once, in the order in which every transaction locks them */
const totals = (
  dialect: Session.Dialect,
  sessions: ReadonlyArray<Session.TrackedSession>
): ReadonlyArray<ReadonlyArray<Session.Param>> => {
  const rows = new Map<
    string,
    { readonly tenant: string; readonly state: string; readonly shard: number; delta: number }
  >()
  for (const [{ tenant, state, jobKey }, delta] of sessions.flatMap((session) => session.counts)) {
    const shard = jobKey % shards[dialect]
    const key = `${tenant} ${state} ${shard}`
    const row = rows.get(key)
    if (row === undefined) rows.set(key, { tenant, state, shard, delta })
    else row.delta += delta
  }
  return [...rows]
    .filter(([, { delta }]) => delta !== 0)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, { tenant, state, shard, delta }]) => [tenant, state, shard, delta])
}

export const addToTotal = "ON CONFLICT (tenant, state, shard) DO UPDATE SET jobs = job_counts.jobs + excluded.jobs"

/** one statement per total: a statement for several of them would come in as many forms as there are numbers of rows */
const countText = `INSERT INTO job_counts (tenant, state, shard, jobs) VALUES (?, ?, ?, ?) ${addToTotal}`

const writeTotals = (
  connection: SqlConnection.Connection,
  dialect: Session.Dialect,
  sessions: ReadonlyArray<Session.TrackedSession>
) => {
  const session = Session.make(connection, dialect)
  return Effect.forEach(totals(dialect, sessions), (row) => session.write(countText, row), { discard: true })
}

/** writes one after the other; neighbours that work together are one part, and see what the parts before wrote */
const partsOf = (writes: ReadonlyArray<Write>): ReadonlyArray<readonly [Write, ...ReadonlyArray<Write>]> => {
  const parts: Array<[Write, ...Array<Write>]> = []
  for (const write of writes) {
    const last = parts.at(-1)
    if (last !== undefined && last[0].together?.how === write.together?.how) last.push(write)
    else parts.push([write])
  }
  return parts
}

type Finished = readonly [Write, Exit.Exit<unknown, unknown>, Session.TrackedSession]

const orExit = <A, E>(effect: Effect.Effect<A, E>): Effect.Effect<A, Exit.Exit<never, E>> =>
  Effect.catchAllCause(effect, (cause) => Effect.fail(Exit.failCause(cause)))

/** a write that fails after it wrote ends the whole; the exit says how */
const runPart = (
  connection: SqlConnection.Connection,
  dialect: Session.Dialect,
  part: readonly [Write, ...ReadonlyArray<Write>]
) =>
  Effect.gen(function* () {
    const how = part[0].together?.how
    const shared = Session.make(connection, dialect)
    const wants = part.map(({ together }) => together?.want)
    const state: unknown = how === undefined ? undefined : yield* orExit(how.prepare(shared, wants))
    const finished: Array<Finished> = []
    for (const write of part) {
      const session = Session.make(connection, dialect)
      const exit = yield* Effect.exit(Effect.suspend(() => write.body(session, state)))
      if (Exit.isFailure(exit) && (session.written() || session.failed())) return yield* Effect.fail(exit)
      finished.push([write, exit, session])
    }
    if (how !== undefined) yield* orExit(how.finish(shared, state))
    return finished
  })

/** never fails: every write hears about its own outcome */
export const commit = (
  connection: SqlConnection.Connection,
  dialect: Session.Dialect,
  writes: ReadonlyArray<Write>
): Effect.Effect<void> =>
  Effect.gen(function* () {
    const begun = yield* Effect.either(statement(connection, dialect === "sqlite" ? "BEGIN IMMEDIATE" : "BEGIN"))
    if (begun._tag === "Left") return refuseAll(writes, begun.left)
    const ran = yield* Effect.either(Effect.forEach(partsOf(writes), (part) => runPart(connection, dialect, part)))
    if (ran._tag === "Left") {
      yield* rollback(connection)
      const [first, ...others] = writes
      if (others.length === 0) return first?.done(ran.left)
      yield* Effect.forEach(writes, (one) => commit(connection, dialect, [one]), { discard: true })
      return
    }
    const finished = ran.right.flat()
    const sessions = finished.flatMap(([, exit, session]) => (Exit.isSuccess(exit) ? [session] : []))
    const committed = yield* Effect.either(
      Effect.zipRight(writeTotals(connection, dialect, sessions), statement(connection, "COMMIT"))
    )
    if (committed._tag === "Left") {
      yield* rollback(connection)
      return refuseAll(writes, committed.left)
    }
    for (const [write, exit, session] of finished) {
      if (Exit.isSuccess(exit)) for (const hook of session.hooks) hook()
      write.done(exit)
    }
  })
