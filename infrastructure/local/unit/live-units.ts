/**
 * Which units of this instance have a process, on disk: one small file per unit from its launch until its end is settled, written by
 * the server that launched it. It makes a launch happen once among several servers, and tells the next server what a killed one left.
 */
import { mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Either, Schema } from "effect"
import type { UnitId } from "../../../application/ports/runtime.ts"
import { unitKey } from "../../unit/names.ts"
import { NotPlain, readNow } from "../files/guarded-file.ts"
import { namesIn } from "../files/unit-directory.ts"
import { isAlive } from "../process/process-table.ts"

const Mark = Schema.Struct({ pid: Schema.Number, startTicks: Schema.optionalWith(Schema.String, { exact: true }) })

const LiveUnit = Schema.Struct({
  tenant: Schema.String,
  jobId: Schema.String,
  index: Schema.Number,
  attempt: Schema.Number,
  runId: Schema.String,
  /** the unit's directory */
  root: Schema.String,
  /** of the provider, for the words about its end */
  command: Schema.optionalWith(Schema.String, { exact: true }),
  /** the server that owns it */
  server: Mark,
  /** leader of its process group; absent while the launch is being prepared */
  leader: Schema.optionalWith(Mark, { exact: true }),
  /** how it ended, while that is not yet settled */
  ended: Schema.optionalWith(
    Schema.Struct({
      at: Schema.String,
      code: Schema.String,
      message: Schema.String,
      exitCode: Schema.optionalWith(Schema.Number, { exact: true }),
      signal: Schema.optionalWith(Schema.String, { exact: true })
    }),
    { exact: true }
  )
})
export type LiveUnit = typeof LiveUnit.Type

const decode = Schema.decodeUnknownEither(Schema.parseJson(LiveUnit))

export interface LiveUnits {
  /** false when the unit has an entry already */
  readonly claim: (unit: LiveUnit) => boolean
  readonly replace: (unit: LiveUnit) => void
  readonly remove: (unit: Pick<UnitId, "jobId" | "index" | "attempt">) => void
  /** the entry with this key (`unitKey`); one that can not be read (torn by a crash) is removed */
  readonly find: (key: string) => LiveUnit | undefined
  /** keys of all entries, without reading them */
  readonly keys: () => ReadonlySet<string>
}

const suffix = ".json"

const maxEntryBytes = 1024 * 1024

export const make = (instanceDir: string): LiveUnits => {
  const directory = join(instanceDir, "live")
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  const pathOf = (key: string) => join(directory, key + suffix)
  const read = (key: string): LiveUnit | undefined => {
    const path = pathOf(key)
    try {
      const entry = Either.getOrUndefined(decode(readNow(path, maxEntryBytes)))
      if (entry === undefined) rmSync(path, { force: true })
      return entry
    } catch (error) {
      // removed by its owner a moment ago
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined
      // somebody put something else there, which is no entry of a server
      if (error instanceof NotPlain) {
        rmSync(path, { recursive: true, force: true })
        return undefined
      }
      throw error
    }
  }
  return {
    claim: (unit) => {
      try {
        writeFileSync(pathOf(unitKey(unit)), JSON.stringify(unit), { mode: 0o600, flag: "wx" })
        return true
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === "EEXIST") return false
        throw error
      }
    },
    replace: (unit) => {
      const path = pathOf(unitKey(unit))
      writeFileSync(`${path}.new`, JSON.stringify(unit), { mode: 0o600 })
      renameSync(`${path}.new`, path)
    },
    remove: (unit) => rmSync(pathOf(unitKey(unit)), { force: true }),
    find: read,
    keys: () =>
      new Set(namesIn(directory).flatMap((name) => (name.endsWith(suffix) ? [name.slice(0, -suffix.length)] : [])))
  }
}

/** is the server that owns this entry still there? */
export const isOwned = (unit: LiveUnit): boolean => isAlive(unit.server)
