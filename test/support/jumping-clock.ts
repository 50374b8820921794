/** A wall clock that somebody sets while time goes on as before: what passes is measured by the clock below it. */
import { Clock, Effect } from "effect"

export interface JumpingClock {
  readonly clock: Clock.Clock
  /** sets the wall clock forward by milliseconds, or back when negative */
  readonly jump: (millis: number) => Effect.Effect<void>
}

export const hour = 3_600_000

/** over the clock of the fiber, the test clock included */
export const jumpingClock: Effect.Effect<JumpingClock> = Effect.clockWith((below) =>
  Effect.sync(() => {
    let offset = 0
    const millis = () => below.unsafeCurrentTimeMillis() + offset
    const clock: Clock.Clock = {
      [Clock.ClockTypeId]: Clock.ClockTypeId,
      unsafeCurrentTimeMillis: millis,
      unsafeCurrentTimeNanos: () => below.unsafeCurrentTimeNanos(),
      currentTimeMillis: Effect.sync(millis),
      currentTimeNanos: below.currentTimeNanos,
      sleep: (duration) => below.sleep(duration)
    }
    return {
      clock,
      jump: (by) =>
        Effect.sync(() => {
          offset += by
        })
    }
  })
)
