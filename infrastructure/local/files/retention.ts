/**
 * Removes the files of units that ended long ago, and of instances whose servers are gone: at start and every hour, a little at a time.
 * Reference: adapter-contract.md, "Addresses".
 */
import { readdir, rm, rmdir, stat } from "node:fs/promises"
import { join } from "node:path"
import { Clock, Effect } from "effect"
import * as LiveUnits from "../unit/live-units.ts"
import { endedMark, namesIn, unlockTestData } from "./unit-directory.ts"

export interface RetentionOptions {
  readonly baseDir: string
  readonly instance: string
  readonly retainSeconds: number
}

const attempt = <A>(run: () => Promise<A>): Effect.Effect<A | undefined> =>
  Effect.orElseSucceed(Effect.tryPromise(run), () => undefined)

const removeAll = async (path: string): Promise<void> => {
  unlockTestData(path)
  await rm(path, { recursive: true, force: true })
}

const changedAt = (path: string) =>
  Effect.map(
    attempt(() => stat(path)),
    (stats) => stats?.mtimeMs
  )

const names = (path: string) =>
  Effect.map(
    attempt(() => readdir(path)),
    (found) => found ?? []
  )

const notJobs = (name: string) => name === "live" || name.startsWith(".")

/** removes the unit directories of one job that ended before `before` (milliseconds); then the job's own when it is empty */
const sweepJob = (path: string, before: number) =>
  Effect.gen(function* () {
    for (const name of yield* names(path)) {
      const root = join(path, name)
      const ended = yield* changedAt(endedMark(root))
      if (ended !== undefined && ended < before) yield* attempt(() => removeAll(root))
    }
    yield* attempt(() => rmdir(path))
  })

/** no unit of it has a server that still lives */
const abandoned = (path: string): boolean => {
  if (namesIn(join(path, "live")).length === 0) return true
  const liveUnits = LiveUnits.make(path)
  return [...liveUnits.keys()].every((key) => {
    const entry = liveUnits.find(key)
    return entry === undefined || !LiveUnits.isOwned(entry)
  })
}

/** one pass over everything below the base directory */
export const sweep = (options: RetentionOptions): Effect.Effect<void> =>
  Effect.gen(function* () {
    const before = (yield* Clock.currentTimeMillis) - options.retainSeconds * 1000
    const own = join(options.baseDir, options.instance)
    for (const name of yield* names(own)) if (!notJobs(name)) yield* sweepJob(join(own, name), before)
    for (const name of yield* names(options.baseDir)) {
      const path = join(options.baseDir, name)
      const changed = name === options.instance ? undefined : yield* changedAt(path)
      if (changed === undefined || changed >= before) continue
      if (yield* Effect.sync(() => abandoned(path))) yield* attempt(() => removeAll(path))
    }
  })

/** never ends; the first pass waits until the start is over */
export const run = (options: RetentionOptions): Effect.Effect<never> =>
  Effect.sleep("30 seconds").pipe(
    Effect.zipRight(Effect.forever(Effect.zipRight(sweep(options), Effect.sleep("1 hour"))))
  )
