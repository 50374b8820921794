/** The places for units that run at once: a hard ceiling, with a hint for the launcher when one may have become free. */
import { Effect } from "effect"

export interface Slots {
  readonly free: Effect.Effect<number>
  /** waits for a place; interruptible while it waits */
  readonly take: Effect.Effect<void>
  readonly release: Effect.Effect<void>
  /** resolves at once when a place is free, else with the next release */
  readonly awaitFree: Effect.Effect<void>
}

export const make = (count: number): Effect.Effect<Slots> =>
  Effect.map(Effect.makeSemaphore(count), (semaphore) => {
    let asked = 0
    const listeners = new Set<() => void>()
    const free = () => Math.max(0, count - asked)
    const left = Effect.sync(() => {
      asked -= 1
      for (const listener of listeners) listener()
      listeners.clear()
    })
    const ask = Effect.sync(() => {
      asked += 1
    })
    return {
      free: Effect.sync(free),
      take: Effect.uninterruptibleMask((restore) =>
        ask.pipe(
          Effect.zipRight(restore(semaphore.take(1))),
          Effect.onInterrupt(() => left),
          Effect.asVoid
        )
      ),
      release: Effect.zipRight(semaphore.release(1), left),
      awaitFree: Effect.async<void>((resume) => {
        if (free() > 0) return resume(Effect.void)
        const listener = () => resume(Effect.void)
        listeners.add(listener)
        return Effect.sync(() => listeners.delete(listener))
      })
    }
  })
