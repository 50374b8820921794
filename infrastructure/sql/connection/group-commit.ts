/**
 * One writer for many: whatever queued while the last commit ran goes into the next one, so that many writes share one flush to disk,
 * and on PostgreSQL one BEGIN and COMMIT. Waiting for the next turn of the event loop is what lets writes queue at all. Long writes go one by one, in turn
 * with whatever short ones there are, which so never wait for more than one of them, and where a long one gives way between its statements, for
 * no more than one statement: what it did is undone, and it begins anew after them.
 */
import { Deferred, Effect, Exit, Runtime, type Scope } from "effect"
import { breath } from "../../in-process/in-steps.ts"
import type { Session } from "./session.ts"
import type { Write } from "./transaction.ts"

/** writes of one transaction at most; bounds the time that one commit holds up everybody */
const batchSize = 128

/** how often a long write begins anew; after that it runs to its end, so that it has one however many short ones come */
const mostAnew = 4

interface LongWrite extends Write {
  begunAnew: number
  /** it ended itself for short ones, and its outcome is none */
  gaveWay: boolean
}

export type Writer = <A, E>(
  body: (session: Session, state: unknown) => Effect.Effect<A, E>,
  line?: string,
  together?: Write["together"]
) => Effect.Effect<A, E>

export interface Writers {
  readonly short: Writer
  /** short ones whose COMMIT need not flush; they share one that does with others that come with them */
  readonly unflushed: Writer
  readonly long: Writer
  /** whether anything is written, or waits to be */
  readonly isBusy: () => boolean
  /** whether a short write waits for its transaction */
  readonly isShortWaiting: () => boolean
  /** for a long write between two of its statements: lets short ones come, and ends the write's transaction when one did */
  readonly giveWay: Effect.Effect<void>
}

/** a long write; `again`: queues it once more when it gave way, which is no outcome */
const beginningAnew = (write: Write, again: (one: LongWrite) => void): LongWrite => {
  const added: LongWrite = {
    ...write,
    begunAnew: 0,
    gaveWay: false,
    done: (exit) => {
      if (!added.gaveWay || Exit.isSuccess(exit)) return write.done(exit)
      added.gaveWay = false
      added.begunAnew += 1
      again(added)
    }
  }
  return added
}

/** tells what is no longer as it was; at first it is false */
const onChange = (tell: (value: boolean) => void) => {
  let told = false
  return (value: boolean): void => {
    if (value === told) return
    told = value
    tell(value)
  }
}

/**
 * `flush` runs one transaction and tells every write of it about its outcome; it never runs twice at the same moment. `tell` is told when short writes
 * begin to be under way, and when none is any more.
 */
export const make = (
  flush: (batch: ReadonlyArray<Write>, isLong: boolean) => Effect.Effect<void>,
  tell: (isShortUnderWay: boolean) => void = () => {}
): Effect.Effect<Writers, never, Scope.Scope> =>
  Effect.gen(function* () {
    const fork = Runtime.runFork(yield* Effect.runtime())
    const short: Array<Write> = []
    const long: Array<LongWrite> = []
    const idle: Array<() => void> = []
    let busy = false
    let lastWasShort = false
    let running: LongWrite | undefined
    const note = onChange(tell)
    const turn = (): void => {
      const isLong = long.length > 0 && (lastWasShort || short.length === 0)
      lastWasShort = !isLong
      running = isLong ? long.shift() : undefined
      const batch: ReadonlyArray<Write> = running === undefined ? short.splice(0, batchSize) : [running]
      note((!isLong && batch.length > 0) || short.length > 0)
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
    const wait = (): void => {
      if (short.length > 0) note(true)
      if (busy) return
      busy = true
      setImmediate(turn)
    }
    const queued =
      (queue: (write: Write) => void): Writer =>
      <A, E>(
        body: (session: Session, state: unknown) => Effect.Effect<A, E>,
        line?: string,
        together?: Write["together"]
      ) =>
        Effect.flatMap(Deferred.make<A, E>(), (done) => {
          queue({ body, line, together, done: (exit) => Deferred.unsafeDone(done, exit as Exit.Exit<A, E>) })
          wait()
          return Effect.uninterruptible(Deferred.await(done))
        })
    const giveWay = Effect.suspend(() => {
      const write = running
      if (write === undefined || write.begunAnew >= mostAnew) return Effect.void
      return Effect.flatMap(breath, () => {
        if (short.length === 0) return Effect.void
        write.gaveWay = true
        return Effect.dieMessage("gives way to short writes")
      })
    })
    return {
      short: queued((write) => short.push(write)),
      unflushed: queued((write) => short.push({ ...write, isUnflushed: true })),
      long: queued((write) => long.push(beginningAnew(write, (again) => long.unshift(again)))),
      isBusy: () => busy,
      isShortWaiting: () => short.length > 0,
      giveWay
    }
  })
