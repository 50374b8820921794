/** Leases in the database. PostgreSQL tells the time itself, because its servers' clocks differ; a SQLite file has one server. */
import { Clock, Effect, Layer } from "effect"
import { Leases, placeOf } from "../../../application/ports/leases.ts"
import { Database } from "../connection/client.ts"
import type { Session } from "../connection/session.ts"

const databaseTime = "SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::text AS millis"

const now = (session: Session, own: number) =>
  session.dialect === "sqlite"
    ? Effect.succeed(own)
    : Effect.map(session.query<{ millis: string }>(databaseTime, []), ([row]) => Number(row?.millis ?? own))

const iso = (millis: number): string => new Date(millis).toISOString()

const hold = `INSERT INTO leases (role, holder, term, held_until) VALUES (?, ?, 1, ?)
  ON CONFLICT (role) DO UPDATE SET
    term = CASE WHEN leases.holder = excluded.holder THEN leases.term ELSE leases.term + 1 END,
    holder = excluded.holder, held_until = excluded.held_until
  WHERE leases.holder = excluded.holder OR leases.held_until <= ? OR substr(leases.holder, 1, ?) = ?
  RETURNING term`

const make = Effect.gen(function* () {
  const database = yield* Database
  return Leases.of({
    hold: (role, holder, leaseMillis) =>
      Effect.flatMap(Clock.currentTimeMillis, (own) =>
        database.write("holdLease", (session) =>
          Effect.gen(function* () {
            const time = yield* now(session, own)
            // no beginning of a holder is empty: without a place nothing is equal
            const place = placeOf(holder) ?? ""
            const [row] = yield* session.write<{ term: number }>(hold, [
              role,
              holder,
              iso(time + leaseMillis),
              iso(time),
              Math.max(1, place.length),
              place
            ])
            return row?.term
          })
        )
      ),
    // the row stays, so that terms never run backwards
    release: (role, holder) =>
      Effect.asVoid(
        database.write("releaseLease", (session) =>
          session.write("UPDATE leases SET held_until = ? WHERE role = ? AND holder = ?", [iso(0), role, holder])
        )
      )
  })
})

export const layer: Layer.Layer<Leases, never, Database> = Layer.effect(Leases, make)
