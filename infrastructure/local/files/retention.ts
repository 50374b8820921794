/**
 * Removes the files of units that ended long ago, or first when all take too much, and of instances whose servers are gone: at start and
 * every hour, a little at a time; every five minutes where their size is limited.
 * Reference: adapter-contract.md, "Addresses".
 */
import { lstat, readdir, rm, rmdir, stat } from "node:fs/promises"
import { join } from "node:path"
import { Clock, Effect } from "effect"
import * as LiveUnits from "../unit/live-units.ts"
import { endedMark, namesIn, unlockTestData } from "./unit-directory.ts"

export interface RetentionOptions {
  readonly baseDir: string
  readonly instance: string
  readonly retainSeconds: number
  /** bytes that files of units of this instance may take; absent: any number */
  readonly maxBytes?: number
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

/** bytes of all files below; links are not followed */
const sizeOf = async (path: string): Promise<number> => {
  const stats = await lstat(path)
  if (!stats.isDirectory()) return stats.size
  let sum = 0
  for (const name of await readdir(path)) sum += await sizeOf(join(path, name)).catch(() => 0)
  return sum
}

interface KeptUnit {
  readonly job: string
  readonly root: string
  readonly bytes: number
  /** milliseconds; absent: it has not ended */
  readonly ended: number | undefined
}

const unitsBelow = (instance: string) =>
  Effect.gen(function* () {
    const found: Array<KeptUnit> = []
    for (const job of yield* names(instance)) {
      if (notJobs(job)) continue
      for (const unit of yield* names(join(instance, job))) {
        const root = join(instance, job, unit)
        const bytes = (yield* attempt(() => sizeOf(root))) ?? 0
        found.push({ job: join(instance, job), root, bytes, ended: yield* changedAt(endedMark(root)) })
      }
    }
    return found
  })

/** those that ended first go first; units that have not ended count and stay */
const sweepBytes = (instance: string, maxBytes: number) =>
  Effect.gen(function* () {
    const units = yield* unitsBelow(instance)
    let excess = units.reduce((sum, { bytes }) => sum + bytes, 0) - maxBytes
    const byEnd = units
      .flatMap((unit) => (unit.ended === undefined ? [] : [{ ...unit, ended: unit.ended }]))
      .sort((a, b) => a.ended - b.ended)
    for (const { job, root, bytes } of byEnd) {
      if (excess <= 0) return
      yield* attempt(() => removeAll(root))
      yield* attempt(() => rmdir(job))
      excess -= bytes
    }
    if (excess > 0)
      yield* Effect.logWarning(`benchmarks that have not ended take ${excess} bytes more than local.max_bytes`)
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
    if (options.maxBytes !== undefined) yield* sweepBytes(own, options.maxBytes)
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
    Effect.zipRight(
      Effect.forever(
        Effect.zipRight(sweep(options), Effect.sleep(options.maxBytes === undefined ? "1 hour" : "5 minutes"))
      )
    )
  )
