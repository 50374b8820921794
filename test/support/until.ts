/** Waits for work that runs on the real event loop while the test clock stands still. */
import { Chunk, type Duration, Effect, TestClock } from "effect"

const turn = Effect.promise(() => new Promise<void>((resolve) => setImmediate(resolve)))

/** turns the event loop until the look finds something; a test's own time limit is the end of it */
export const until = <A, E, R>(look: Effect.Effect<A | undefined, E, R>): Effect.Effect<A, E, R> =>
  Effect.gen(function* () {
    for (;;) {
      const found = yield* look
      if (found !== undefined) return found
      yield* turn
    }
  })

export const untilTrue = <E, R>(look: Effect.Effect<boolean, E, R>) =>
  until(Effect.map(look, (found) => (found ? true : undefined)))

/** lets everything that can go on without time go on; for showing that something does not happen */
export const quiet = Effect.repeatN(turn, 50)

/** moves the test clock on in steps until the look finds something; between the steps everything that can go on does */
export const advancing = <A, E, R>(
  step: Duration.DurationInput,
  look: Effect.Effect<A | undefined, E, R>
): Effect.Effect<A, E, R> =>
  Effect.gen(function* () {
    for (;;) {
      yield* quiet
      const found = yield* look
      if (found !== undefined) return found
      yield* TestClock.adjust(step)
    }
  })

/** until something waits for this time of the test clock */
export const waitingUntil = (millis: number) =>
  untilTrue(Effect.map(TestClock.sleeps(), (times) => Chunk.contains(times, millis)))
