/** Which database a URL means. Reference: configuration.md, "Settings". */
import { realpathSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { Data, type Effect, Option, Redacted } from "effect"

/** the database cannot be used as it is configured; the message names the reason and the fix */
export class DatabaseRefused extends Data.TaggedError("DatabaseRefused")<{ readonly message: string }> {}

export interface DatabaseConfig {
  readonly driver: "sqlite" | "pgx"
  /** absent: SQLite in memory */
  readonly url?: Redacted.Redacted
  /** what the URL of a PostgreSQL is now, when it came from a file; none: the file can not be read */
  readonly reread?: Effect.Effect<Option.Option<Redacted.Redacted>>
  /** connections to PostgreSQL */
  readonly poolSize: number
  /** longest time of one statement on PostgreSQL */
  readonly statementTimeoutMillis: number
}

export type Location =
  | { readonly _tag: "Memory" }
  | { readonly _tag: "File"; readonly path: string }
  | { readonly _tag: "Server"; readonly url: URL }

const canonical = (path: string): string => {
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}

const sqliteLocation = (url: string): Location => {
  if (url === "" || url.includes(":memory:") || /[?&]mode=memory\b/.test(url)) return { _tag: "Memory" }
  const text = url.startsWith("file:///")
    ? fileURLToPath(url.replace(/\?.*$/, ""))
    : url.replace(/^(file|sqlite):(\/\/)?/, "").replace(/\?.*$/, "")
  return { _tag: "File", path: canonical(text) }
}

/** none: it is no URL of a PostgreSQL */
export const serverUrl = (text: string): Option.Option<URL> =>
  /^postgres(ql)?:\/\//.test(text.trim()) && URL.canParse(text.trim())
    ? Option.some(new URL(text.trim()))
    : Option.none()

/** throws `DatabaseRefused` */
export const locate = (config: DatabaseConfig): Location => {
  const url = config.url === undefined ? "" : Redacted.value(config.url).trim()
  if (config.driver === "sqlite") {
    if (/^postgres(ql)?:/.test(url))
      throw new DatabaseRefused({
        message: "database.url names PostgreSQL while database.driver is 'sqlite': set database.driver to 'pgx'."
      })
    return sqliteLocation(url)
  }
  return Option.match(serverUrl(url), {
    onNone: () => {
      throw new DatabaseRefused({
        message:
          "database.driver 'pgx' needs database.url (DB_URL) of the form postgres://user:password@host:5432/name."
      })
    },
    onSome: (parsed) => ({ _tag: "Server" as const, url: parsed })
  })
}

/** why a connection could not be opened, in the driver's words */
export const reasonText = (defect: unknown): string =>
  defect instanceof Error ? defect.message : "it cannot be opened"
