/**
 * A part of a name that few jobs have is found in an index of trigrams; one that many have is found sooner in the order of the list. Which
 * of the two it is shows when the index is asked for a few more than few. The rows are the same either way.
 */
import type { SqlError } from "@effect/sql"
import { Effect } from "effect"
import type { Param, Session } from "../connection/session.ts"
import { nameKey } from "../rows/job-row.ts"

/** jobs with a name that is still rare */
const rare = 2000

/** a phrase of the full-text query language: any text, as it is */
const phrase = (key: string): string => `"${key.replaceAll('"', '""')}"`

/** a pattern that means the text itself */
const pattern = (key: string): string => `%${key.replace(/[\\%_]/g, "\\$&")}%`

/** an index of trigrams knows nothing shorter; that of PostgreSQL looks at letters and digits alone */
const isIndexed = (session: Session, key: string): boolean =>
  session.dialect === "pg" ? /[\p{L}\p{N}]{3}/u.test(key) : [...key].length >= 3

const inSqlite = `SELECT rowid AS key FROM job_names WHERE job_names MATCH ? LIMIT ${rare + 1}`
const inPostgres = `SELECT key FROM jobs WHERE tenant = ? AND name_key LIKE ? LIMIT ${rare + 1}`

/**
 * Keys of the jobs whose name has the part, those of other tenants perhaps among them; undefined when there are many, or when the index
 * cannot tell. `hasIndex`: whether PostgreSQL has one.
 */
export const rareNames = (
  session: Session,
  hasIndex: boolean,
  tenant: string,
  name: string | undefined
): Effect.Effect<ReadonlyArray<number> | undefined, SqlError.SqlError> => {
  const key = nameKey(name ?? "")
  if (!isIndexed(session, key) || (session.dialect === "pg" && !hasIndex)) return Effect.sync(() => undefined)
  const found =
    session.dialect === "pg"
      ? session.query<{ key: number }>(inPostgres, [tenant, pattern(key)])
      : session.query<{ key: number }>(inSqlite, [phrase(key)])
  return Effect.map(found, (rows) => (rows.length > rare ? undefined : rows.map((row) => row.key)))
}

/** these jobs as rows to page through, and the parameter that names them */
export const fromKeys = (
  session: Session,
  keys: ReadonlyArray<number>
): { readonly text: string; readonly params: ReadonlyArray<Param> } =>
  session.dialect === "pg"
    ? { text: "FROM unnest(CAST(? AS INTEGER[])) n(key) JOIN jobs s ON s.key = n.key", params: [`{${keys.join(",")}}`] }
    : { text: "FROM json_each(?) n CROSS JOIN jobs s ON s.key = n.value", params: [JSON.stringify(keys)] }
