/**
 * Flushes the log of a SQLite file in a thread of the platform, for COMMITs of samples: in the COMMIT itself a flush of so much holds up the
 * thread that serves everybody. Such a COMMIT runs with `synchronous = NORMAL`, which writes its frames and does not flush; whoever waits for it
 * is answered only after an `fdatasync` of the log that began after it. Those that came while one ran share the next.
 *
 * That what was answered survives a power cut rests on what SQLite documents of its log (https://sqlite.org/wal.html, https://sqlite.org/walformat.html):
 *
 * - The log is one file, written from its beginning on, and of it the frames up to the last whole COMMIT count. A flush is of the file, whoever
 *   asks: that of a later COMMIT with FULL is also one of all frames before it, so that nothing stands on frames that may be lost.
 * - A checkpoint flushes the log before it copies from it, with NORMAL as with FULL (the thread of checkpoints.ts has FULL), and the log begins anew
 *   only after all of it was copied and the file of the database flushed. What a flush of the log finds gone from it is there.
 * - A log that begins anew has another salt, so that old frames never count after new ones, and its header is flushed at once, with NORMAL as well;
 *   the first such flush includes the folder of a new file.
 * - The log stays the same file until the last connection closes, which happens after this. Locks are on other files, so that closing this
 *   descriptor gives none away.
 *
 * A flush is not begun while a short write waits for its transaction: its COMMIT would meet it on the disk. It begins after that COMMIT.
 *
 * What can be read may not be flushed yet, also what a killed process left (the next one's first COMMIT, with FULL, flushes that). So whoever answers that
 * something is stored because it was found has a long write as well, of nothing.
 *
 * After a flush that failed nobody knows what of the log is on the disk, and the next one may succeed without having written it. So from
 * then on nothing is acknowledged, short writes neither, which would stand on it: the database is unavailable until it is opened
 * again, with what can then be read of it.
 */
import { closeSync, fdatasync, openSync } from "node:fs"
import { SqlError } from "@effect/sql"
import { Cause, Effect, Exit, Option, type Scope } from "effect"
import { Unavailable } from "../../../../application/errors.ts"
import type { Write } from "../transaction.ts"

/** as `fdatasync` of the platform */
export type Flush = (descriptor: number, done: (error: Error | null) => void) => void

export interface LogFlushOptions {
  readonly flush?: Flush
  /** whether a COMMIT that flushes comes next, after which `resume` is called */
  readonly isHeld?: () => boolean
}

export interface LogFlush {
  /** why nothing is acknowledged any more */
  readonly failure: () => Unavailable | undefined
  /** the write, which hears that it is stored only after a flush that begins after its COMMIT */
  readonly answered: (write: Write) => Write
  /** a write whose COMMIT flushes: when that fails while others wait for a flush, theirs failed, and when theirs fails meanwhile, so does the write */
  readonly watched: (write: Write) => Write
  /** begins the flush that was held, if there is one */
  readonly resume: () => void
}

const unflushed = (cause: unknown) =>
  new Unavailable({
    peer: "database",
    operation: "flush",
    reason:
      "the log of the database file could not be flushed to its disk; nothing is written until the server is started again",
    cause
  })

/** a file or disk that failed, rather than what was asked of it */
const isBroken = (exit: Exit.Exit<unknown, unknown>): boolean => {
  if (Exit.isSuccess(exit)) return false
  const error = Option.getOrUndefined(Cause.failureOption(exit.cause))
  if (!(error instanceof SqlError.SqlError)) return false
  const { cause } = error
  return cause instanceof Error && "code" in cause && String(cause.code).startsWith("SQLITE_IOERR")
}

/** undefined: there is no log, because the file system cannot have one. To be made while a connection has the file open. */
export const make = (
  path: string,
  { flush = fdatasync, isHeld = () => false }: LogFlushOptions = {}
): Effect.Effect<LogFlush | undefined, never, Scope.Scope> =>
  Effect.gen(function* () {
    const descriptor = yield* Effect.option(Effect.try(() => openSync(`${path}-wal`, "r")))
    if (Option.isNone(descriptor)) return undefined
    let failure: Unavailable | undefined
    let isFlushing = false
    let waiting: Array<() => void> = []
    let idle: () => void = () => {}
    const start = (): void => {
      const answers = waiting
      waiting = []
      if (answers.length === 0 || failure !== undefined) {
        for (const answer of answers) answer()
        idle()
        return
      }
      isFlushing = true
      flush(descriptor.value, (error) => {
        isFlushing = false
        if (error !== null) failure ??= unflushed(error)
        for (const answer of answers) answer()
        if (!isHeld()) start()
      })
    }
    yield* Effect.addFinalizer(() =>
      Effect.zipRight(
        Effect.async<void>((resume) => {
          if (!isFlushing) return resume(Effect.void)
          idle = () => resume(Effect.void)
        }),
        Effect.sync(() => closeSync(descriptor.value))
      )
    )
    return {
      failure: () => failure,
      answered: (write) => ({
        ...write,
        done: (exit) => {
          if (Exit.isFailure(exit)) return write.done(exit)
          waiting.push(() => write.done(failure === undefined ? exit : Exit.fail(failure)))
          if (!isFlushing && !isHeld()) start()
        }
      }),
      watched: (write) =>
        isFlushing
          ? {
              ...write,
              done: (exit) => {
                if (isFlushing && isBroken(exit)) failure ??= unflushed(exit)
                write.done(Exit.isSuccess(exit) && failure !== undefined ? Exit.fail(failure) : exit)
              }
            }
          : write,
      resume: () => {
        if (!isFlushing) start()
      }
    }
  })
