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

/** one row, whatever the number of jobs: a row for each costs more to hand over than to find */
const few = (keys: string, found: string): string =>
  `SELECT count(*) AS jobs, CASE WHEN count(*) <= ${rare} THEN ${keys} END AS keys FROM (${found} LIMIT ${rare + 1}) found`

const inSqlite = few("json_group_array(key)", "SELECT rowid AS key FROM job_names WHERE job_names MATCH ?")
const inPostgres = few("CAST(array_agg(key) AS TEXT)", "SELECT key FROM jobs WHERE tenant = ? AND name_key LIKE ?")

/** jobs by their keys, which are a text as their database reads it */
export interface RareNames {
  readonly jobs: number
  readonly keys: string
}

/**
 * The jobs whose name has the part, those of other tenants perhaps among them; undefined when there are many, or when the index cannot tell.
 * `hasIndex`: whether PostgreSQL has one.
 */
export const rareNames = (
  session: Session,
  hasIndex: boolean,
  tenant: string,
  name: string | undefined
): Effect.Effect<RareNames | undefined, SqlError.SqlError> => {
  const key = nameKey(name ?? "")
  if (!isIndexed(session, key) || (session.dialect === "pg" && !hasIndex)) return Effect.sync(() => undefined)
  const [text, params] =
    session.dialect === "pg" ? [inPostgres, [tenant, pattern(key)]] : ([inSqlite, [phrase(key)]] as const)
  return Effect.map(
    session.query<{ readonly jobs: number | string; readonly keys: string | null }>(text, params),
    ([row]) => (Number(row?.jobs) > rare ? undefined : { jobs: Number(row?.jobs), keys: row?.keys ?? "" })
  )
}

/** these jobs as rows to page through, and the parameter that names them */
export const fromKeys = (
  session: Session,
  keys: string
): { readonly text: string; readonly params: ReadonlyArray<Param> } => ({
  text:
    session.dialect === "pg"
      ? "FROM unnest(CAST(? AS INTEGER[])) n(key) JOIN jobs s ON s.key = n.key"
      : "FROM json_each(?) n CROSS JOIN jobs s ON s.key = n.value",
  params: [keys]
})
