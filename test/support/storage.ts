/** The storage backends a contract suite runs on. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Context, Effect, Layer, Redacted, TestClock } from "effect"
import * as Storage from "../../infrastructure/sql/database.ts"
import { jumpingClock } from "./jumping-clock.ts"

export const settings = { poolSize: 4, statementTimeoutMillis: 5000, vendorAliases: true } as const

export const sqliteMemory = Storage.layer({ ...settings, driver: "sqlite" })

export const sqliteAt = (path: string) =>
  Storage.layer({ ...settings, driver: "sqlite", url: Redacted.make(`file:${path}`) })

/** a server's storage on the PostgreSQL of this URL, or in this file */
export const storageAt = (target: string) =>
  target.startsWith("postgres")
    ? Storage.layer({ ...settings, poolSize: 8, driver: "pgx", url: Redacted.make(target) })
    : sqliteAt(target)

/** a folder that disappears with the scope */
export const temporaryFolder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "evald-store-"))),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
)

/** a database file of its own */
export const sqliteFile = Layer.unwrapScoped(
  Effect.map(temporaryFolder, (folder) => sqliteAt(join(folder, "evald.db")))
)

/** every storage port */
export type StorageLayer = typeof sqliteMemory

/** how a test lets time pass for what is stored */
export class StoredTime extends Context.Tag("evald/test/StoredTime")<
  StoredTime,
  {
    readonly pass: (millis: number) => Effect.Effect<void>
    /** runs the effect with a clock that was set by so many milliseconds; back when negative */
    readonly withClockSet: <A, E, R>(millis: number, effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  }
>() {}

export type TimedStorage = Layer.Layer<Layer.Layer.Success<StorageLayer> | StoredTime, Layer.Layer.Error<StorageLayer>>

/** of stores that tell the time by the clock of the test */
export const timeOfTest = Layer.succeed(StoredTime, {
  pass: (millis) => TestClock.adjust(millis),
  withClockSet: (millis, effect) =>
    Effect.flatMap(jumpingClock, ({ clock, jump }) => Effect.zipRight(jump(millis), Effect.withClock(effect, clock)))
})
