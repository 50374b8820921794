/** Waiting for controllers of a real cluster: looks again and again, and gives up loudly. */
import { Clock, Effect } from "effect"

/** an operator that was refused asks again after 60 s, and a busy API server knows rights some time after they were given */
const patienceMillis = 90_000

/** what was found once it holds; a defect with the last find when it never does */
export const eventually = <A, E, R>(
  what: string,
  look: Effect.Effect<A, E, R>,
  holds: (found: A) => boolean
): Effect.Effect<A, E, R> =>
  Effect.gen(function* () {
    const deadline = (yield* Clock.currentTimeMillis) + patienceMillis
    for (;;) {
      const found = yield* look
      if (holds(found)) return found
      if ((yield* Clock.currentTimeMillis) > deadline)
        return yield* Effect.dieMessage(
          `not within ${patienceMillis} ms: ${what}; last: ${JSON.stringify(found)?.slice(0, 2000)}`
        )
      yield* Effect.sleep(100)
    }
  })
