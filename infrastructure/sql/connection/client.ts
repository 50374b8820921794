/** The two ways of using a database: `read` sees committed data, `write` is one transaction. `open.ts` opens one. */
import type { SqlError } from "@effect/sql"
import { Context, type Effect } from "effect"
import type { Unavailable } from "../../../application/errors.ts"
import type { Location } from "./location.ts"
import type { RotatingClient } from "./rotating-client.ts"
import type * as Session from "./session.ts"
import type { Together } from "./transaction.ts"

export type Body<A, E> = (session: Session.Session) => Effect.Effect<A, E | SqlError.SqlError>
export type Use = <A, E>(
  operation: string,
  body: Body<A, E>
) => Effect.Effect<A, Exclude<E, SqlError.SqlError> | Unavailable>

export class Database extends Context.Tag("evald/infrastructure/sql/Database")<
  Database,
  {
    readonly dialect: Session.Dialect
    /** file, server or memory, as messages and metrics name it; never with credentials */
    readonly kind: Location["_tag"]
    /** committed data; several statements of one body may see different moments */
    readonly read: Use
    /** `read` for what may take long: on a file in a thread of its own, so that nobody else waits for it */
    readonly readLong: Use
    /**
     * One transaction. The body may run more than once and must be free of time and randomness; when it fails after a statement
     * of `session.write`, nothing is stored. Writes that lock the same rows name a line (a job's id): they wait for each other here
     * rather than in the database, and share transactions; SQLite has one line anyway.
     */
    readonly write: <A, E>(
      operation: string,
      body: Body<A, E>,
      line?: string
    ) => Effect.Effect<A, Exclude<E, SqlError.SqlError> | Unavailable>
    /**
     * `write` of so many rows that others must not wait behind several of them: one such transaction at a time on SQLite, and in lines of
     * their own on PostgreSQL. Those that lock the same rows name a line. Answered when it is on the disk, and with it all that it could read; until then
     * others may read it.
     */
    readonly writeLong: <A, E>(
      operation: string,
      body: Body<A, E>,
      line: string
    ) => Effect.Effect<A, Exclude<E, SqlError.SqlError> | Unavailable>
    /**
     * For a long write between two of its statements: lets short ones go first. On PostgreSQL it waits for them a moment; in a SQLite file, where one
     * transaction is open at a time, its own is undone and its body runs again after them.
     */
    readonly giveWay: Effect.Effect<void>
    /** for whoever makes ready a long write: others have their turn, and on PostgreSQL what they write shortly is waited for a moment */
    readonly pause: Effect.Effect<void>
    /**
     * `write` in a line, where writes that share a transaction may also share statements; `state` is what `how` prepared for all of them,
     * undefined where statements cost nothing (SQLite).
     */
    readonly writeTogether: <A, E, Want, State>(
      operation: string,
      line: string,
      together: { readonly how: Together<Want, State>; readonly want: Want },
      body: (session: Session.Session, state: State | undefined) => Effect.Effect<A, E | SqlError.SqlError>
    ) => Effect.Effect<A, Exclude<E, SqlError.SqlError> | Unavailable>
    /** one statement of `session.write` that is a transaction by itself, and no totals: on PostgreSQL it goes out without BEGIN and COMMIT */
    readonly writeOne: Use
    /**
     * `write` of what is of no use to anybody once the machine of a database file lost its power: others see it at once, and it outlives this process, but
     * its COMMIT flushes nothing. It is on the disk with the next one that does, and never without what was written before it. PostgreSQL may run on
     * another machine, and flushes as ever.
     */
    readonly writeUnflushed: Use
    /** fails when what the connections use is not what is named any more: a file that was removed or replaced */
    readonly present: Effect.Effect<void, Unavailable>
    /** LISTEN and NOTIFY; absent on SQLite, where one process owns the database */
    readonly pg?: Pick<RotatingClient, "listen" | "url">
  }
>() {}
