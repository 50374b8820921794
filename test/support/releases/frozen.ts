/** Databases as servers of earlier builds left them when they were killed, one for each version of the schema: `deploy/freeze.mjs` writes them. */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { gunzipSync } from "node:zlib"

const fixtures = fileURLToPath(new URL("../../fixtures", import.meta.url))

export interface FrozenRecord {
  readonly name: string
  readonly resource: { readonly id: string; readonly tenant: string }
  readonly benchmarks: ReadonlyArray<{ readonly provider_id: string; readonly parameters?: unknown }>
  readonly status: { readonly state: string; readonly benchmarks: ReadonlyArray<{ readonly status: string }> }
  readonly results: {
    readonly benchmarks: ReadonlyArray<{ readonly metrics: unknown; readonly benchmark_index: number }>
  }
}

/** what the server said of its database */
export interface Said {
  readonly records: ReadonlyArray<FrozenRecord>
  /** a job that was removed */
  readonly gone: string
  readonly providers: ReadonlyArray<string>
  readonly collections: ReadonlyArray<string>
}

export interface Frozen {
  readonly release: string
  readonly schema: number
  readonly said: { readonly sqlite: Said; readonly pg: Said }
  /** the file of SQLite */
  readonly file: Buffer
  /** statements for PostgreSQL */
  readonly statements: string
}

/** folders of releases, the oldest first */
export const frozenReleases: ReadonlyArray<string> = readdirSync(fixtures)
  .filter((name) => name.startsWith("release-"))
  .toSorted((a, b) => a.localeCompare(b, "en", { numeric: true }))
  .map((name) => join(fixtures, name))

export const frozenDatabases: ReadonlyArray<Frozen> = frozenReleases.flatMap((folder) =>
  readdirSync(join(folder, "databases"))
    .flatMap((name) => /^schema-(\d+)\.json$/.exec(name)?.[1] ?? [])
    .map(Number)
    .toSorted((a, b) => a - b)
    .map((schema) => {
      const at = (rest: string) => readFileSync(join(folder, "databases", `schema-${schema}.${rest}`))
      return {
        release: folder.slice(folder.lastIndexOf("-") + 1),
        schema,
        said: JSON.parse(at("json").toString()) as Frozen["said"],
        file: gunzipSync(at("sqlite.gz")),
        statements: gunzipSync(at("pg.sql.gz")).toString()
      }
    })
)
