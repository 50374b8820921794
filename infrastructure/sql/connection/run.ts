/**
 * What a driver error means, and what every store method does about it: a lock conflict is tried again, a lost or full database
 * becomes `Unavailable`, anything else is a defect. Nothing here can be interrupted: interrupting a query makes the PostgreSQL
 * driver cancel a process id that may already serve somebody else.
 */
import { SqlError } from "@effect/sql"
import { Effect, Schedule } from "effect"
import { Unavailable } from "../../../application/errors.ts"

export type Reason = "conflict" | "retry" | "timeout" | "unavailable" | "bug"

/** the cause's code decides; a connection that PostgreSQL lost, or could not make, has none */
export const reasonOf = (error: SqlError.SqlError): Reason => {
  const cause: unknown = error.cause
  const code = typeof cause === "object" && cause !== null && "code" in cause ? String(cause.code) : ""
  if (code === "23505" || code === "SQLITE_CONSTRAINT_UNIQUE" || code === "SQLITE_CONSTRAINT_PRIMARYKEY")
    return "conflict"
  if (code === "40001" || code === "40P01" || code.startsWith("SQLITE_BUSY") || code.startsWith("SQLITE_LOCKED"))
    return "retry"
  if (code === "57014" || code === "55P03" || code === "25P03") return "timeout"
  if (
    /^(08|28|53|57P|25006)/.test(code) ||
    /^SQLITE_(FULL|IOERR|CANTOPEN|READONLY|NOMEM)/.test(code) ||
    /^E[A-Z]+$/.test(code)
  )
    return "unavailable"
  return /^[0-9A-Z]{5}$|^SQLITE_/.test(code) ? "bug" : "unavailable"
}

const again = Schedule.exponential("5 millis").pipe(Schedule.jittered, Schedule.intersect(Schedule.recurs(8)))

/** what a failure is to callers; a conflict or a bug of ours is a defect */
const settled = <E>(
  operation: string,
  error: E | SqlError.SqlError
): Effect.Effect<never, Exclude<E, SqlError.SqlError> | Unavailable> => {
  if (!(error instanceof SqlError.SqlError)) return Effect.fail(error as Exclude<E, SqlError.SqlError>)
  const reason = reasonOf(error)
  return reason === "bug" || reason === "conflict"
    ? Effect.die(error)
    : Effect.fail(new Unavailable({ peer: "database", operation, cause: error }))
}

const worthRetrying = (error: unknown): boolean => error instanceof SqlError.SqlError && reasonOf(error) === "retry"

/** the attempts after the first, which failed with `error`; their schedule is made only now, because most operations never need it */
const retried = <A, E>(effect: Effect.Effect<A, E>, error: E): Effect.Effect<A, E> => {
  let first = true
  const attempt = Effect.suspend(() => {
    if (!first) return effect
    first = false
    return Effect.fail(error)
  })
  return Effect.retry(attempt, { while: worthRetrying, schedule: again })
}

/** every store method goes through here */
export const run = <A, E>(
  operation: string,
  effect: Effect.Effect<A, E | SqlError.SqlError>
): Effect.Effect<A, Exclude<E, SqlError.SqlError> | Unavailable> =>
  Effect.uninterruptible(
    Effect.catchAll(effect, (error) =>
      worthRetrying(error)
        ? Effect.catchAll(retried(effect, error), (last) => settled(operation, last))
        : settled(operation, error)
    )
  )
