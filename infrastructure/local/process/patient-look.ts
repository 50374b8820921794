/** Looking for something that ends by itself, soon or late: often at first, then rarely, since each look costs the whole machine's process list. */
import { Effect } from "effect"

const firstPause = 20
const longestPause = 1000

/** true once `gone` says so, false when `millis` are over first */
export const within = (millis: number, gone: () => Promise<boolean>): Effect.Effect<boolean> =>
  Effect.gen(function* () {
    for (let pause = firstPause; ; pause = Math.min(longestPause, pause * 2)) {
      if (yield* Effect.promise(gone)) return true
      yield* Effect.sleep(pause)
    }
  }).pipe(Effect.interruptible, Effect.timeoutTo({ duration: millis, onSuccess: () => true, onTimeout: () => false }))
