/** The wall clock is set by an hour, forward and back. Deadlines count the time that passed, and leases lose nothing. */
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, TestClock } from "effect"
import { launcher } from "../../../../application/runtime/launcher.ts"
import { reconciler } from "../../../../application/runtime/reconcile.ts"
import { hour, jumpingClock } from "../../../support/jumping-clock.ts"
import { benchmarkOf, layer, lease, submit, unitIn } from "../../../support/runtime-workers.ts"
import { RuntimeScript, unitName } from "../../../support/scripted-runtime.ts"
import { report } from "../../../support/store-actions.ts"
import { runningEvent } from "../../../support/stored-jobs.ts"
import { advancing, quiet, until } from "../../../support/until.ts"

for (const [name, by] of [
  ["forward", hour],
  ["back", -hour]
] as const) {
  describe(`a clock that is set ${name} by an hour`, () => {
    it.scoped("does not make a running benchmark overdue, and does not let it run longer either", () =>
      Effect.gen(function* () {
        // not at the beginning of time, or a clock could not be set back
        yield* TestClock.adjust("61 minutes")
        const { clock, jump } = yield* jumpingClock
        const script = yield* RuntimeScript
        const begin = yield* Clock.currentTimeMillis
        const job = yield* submit({ createdAt: new Date(begin).toISOString() })
        script.alive.add(unitName(unitIn(job)))
        yield* Effect.withClock(report(job.id, runningEvent(0)), clock)
        yield* Effect.forkScoped(
          Effect.withClock(reconciler({ timeouts: { benchmarkSeconds: 600 }, everyMillis: 15_000 }), clock)
        )
        yield* quiet
        yield* TestClock.adjust("1 minute")
        yield* quiet
        yield* jump(by)
        const failed = Effect.map(benchmarkOf(job), (benchmark) =>
          benchmark?.state === "failed" ? benchmark : undefined
        )
        const overdue = yield* advancing("15 seconds", failed)
        const passed = (yield* Clock.currentTimeMillis) - begin
        assert.strictEqual(overdue.error?.code, "deadline_exceeded")
        assert.isAtLeast(passed, 600_000)
        assert.isBelow(passed, 660_000)
        assert.isAtLeast(Date.parse(overdue.completedAt ?? ""), Date.parse(overdue.startedAt ?? ""))
      }).pipe(Effect.provide(layer))
    )

    it.scoped("while a benchmark is launched loses neither the launch nor the benchmark", () =>
      Effect.gen(function* () {
        yield* TestClock.adjust("61 minutes")
        const { clock, jump } = yield* jumpingClock
        const script = yield* RuntimeScript
        // as the real runtimes do: a launch that is asked for again joins the one that is there
        script.duringLaunch = () => Effect.sleep("90 seconds")
        const job = yield* Effect.withClock(submit({ benchmarks: 2 }), clock)
        yield* Effect.forkScoped(Effect.withClock(launcher({ ...lease, launchAttempts: 3 }), clock))
        yield* until(Effect.sync(() => (script.launched.length === 2 ? true : undefined)))
        yield* jump(by)
        yield* TestClock.adjust("5 minutes")
        yield* quiet
        assert.sameMembers([...new Set(script.launched)], [unitName(unitIn(job, 0)), unitName(unitIn(job, 1))])
        for (const index of [0, 1]) assert.strictEqual((yield* benchmarkOf(job, index))?.state, "pending")
      }).pipe(Effect.provide(layer))
    )
  })
}
