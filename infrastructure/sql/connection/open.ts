/** Opens the database that the settings name: memory, a file, or a server. */
import { Effect, Layer } from "effect"
import { Database } from "./client.ts"
import { type DatabaseConfig, DatabaseRefused, locate } from "./location.ts"
import { postgres } from "./postgres.ts"
import { sqliteFile, sqliteMemory } from "./sqlite.ts"

export const open = (config: DatabaseConfig) =>
  Effect.flatMap(
    Effect.try({
      try: () => locate(config),
      catch: (error) =>
        error instanceof DatabaseRefused ? error : new DatabaseRefused({ message: "database.url cannot be read." })
    }),
    (location) => {
      if (location._tag === "Memory") return sqliteMemory
      return location._tag === "File" ? sqliteFile(location.path) : postgres(location.url, config)
    }
  )

/** an opened database, not yet migrated: `migrate.ts` does */
export const layer = (config: DatabaseConfig): Layer.Layer<Database, DatabaseRefused> =>
  Layer.scoped(Database, open(config))
