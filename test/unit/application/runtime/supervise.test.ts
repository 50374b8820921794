import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Fiber, Logger, Ref, TestClock } from "effect"
import { supervised } from "../../../../application/runtime/supervise.ts"

const logged = (lines: Array<string>) =>
  Logger.replace(
    Logger.defaultLogger,
    Logger.make(({ message }) => lines.push(String(message)))
  )

describe("a supervised worker", () => {
  it.effect("starts again after a defect, and when it just ends, with a line in the log", () =>
    Effect.gen(function* () {
      const lines: Array<string> = []
      const runs = yield* Ref.make(0)
      const worker = Effect.flatMap(
        Ref.updateAndGet(runs, (count) => count + 1),
        (run) => (run === 1 ? Effect.die("broken") : run === 2 ? Effect.void : Effect.never)
      )
      const fiber = yield* Effect.fork(supervised("tester", worker).pipe(Effect.provide(logged(lines))))
      yield* TestClock.adjust("1 second")
      assert.strictEqual(yield* Ref.get(runs), 2)
      yield* TestClock.adjust("1 second")
      assert.strictEqual(yield* Ref.get(runs), 3)
      assert.deepStrictEqual(lines, ["worker tester died and starts again", "worker tester ended and starts again"])
      assert.isTrue(Exit.isInterrupted(yield* Fiber.interrupt(fiber)))
    })
  )
})
