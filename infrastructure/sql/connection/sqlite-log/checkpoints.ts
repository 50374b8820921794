/**
 * Brings the log of a SQLite file into the file in a thread of its own. Left to itself the driver does that in the COMMIT that makes the log
 * long, in the thread that serves everybody, who then wait for two flushes and thousands of pages. The thread does most of it beside the
 * writes, and again what was written meanwhile, which is less each time, until nothing was; what came since is a write or two and follows after
 * a short write, so that the log begins anew. A thread that ends leaves the work to the COMMITs, as before, once the log is long enough.
 */
import { createRequire } from "node:module"
import { Worker } from "node:worker_threads"
import type { SqlConnection } from "@effect/sql"
import { Effect, type Scope } from "effect"

/** in how many passes at most; each takes two flushes */
const passes = 8

/** what the thread runs, as text, so that it needs no file beside a bundle: each message is a checkpoint that waits for nobody */
const program = `
const { parentPort, workerData } = require("node:worker_threads")
const database = new (require(workerData.driver))(workerData.path)
database.pragma("synchronous = FULL")
database.pragma("wal_autocheckpoint = 0")
parentPort.on("message", () => {
  for (let pass = 0, before = -1; pass < ${passes}; pass++) {
    // as long as it was when the pass began: the same length again means that nothing was written during the pass before
    const [{ log }] = database.pragma("wal_checkpoint(PASSIVE)")
    if (log === before) break
    before = log
  }
  parentPort.postMessage(undefined)
})
`

const resourceLimits = { maxOldGenerationSizeMb: 32, maxYoungGenerationSizeMb: 4 }

/** as many pages in the log as COMMITs let come together before they bring them in themselves */
export const lastResortPages = 20_000

/** writes until the log is brought in, a long one as so many short ones: a call of a thousand samples is about five of them */
const [due, longWeight] = [1600, 32]

export interface Checkpoints {
  /** to be run after each commit, while no transaction is open */
  readonly after: (
    writes: number,
    commit: { readonly isLong: boolean; readonly hasFlushed: boolean }
  ) => Effect.Effect<void>
}

export const make = (
  path: string,
  writer: Pick<SqlConnection.Connection, "execute">
): Effect.Effect<Checkpoints, never, Scope.Scope> =>
  Effect.gen(function* () {
    let worker: Worker | undefined
    let written = 0
    let state: "idle" | "asked" | "answered" | "gone" = "idle"
    yield* Effect.addFinalizer(() => Effect.promise(async () => worker?.terminate()))
    const start = (): Worker => {
      const driver = createRequire(import.meta.url).resolve("better-sqlite3")
      // nothing of the flags and the environment of the server is for it
      const made = new Worker(program, {
        eval: true,
        workerData: { driver, path },
        resourceLimits,
        execArgv: [],
        env: {}
      })
      const end = () => {
        state = "gone"
      }
      made.on("message", () => {
        state = "answered"
      })
      made.on("error", end).on("exit", end)
      // a thread that nobody waits for keeps no process alive
      made.unref()
      return made
    }
    const ask = (): void => {
      try {
        worker ??= start()
        worker.postMessage(undefined)
        state = "asked"
        written = 0
      } catch {
        state = "gone"
      }
    }
    const rest = Effect.ignore(writer.execute("PRAGMA wal_checkpoint(PASSIVE)", [], undefined))
    return {
      after: (writes, { isLong, hasFlushed }) =>
        Effect.suspend(() => {
          written += isLong ? longWeight : writes
          // after a COMMIT that flushed: the rest flushes as well, in this thread, and nobody would hear that it failed
          if (state === "answered" && hasFlushed) {
            state = "idle"
            return rest
          }
          if (state === "idle" && written >= due) ask()
          return Effect.void
        })
    }
  })
