/** Samples go in two steps: the set is marked at once, its rows and chunks follow in small transactions. */
import { Effect } from "effect"
import type { Session } from "../connection/session.ts"

/** in the transaction that removes the job */
export const dropSamples = (session: Session, jobId: string) =>
  session.write("UPDATE sample_sets SET gone = 1 WHERE job_id = ? AND gone = 0", [jobId])

export const expireSamples = (session: Session, before: string) =>
  Effect.asVoid(session.write("UPDATE sample_sets SET gone = 1 WHERE gone = 0 AND updated_at < ?", [before]))

/** rows of a table that belong to the set, at most so many */
const removeSome = (session: Session, table: "sample_rows" | "sample_chunks", set: number, limit: number) => {
  const name = session.dialect === "pg" ? "ctid" : "key"
  return Effect.map(
    session.write(
      `DELETE FROM ${table} WHERE ${name} IN (SELECT ${name} FROM ${table} WHERE set_key = ? LIMIT ?) RETURNING set_key`,
      [set, limit]
    ),
    ({ length }) => length
  )
}

/** a chunk weighs as much as so many rows */
const rowsPerChunk = 32

export const purgeSamples = (session: Session, limit: number) =>
  Effect.gen(function* () {
    const [set] = yield* session.query<{ key: number }>(
      "SELECT key FROM sample_sets WHERE gone = 1 ORDER BY key LIMIT 1",
      []
    )
    if (set === undefined) return false
    if ((yield* removeSome(session, "sample_rows", set.key, limit)) === limit) return true
    const chunks = Math.ceil(limit / rowsPerChunk)
    if ((yield* removeSome(session, "sample_chunks", set.key, chunks)) === chunks) return true
    yield* session.write("DELETE FROM sample_kinds WHERE set_key = ?", [set.key])
    yield* session.write("DELETE FROM sample_sets WHERE key = ?", [set.key])
    return true
  })
