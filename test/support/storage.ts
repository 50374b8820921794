/** The storage backends a contract suite runs on. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, Layer, Redacted } from "effect"
import * as Storage from "../../infrastructure/sql/database.ts"

export const settings = { poolSize: 4, statementTimeoutMillis: 5000, vendorAliases: true } as const

export const sqliteMemory = Storage.layer({ ...settings, driver: "sqlite" })

export const sqliteAt = (path: string) => Storage.layer({ ...settings, driver: "sqlite", url: Redacted.make(`file:${path}`) })

/** a server's storage on the PostgreSQL of this URL, or in this file */
export const storageAt = (target: string) =>
  target.startsWith("postgres") ? Storage.layer({ ...settings, poolSize: 8, driver: "pgx", url: Redacted.make(target) }) : sqliteAt(target)

/** a folder that disappears with the scope */
export const temporaryFolder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "evald-store-"))),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
)

/** a database file of its own */
export const sqliteFile = Layer.unwrapScoped(Effect.map(temporaryFolder, (folder) => sqliteAt(join(folder, "evald.db"))))

/** every storage port */
export type StorageLayer = typeof sqliteMemory
