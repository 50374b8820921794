/**
 * One writer for many: whatever queued while the last commit ran goes into the next one, so that many writes share one flush to disk,
 * and on PostgreSQL one BEGIN and COMMIT. Waiting for the next turn of the event loop is what lets writes queue at all. Long writes go one by one, in turn
 * with whatever short ones there are, which so never wait for more than one of them.
 */
import { Deferred, Effect, type Exit, Runtime, type Scope } from "effect"
import type { Session } from "./session.ts"
import type { Write } from "./transaction.ts"

/** writes of one transaction at most; bounds the time that one commit holds up everybody */
const batchSize = 128

export type Writer = <A, E>(
  body: (session: Session, state: unknown) => Effect.Effect<A, E>,
  line?: string,
  together?: Write["together"]
) => Effect.Effect<A, E>

export interface Writers {
  readonly short: Writer
  readonly long: Writer
  /** whether anything is written, or waits to be */
  readonly isBusy: () => boolean
}

/** `flush` runs one transaction and tells every write of it about its outcome; it never runs twice at the same moment */
export const make = (
  flush: (batch: ReadonlyArray<Write>, isLong: boolean) => Effect.Effect<void>
): Effect.Effect<Writers, never, Scope.Scope> =>
  Effect.gen(function* () {
    const fork = Runtime.runFork(yield* Effect.runtime())
    const short: Array<Write> = []
    const long: Array<Write> = []
    const idle: Array<() => void> = []
    let busy = false
    let lastWasShort = false
    const turn = (): void => {
      const isLong = long.length > 0 && (lastWasShort || short.length === 0)
      lastWasShort = !isLong
      const batch = isLong ? long.splice(0, 1) : short.splice(0, batchSize)
      if (batch.length === 0) {
        busy = false
        for (const wake of idle.splice(0)) wake()
        return
      }
      const next = () => setImmediate(turn)
      fork(flush(batch, isLong)).addObserver(next)
    }
    yield* Effect.addFinalizer(() =>
      Effect.async<void>((resume) => {
        if (!busy) return resume(Effect.void)
        idle.push(() => resume(Effect.void))
      })
    )
    const into =
      (queue: Array<Write>): Writer =>
      <A, E>(
        body: (session: Session, state: unknown) => Effect.Effect<A, E>,
        line?: string,
        together?: Write["together"]
      ) =>
        Effect.flatMap(Deferred.make<A, E>(), (done) => {
          queue.push({ body, line, together, done: (exit) => Deferred.unsafeDone(done, exit as Exit.Exit<A, E>) })
          if (!busy) {
            busy = true
            setImmediate(turn)
          }
          return Effect.uninterruptible(Deferred.await(done))
        })
    return { short: into(short), long: into(long), isBusy: () => busy }
  })
