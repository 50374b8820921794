/**
 * What wakes those who follow captured logs. What this server writes wakes them at once; that another server writes to a shared folder, or
 * has ended a unit, shows when somebody looks, which happens rarely and once for all followers of a log.
 */
import { lstat, readdir } from "node:fs/promises"
import { Effect, Fiber, type Scope } from "effect"
import { segmentsOf } from "./log-store.ts"

export interface Followed {
  /** how often the log has changed; taken before reading, so that no change is missed */
  readonly version: () => number
  /** returns when the log has changed since */
  readonly changedSince: (version: number) => Effect.Effect<void>
}

export interface LogWatch {
  /** something was written to the log in this folder, or its unit ended */
  readonly changed: (directory: string) => void
  /** `isLive`: whether the unit may still write */
  readonly follow: (directory: string, isLive: () => boolean) => Effect.Effect<Followed, never, Scope.Scope>
}

const lookEvery = "5 seconds"

/** two equal ones: nothing has happened in between */
const stateOf = async (directory: string, isLive: () => boolean): Promise<string> => {
  try {
    const segments = segmentsOf(directory, await readdir(directory))
    const last = segments.at(-1)
    const size = last === undefined ? 0 : (await lstat(last.path)).size
    return `${last?.number} ${size} ${isLive()}`
  } catch (error) {
    return String(error)
  }
}

interface Log {
  version: number
  followers: number
  looking: Fiber.RuntimeFiber<unknown> | undefined
  readonly waiting: Set<() => void>
}

const wake = (log: Log): void => {
  log.version += 1
  const waiting = [...log.waiting]
  log.waiting.clear()
  for (const resume of waiting) resume()
}

const looks = (log: Log, directory: string, isLive: () => boolean) =>
  Effect.gen(function* () {
    const state = Effect.promise(() => stateOf(directory, isLive))
    let before = yield* state
    for (;;) {
      yield* Effect.sleep(lookEvery)
      const now = yield* state
      if (now !== before) wake(log)
      before = now
    }
  })

export const make = (): LogWatch => {
  const logs = new Map<string, Log>()
  return {
    changed: (directory) => {
      const log = logs.get(directory)
      if (log !== undefined) wake(log)
    },
    follow: (directory, isLive) =>
      Effect.acquireRelease(
        Effect.gen(function* () {
          const log = logs.get(directory) ?? { version: 0, followers: 0, looking: undefined, waiting: new Set() }
          logs.set(directory, log)
          log.followers += 1
          if (log.followers === 1)
            log.looking = yield* Effect.forkDaemon(Effect.interruptible(looks(log, directory, isLive)))
          return log
        }),
        (log) =>
          Effect.suspend(() => {
            log.followers -= 1
            if (log.followers > 0) return Effect.void
            logs.delete(directory)
            return log.looking === undefined ? Effect.void : Fiber.interruptFork(log.looking)
          })
      ).pipe(
        Effect.map((log) => ({
          version: () => log.version,
          changedSince: (version) =>
            Effect.async<void>((resume) => {
              const done = () => resume(Effect.void)
              if (log.version !== version) return done()
              log.waiting.add(done)
              return Effect.sync(() => log.waiting.delete(done))
            })
        }))
      )
  }
}
