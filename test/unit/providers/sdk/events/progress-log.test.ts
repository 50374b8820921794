import { assert, describe, it } from "@effect/vitest"
import { Effect, TestClock } from "effect"
import { makeProgressLog } from "../../../../../providers/sdk/events/progress-log.ts"

const logged = () => {
  const lines: Array<string> = []
  return { lines, log: makeProgressLog((line) => Effect.sync(() => lines.push(line))) }
}

describe("progress in the log of a unit (the log was silent until the end)", () => {
  it.effect("items done of total, rate and rest, at most every ten seconds, the last one always", () =>
    Effect.gen(function* () {
      const { lines, log } = logged()
      yield* log({ phase: "loading_data" })
      for (let completed = 0; completed <= 100; completed++) {
        yield* log({ phase: "running_evaluation", completed, total: 100 })
        yield* TestClock.adjust("250 millis")
      }
      assert.deepStrictEqual(lines, [
        "loading_data",
        "running_evaluation: 0 of 100 (0 %)",
        "running_evaluation: 40 of 100 (40 %), 4.00/s, 15 s left",
        "running_evaluation: 80 of 100 (80 %), 4.00/s, 5 s left",
        "running_evaluation: 100 of 100 (100 %), 4.00/s"
      ])
    })
  )

  it.effect("a million reports in no time are two lines", () =>
    Effect.gen(function* () {
      const { lines, log } = logged()
      for (let completed = 0; completed <= 20_000; completed++)
        yield* log({ phase: "running_evaluation", completed, total: 20_000 })
      assert.deepStrictEqual(lines, [
        "running_evaluation: 0 of 20000 (0 %)",
        "running_evaluation: 20000 of 20000 (100 %)"
      ])
    })
  )

  it.effect("a framework's next bar is counted anew, slow work is told by the minute", () =>
    Effect.gen(function* () {
      const { lines, log } = logged()
      yield* log({ phase: "running_evaluation", message: "probes.dan", completed: 50, total: 50 })
      yield* TestClock.adjust("5 seconds")
      yield* log({ phase: "running_evaluation", message: "probes.leak", completed: 0, total: 80 })
      yield* TestClock.adjust("10 minutes")
      yield* log({ phase: "running_evaluation", message: "probes.leak", completed: 5, total: 80 })
      assert.deepStrictEqual(lines, [
        "running_evaluation: probes.dan: 50 of 50 (100 %)",
        "running_evaluation: probes.leak: 5 of 80 (6 %), 0.500/min, 2 h 30 min left"
      ])
    })
  )

  it.effect("the same line is not repeated, a report without numbers says its message", () =>
    Effect.gen(function* () {
      const { lines, log } = logged()
      for (let time = 0; time < 5; time++) {
        yield* log({ phase: "loading_data", message: "starting lm-eval" })
        yield* TestClock.adjust("20 seconds")
      }
      yield* log({ phase: "running_evaluation", completed: 7 })
      assert.deepStrictEqual(lines, ["loading_data: starting lm-eval", "running_evaluation: 7"])
    })
  )
})
