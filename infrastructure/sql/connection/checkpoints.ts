/**
 * Checkpoints of a SQLite file after long writes. SQLite makes one by itself in the commit that finds its log long enough, in the thread
 * that serves everybody; after much was written it is made in a thread of its own instead, so that the next commit finds the log short.
 */
import { Effect, type Scope } from "effect"
import * as OwnThread from "./own-thread.ts"

const pragmas = ["busy_timeout = 0", "synchronous = FULL"]

/** begins one; while one is made there is no other. What fails is left to SQLite. */
export const make = (path: string): Effect.Effect<Effect.Effect<void>, never, Scope.Scope> =>
  Effect.zipWith(
    Effect.scope,
    OwnThread.make({ path, readonly: false, pragmas }, () => () => Effect.succeed([])),
    (scope, rows) => {
      let busy = false
      const one = rows("PRAGMA wal_checkpoint(PASSIVE)", []).pipe(
        Effect.ignore,
        Effect.ensuring(
          Effect.sync(() => {
            busy = false
          })
        )
      )
      return Effect.suspend(() => {
        if (busy) return Effect.void
        busy = true
        return Effect.asVoid(Effect.forkIn(one, scope))
      })
    }
  )
