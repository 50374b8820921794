/**
 * The time by which deadlines are judged. The wall clock may be set, by an hour in either direction, and stands still for nobody while the
 * machine sleeps: such a step is no time that a benchmark took. The steps since a benchmark was first seen are taken out again.
 */
import { Clock, Effect } from "effect"

export interface SteadyTime {
  /** before each look at all benchmarks; what the look before did not ask for is forgotten */
  readonly begin: Effect.Effect<void>
  /** milliseconds since the epoch as the clock would show them had it not been set since this name was first seen */
  readonly nowOf: (name: string) => Effect.Effect<number>
}

/** how far the wall clock is ahead of the time that passed; changes only when it is set */
const lead = Effect.clockWith((clock) =>
  Effect.sync(() => clock.unsafeCurrentTimeMillis() - Number(clock.unsafeCurrentTimeNanos() / 1_000_000n))
)

export const make: Effect.Effect<SteadyTime> = Effect.sync(() => {
  let asked = new Map<string, number>()
  let known = new Map<string, number>()
  let before: number | undefined
  let now = 0
  return {
    begin: Effect.map(lead, (current) => {
      before = before === undefined ? current : now
      now = current
      known = asked
      asked = new Map()
    }),
    nowOf: (name) =>
      Effect.map(Clock.currentTimeMillis, (wall) => {
        // it began before or after a step since the last look: nobody knows, and it gets the benefit of the doubt
        const first = known.get(name) ?? Math.min(before ?? now, now)
        asked.set(name, first)
        return wall - (now - first)
      })
  }
})

/** the wall clock as it is */
export const wallTime: SteadyTime = { begin: Effect.void, nowOf: () => Clock.currentTimeMillis }
