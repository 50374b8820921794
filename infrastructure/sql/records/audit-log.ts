/** The audit log in a database. Whoever appends holds the row of the head until it is committed, so that the chain has one end. */
import { Effect, Layer } from "effect"
import { AuditLog } from "../../../application/ports/stores/audit-log.ts"
import { beginning, type Head, linkAfter } from "../../audit/chain.ts"
import { Database } from "../connection/client.ts"
import type { Session } from "../connection/session.ts"

interface HeadRow {
  readonly sequence: number | string
  readonly hash: string
}

const headIn = (session: Session, locked: boolean) =>
  Effect.map(
    session.query<HeadRow>(
      `SELECT sequence, hash FROM audit_head${locked && session.dialect === "pg" ? " FOR UPDATE" : ""}`,
      []
    ),
    ([row]): Head => (row === undefined ? beginning : { sequence: Number(row.sequence), hash: row.hash })
  )

/** appends of one server share transactions */
const line = "audit"

const make = Effect.map(Database, (database) =>
  AuditLog.of({
    append: (entry) =>
      database.write(
        "appendAudit",
        (session) =>
          Effect.gen(function* () {
            const link = linkAfter(yield* headIn(session, true), entry)
            yield* session.write("INSERT INTO audit_entries (sequence, entry, hash) VALUES (?, ?, ?)", [
              ...[link.sequence, link.entry, link.hash]
            ])
            yield* session.write("UPDATE audit_head SET sequence = ?, hash = ?", [link.sequence, link.hash])
          }),
        line
      ),
    after: (sequence, limit) =>
      Effect.map(
        database.read("readAudit", (session) =>
          session.query<HeadRow & { readonly entry: string }>(
            "SELECT sequence, entry, hash FROM audit_entries WHERE sequence > ? ORDER BY sequence LIMIT ?",
            [sequence, limit]
          )
        ),
        (rows) => rows.map((row) => ({ ...row, sequence: Number(row.sequence) }))
      ),
    head: database.read("auditHead", (session) => headIn(session, false))
  })
)

export const layer: Layer.Layer<AuditLog, never, Database> = Layer.effect(AuditLog, make)
