/** The clock of a measurement and the watch over our own event loop: a generator that is late itself must not blame the model. */
import { Effect, type Scope } from "effect"
import { percentile } from "../statistics.ts"

export interface LoadClock {
  /** milliseconds on the clock that also stamps streamed answers */
  readonly now: Effect.Effect<number>
  /** waits for a moment of this clock; also for one that has passed, whatever is to be written or read has its turn first */
  readonly until: (atMs: number) => Effect.Effect<void>
  /** starts watching; the inner effect gives the delays of the event loop in milliseconds seen so far */
  readonly watchLag: Effect.Effect<Effect.Effect<ReadonlyArray<number>>, never, Scope.Scope>
}

const TICK_MS = 10

const watchLag = Effect.map(
  Effect.acquireRelease(
    Effect.sync(() => {
      const lags: Array<number> = []
      let last = performance.now()
      const timer = setInterval(() => {
        const now = performance.now()
        lags.push(Math.max(0, now - last - TICK_MS))
        last = now
      }, TICK_MS)
      return { lags, timer }
    }),
    ({ timer }) => Effect.sync(() => clearInterval(timer))
  ),
  ({ lags }) => Effect.sync(() => [...lags])
)

/**
 * Timers fire on whole milliseconds, and late: a schedule that hangs on them adds a millisecond or two to every time that is counted from it.
 * The last stretch is waited for turn by turn of the event loop, so that answers are still seen when they come. It takes the processor, so it
 * is as short as timers allow.
 */
const PRECISE_MS = 1

const until = (atMs: number): Effect.Effect<void> =>
  Effect.async((resume) => {
    let timer: NodeJS.Timeout | undefined
    let turn: NodeJS.Immediate | undefined
    const wait = () => {
      const left = atMs - performance.now()
      if (left > PRECISE_MS) timer = setTimeout(wait, left - PRECISE_MS)
      else turn = setImmediate(left > 0 ? wait : () => resume(Effect.void))
    }
    wait()
    return Effect.sync(() => {
      clearTimeout(timer)
      clearImmediate(turn)
    })
  })

export const liveClock: LoadClock = { now: Effect.sync(() => performance.now()), until, watchLag }

export const lagP99 = (lags: ReadonlyArray<number>): number =>
  lags.length === 0
    ? 0
    : percentile(
        [...lags].sort((a, b) => a - b),
        99
      )

/** by how many milliseconds something that happens at any moment is noticed late, on average */
export const meanDelay = (lags: ReadonlyArray<number>): number => {
  const [time, late] = lags.reduce(([sum, area], lag) => [sum + TICK_MS + lag, area + (lag * lag) / 2], [0, 0])
  return time === 0 ? 0 : late / time
}
