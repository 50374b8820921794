/**
 * The files of a SQLite database: nobody but their owner reads them, and they stay what the open connections use. SQLite goes on writing
 * into a file that was removed, and everything acknowledged meanwhile would be gone with the process.
 */
import { closeSync, openSync, statSync } from "node:fs"
import { stat } from "node:fs/promises"
import { Effect } from "effect"
import { Unavailable } from "../../../application/errors.ts"

/** makes the file for its owner alone unless it is there; SQLite gives the same rights to what it puts beside it */
export const makePrivate = (path: string): void => {
  try {
    closeSync(openSync(path, "wx", 0o600))
  } catch (error) {
    // one that is there keeps the rights it has; whatever else is wrong SQLite meets as well, and says it better
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return
  }
}

const gone = new Unavailable({
  peer: "database",
  operation: "ping",
  reason: "the database file was removed or replaced while the server uses it"
})

/** fails when one of the files is not the one any more that it was when this was made */
export const watched = (path: string): Effect.Effect<Effect.Effect<void, Unavailable>> =>
  Effect.sync(() => {
    const opened = [path, `${path}-wal`].map((file) => ({
      file,
      inode: statSync(file, { throwIfNoEntry: false })?.ino
    }))
    return Effect.forEach(
      opened,
      ({ file, inode }) =>
        Effect.flatMap(
          Effect.orElseSucceed(
            Effect.tryPromise(() => stat(file)),
            () => undefined
          ),
          (now) => (now?.ino === inode ? Effect.void : Effect.fail(gone))
        ),
      { discard: true }
    )
  })
