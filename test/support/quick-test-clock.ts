/**
 * The test clock of effect waits for a timer three times, a millisecond each, whenever it wakes somebody, so that a simulated hour of many
 * small sleeps takes seconds in which nothing happens. Turns of the event loop are enough: everything that can go on goes on in them.
 */
import { Effect, TestClock, TestContext } from "effect"

const turns = 3

const aFewTurns = Effect.async<void>((resume) => {
  const turn = (left: number): void => {
    setImmediate(() => (left <= 1 ? resume(Effect.void) : turn(left - 1)))
  }
  turn(turns)
})

interface Internals {
  yieldTimer: Effect.Effect<void>
  suspended: () => unknown
}

const done = Symbol.for("evald: the test clock is quick")

/** for every test clock that this process makes from now on; a test file's set-up is read anew, the process knows that it is done */
export const quickenTestClock = (): void => {
  if (Reflect.has(globalThis, done)) return
  Reflect.set(globalThis, done, true)
  const clock = Effect.runSync(Effect.provide(TestClock.testClock(), TestContext.TestContext))
  const prototype: Partial<Internals> = Object.getPrototypeOf(clock)
  const { suspended } = prototype
  if (suspended === undefined || !("yieldTimer" in clock)) throw new Error("the test clock of effect has changed")
  prototype.suspended = function quickSuspended(this: Internals) {
    this.yieldTimer = aFewTurns
    return suspended.call(this)
  }
}
