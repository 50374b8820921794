/** Long work in steps, between which the thread that serves everybody is free for whatever else is due. */
import { Effect } from "effect"

/** resumes after whatever else is due had its turn */
export const breath: Effect.Effect<void> = Effect.async((resume) => {
  const waiting = setImmediate(() => resume(Effect.void))
  return Effect.sync(() => clearImmediate(waiting))
})

/** how many are made at once where nobody says so: whoever else is served comes back to the thread some ten times, and waits for a step each time */
export const usualStep = 8

/** applies `make` to everything, to so many at once, and lets others in between, who may take as long as `pause` does */
export const inSteps = <A, B>(
  all: ReadonlyArray<A>,
  make: (one: A) => B,
  step = usualStep,
  pause: Effect.Effect<void> = breath
): Effect.Effect<ReadonlyArray<B>> =>
  Effect.gen(function* () {
    const made: Array<B> = []
    for (let start = 0; start < all.length; start += step) {
      if (start > 0) yield* pause
      for (const one of all.slice(start, start + step)) made.push(make(one))
    }
    return made
  })
