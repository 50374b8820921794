/** How a long write on PostgreSQL lets short ones pass: it waits while one is under way, never for long, as it may be what that one waits for. */
import { Clock, Effect } from "effect"
import { breath } from "../../in-process/in-steps.ts"

/** milliseconds between two looks whether anything short is under way */
const lookMillis = 1

/** looks before a statement or a COMMIT: together far less than a statement may wait for a lock */
const looks = 20

/** milliseconds that a pause of preparation lasts at most: what a short write takes */
const pauseMillis = 10

const giveWay = (isBusy: () => boolean, left = looks): Effect.Effect<void> =>
  Effect.suspend(() =>
    left > 0 && isBusy() ? Effect.zipRight(Effect.sleep(lookMillis), giveWay(isBusy, left - 1)) : Effect.void
  )

/**
 * A call of a thousand records pauses many times, and others may be busy all the time: together its pauses last no longer than what lies between
 * them, so that one call by itself takes twice its time at most. Calls at the same moment share what they have earned.
 */
const pauses = (isBusy: () => boolean): Effect.Effect<void> => {
  /** milliseconds that may be waited, earned by working */
  let earned = 0
  let workedFrom = 0
  const rest = (from: number): Effect.Effect<number> =>
    earned < lookMillis || !isBusy()
      ? Effect.succeed(from)
      : Effect.flatMap(Effect.zipRight(Effect.sleep(lookMillis), Clock.currentTimeMillis), (now) => {
          earned -= now - from
          return rest(now)
        })
  return Effect.flatMap(Clock.currentTimeMillis, (workedUntil) => {
    earned = Math.min(pauseMillis, earned + workedUntil - workedFrom)
    const rested = Effect.zipRight(breath, Effect.flatMap(Clock.currentTimeMillis, rest))
    return Effect.flatMap(rested, (now) =>
      Effect.sync(() => {
        workedFrom = now
      })
    )
  })
}

/** `giveWay`: before what others would wait for; `pause`: between two steps of work in this thread */
export const givingWay = (isBusy: () => boolean) => ({ giveWay: giveWay(isBusy), pause: pauses(isBusy) })
