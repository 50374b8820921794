/** Records that a tenant owns, whole: providers and collections differ in their table and in what else a write touches. */
import type { SqlError } from "@effect/sql"
import { Clock, Effect, type Either } from "effect"
import { NotFound, ProviderGone } from "../../../application/errors.ts"
import type { Needs } from "../../../application/ports/stores/definition-store.ts"
import type { IdempotencyClaim } from "../../../application/ports/stores/idempotency.ts"
import { parseJson } from "../../../values/json.ts"
import type { Database } from "../connection/client.ts"
import { marks, type Session } from "../connection/session.ts"
import { claimed } from "./idempotency.ts"

export interface TenantRecord {
  readonly id: string
  readonly tenant?: string
  readonly name: string
  readonly owner?: string
  readonly createdAt: string
  readonly updatedAt: string
}

export interface RecordTable<A extends TenantRecord> {
  readonly table: "providers" | "collections"
  readonly kind: "provider" | "collection"
  /** in the transaction of every insert and change, after the row was written */
  readonly stored: (session: Session, record: A) => Effect.Effect<void, SqlError.SqlError>
}

/** a provider that is being deleted in this moment is waited for; one that is there cannot be deleted before this transaction ends */
const hold = (
  session: Session,
  tenant: string,
  providers: ReadonlyArray<string>
): Effect.Effect<void, ProviderGone | SqlError.SqlError> => {
  if (providers.length === 0) return Effect.void
  const text = `SELECT id FROM providers WHERE tenant = ? AND id IN (${marks(providers.length)}) ORDER BY id${session.dialect === "pg" ? " FOR SHARE" : ""}`
  return Effect.flatMap(session.query<{ id: string }>(text, [tenant, ...providers]), (rows) => {
    const found = new Set(rows.map(({ id }) => id))
    const gone = providers.find((id) => !found.has(id))
    return gone === undefined ? Effect.void : Effect.fail(new ProviderGone({ id: gone }))
  })
}

interface DataRow {
  readonly id: string
  readonly data: string
}

/** the record, or why its row cannot be read */
const parsed = <A extends TenantRecord>({ id, data }: DataRow): A | string =>
  (parseJson(data) as A | undefined) ?? `${id}: its stored record is damaged`

/** the row, with what else an insert touches */
const insertInto = <A extends TenantRecord>(
  { table, stored }: RecordTable<A>,
  session: Session,
  record: A,
  needs: Needs<A>
) =>
  Effect.all(
    [
      hold(session, record.tenant ?? "", needs(record)),
      session.write(
        `INSERT INTO ${table} (tenant, id, name, owner, created_at, updated_at, version, data) VALUES (?, ?, ?, ?, ?, ?, 1, ?)`,
        [
          ...[record.tenant ?? "", record.id, record.name, record.owner ?? null, record.createdAt, record.updatedAt],
          JSON.stringify(record)
        ]
      ),
      stored(session, record)
    ],
    { discard: true }
  )

/** `lock`: nobody else changes the row before this transaction ends */
const findIn = <A extends TenantRecord>(
  { table, kind }: Pick<RecordTable<A>, "table" | "kind">,
  session: Session,
  { tenant, id, lock }: { readonly tenant: string; readonly id: string; readonly lock: boolean }
) =>
  Effect.flatMap(
    session.query<DataRow>(
      `SELECT id, data FROM ${table} WHERE tenant = ? AND id = ?${lock && session.dialect === "pg" ? " FOR UPDATE" : ""}`,
      [tenant, id]
    ),
    ([row]) => {
      if (row === undefined) return Effect.fail(new NotFound({ kind, id }))
      const record = parsed<A>(row)
      return typeof record === "string" ? Effect.dieMessage(record) : Effect.succeed(record)
    }
  )

export const make = <A extends TenantRecord>(of: RecordTable<A>, database: typeof Database.Service) => {
  const { table, kind, stored } = of
  const insertRow = (session: Session, record: A, needs: Needs<A>) => insertInto(of, session, record, needs)
  const find = (session: Session, tenant: string, id: string, lock: boolean) =>
    findIn<A>(of, session, { tenant, id, lock })
  return {
    insert: (record: A, needs: Needs<A> = () => []) =>
      database.write(`insert ${kind}`, (session) => insertRow(session, record, needs)),
    insertOnce: (record: A, claim: IdempotencyClaim, needs: Needs<A> = () => []) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) =>
        database.write(`insert ${kind}`, (session) =>
          claimed(
            session,
            claim,
            new Date(now).toISOString(),
            record.id,
            Effect.as(insertRow(session, record, needs), JSON.stringify(record))
          )
        )
      ),
    load: (tenant: string, id: string) => database.read(`load ${kind}`, (session) => find(session, tenant, id, false)),
    list: (tenant: string) =>
      Effect.map(
        database.read(`list ${kind}`, (session) =>
          session.query<DataRow>(`SELECT id, data FROM ${table} WHERE tenant = ? ORDER BY name, id`, [tenant])
        ),
        (rows) => {
          const all = rows.map((row) => parsed<A>(row))
          return {
            records: all.filter((one): one is A => typeof one !== "string"),
            errors: all.filter((one) => typeof one === "string")
          }
        }
      ),
    change: <E>(tenant: string, id: string, decide: (record: A) => Either.Either<A, E>, needs: Needs<A> = () => []) =>
      database.write(`change ${kind}`, (session) =>
        Effect.gen(function* () {
          const next = yield* decide(yield* find(session, tenant, id, true))
          yield* hold(session, tenant, needs(next))
          yield* session.write(
            `UPDATE ${table} SET name = ?, updated_at = ?, version = version + 1, data = ? WHERE tenant = ? AND id = ?`,
            [...[next.name, next.updatedAt, JSON.stringify(next), tenant, id]]
          )
          yield* stored(session, next)
          return next
        })
      ),
    /** `check` runs under the row's lock, before the row goes */
    remove: <E>(
      tenant: string,
      id: string,
      check: (session: Session, record: A) => Effect.Effect<void, E | SqlError.SqlError>
    ) =>
      database.write(`remove ${kind}`, (session) =>
        Effect.gen(function* () {
          yield* check(session, yield* find(session, tenant, id, true))
          yield* session.write(`DELETE FROM ${table} WHERE tenant = ? AND id = ?`, [tenant, id])
        })
      )
  }
}
