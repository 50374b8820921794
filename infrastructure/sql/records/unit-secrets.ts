/** Callback secrets at rest: a keyed hash each, with a key that never leaves the database. Reference: gateway.md, "Routes". */
import { createHmac, timingSafeEqual } from "node:crypto"
import { Clock, Effect, Layer, Redacted } from "effect"
import { Identifiers } from "../../../application/ports/identifiers.ts"
import { UnitSecrets } from "../../../application/ports/stores/unit-secrets.ts"
import { Database } from "../connection/client.ts"
import type { Param } from "../connection/session.ts"
import { sharedKey } from "./shared-key.ts"

interface SecretRow {
  readonly hash: string
  readonly tenant: string
  readonly job_id: string
  readonly idx: number
  readonly attempt: number
  readonly expires_at: string | null
}

const iso = (millis: number): string => new Date(millis).toISOString()

const make = Effect.gen(function* () {
  const database = yield* Database
  const identifiers = yield* Identifiers
  const key = yield* sharedKey("unit_secret_key")
  const hashOf = (secret: Redacted.Redacted): string =>
    createHmac("sha256", key).update(Redacted.value(secret)).digest("hex")
  const ofUnit = "WHERE job_id = ? AND idx = ? AND attempt = ?"
  const retire = (where: string, params: ReadonlyArray<Param>, graceMillis: number) =>
    Effect.flatMap(Clock.currentTimeMillis, (now) =>
      Effect.asVoid(
        database.writeOne("retireSecret", (session) =>
          session.write(`UPDATE unit_secrets SET expires_at = ? ${where} AND expires_at IS NULL`, [
            iso(now + graceMillis),
            ...params
          ])
        )
      )
    )
  return UnitSecrets.of({
    issue: (unit) =>
      Effect.gen(function* () {
        const secret = Redacted.make(yield* identifiers.secret)
        const now = iso(yield* Clock.currentTimeMillis)
        // it serves a process of this machine, which no loss of power leaves running
        yield* database.writeUnflushed("issueSecret", (session) =>
          Effect.gen(function* () {
            yield* session.write("DELETE FROM unit_secrets WHERE expires_at < ?", [now])
            yield* session.write(`DELETE FROM unit_secrets ${ofUnit}`, [unit.jobId, unit.index, unit.attempt])
            yield* session.write(
              "INSERT INTO unit_secrets (hash, tenant, job_id, idx, attempt) VALUES (?, ?, ?, ?, ?)",
              [...[hashOf(secret), unit.tenant, unit.jobId, unit.index, unit.attempt]]
            )
          })
        )
        return secret
      }),
    identify: (secret) =>
      Effect.gen(function* () {
        const hash = hashOf(secret)
        const now = iso(yield* Clock.currentTimeMillis)
        // a caller cannot choose the keyed hash, so the look-up tells nothing by its duration
        const [row] = yield* database.read("identifySecret", (session) =>
          session.query<SecretRow>(
            "SELECT hash, tenant, job_id, idx, attempt, expires_at FROM unit_secrets WHERE hash = ?",
            [hash]
          )
        )
        if (row === undefined || !timingSafeEqual(Buffer.from(row.hash), Buffer.from(hash))) return undefined
        if (row.expires_at !== null && row.expires_at <= now) return undefined
        return { tenant: row.tenant, jobId: row.job_id, index: row.idx, attempt: row.attempt }
      }),
    retire: ({ jobId, index, attempt }, graceMillis) => retire(ofUnit, [jobId, index, attempt], graceMillis),
    retireJob: (jobId, graceMillis) => retire("WHERE job_id = ?", [jobId], graceMillis)
  })
})

export const layer = Layer.effect(UnitSecrets, make)
