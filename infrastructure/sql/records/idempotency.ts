/** Keys of creating requests. A key is claimed first, in the transaction that stores the record: a second claimant waits and finds it taken. */
import type { SqlError } from "@effect/sql"
import { Clock, Effect, Layer } from "effect"
import {
  Idempotency,
  type IdempotencyClaim,
  type InsertOutcome
} from "../../../application/ports/stores/idempotency.ts"
import { Database } from "../connection/client.ts"
import type { Session } from "../connection/session.ts"

const claimText = `INSERT INTO idempotency_keys (scope, key, body_digest, record_id, answer, expires_at) VALUES (?, ?, ?, ?, '', ?)
  ON CONFLICT (scope, key) DO NOTHING RETURNING key`

/** runs `insert` and keeps its answer when the key is free; one that has expired by `now` is */
export const claimed = <E>(
  session: Session,
  claim: IdempotencyClaim,
  now: string,
  recordId: string,
  insert: Effect.Effect<string, E | SqlError.SqlError>
): Effect.Effect<InsertOutcome, E | SqlError.SqlError> =>
  Effect.gen(function* () {
    yield* session.write("DELETE FROM idempotency_keys WHERE scope = ? AND key = ? AND expires_at <= ?", [
      claim.scope,
      claim.key,
      now
    ])
    const [row] = yield* session.write<{ key: string }>(claimText, [
      claim.scope,
      claim.key,
      claim.bodyDigest,
      recordId,
      claim.expiresAt
    ])
    if (row === undefined) return "taken"
    const answer = yield* insert
    yield* session.write("UPDATE idempotency_keys SET answer = ? WHERE scope = ? AND key = ?", [
      answer,
      claim.scope,
      claim.key
    ])
    return "inserted"
  })

interface AnswerRow {
  readonly body_digest: string
  readonly record_id: string
  readonly answer: string
}

const removeText = `DELETE FROM idempotency_keys WHERE (scope, key) IN
  (SELECT scope, key FROM idempotency_keys WHERE expires_at <= ? ORDER BY expires_at LIMIT ?) RETURNING key`

const findText =
  "SELECT body_digest, record_id, answer FROM idempotency_keys WHERE scope = ? AND key = ? AND expires_at > ?"

const make = Effect.map(Database, (database) =>
  Idempotency.of({
    find: (scope, key) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) =>
        Effect.map(
          database.read("findAnswer", (session) =>
            session.query<AnswerRow>(findText, [scope, key, new Date(now).toISOString()])
          ),
          ([row]) =>
            row === undefined ? undefined : { bodyDigest: row.body_digest, recordId: row.record_id, answer: row.answer }
        )
      ),
    removeExpired: (limit) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) =>
        Effect.map(
          database.write("removeExpiredKeys", (session) =>
            session.write<{ key: string }>(removeText, [new Date(now).toISOString(), limit])
          ),
          (rows) => rows.length
        )
      )
  })
)

export const layer: Layer.Layer<Idempotency, never, Database> = Layer.effect(Idempotency, make)
