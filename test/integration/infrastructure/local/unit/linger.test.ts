/** Processes that outlive the end of their benchmark. */
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Unavailable } from "../../../../../application/errors.ts"
import { Runtime, type Unit } from "../../../../../application/ports/runtime.ts"
import { BaseDir, eventually, layerAlone, runs, unitRunning, written } from "../../../../support/local-units.ts"

const id = (number: number) => `99999999-0000-7000-8000-${String(number).padStart(12, "0")}`

const pidOf = (unit: Unit) =>
  Effect.flatMap(BaseDir, (baseDir) =>
    Effect.map(written(join(baseDir, "test", unit.jobId, "0-bench-0", "work", "pid")), Number)
  )

describe("a unit that goes on after its terminal event", () => {
  const stubborn = "trap '' TERM; echo $$ > pid; while :; do sleep 1; done"
  const over = new Set<string>()
  const linger = { millis: 50, isOver: ({ jobId }: { readonly jobId: string }) => Effect.sync(() => over.has(jobId)) }

  it.scopedLive(
    "does not hold its slot for ever (five of them stopped all work): it is ended after the linger limit",
    () =>
      Effect.gen(function* () {
        const runtime = yield* Runtime
        const units = [1, 2, 3, 4, 5].map((number) =>
          unitRunning(id(number), number === 1 ? stubborn : "echo $$ > pid; exec sleep 60")
        )
        yield* Effect.forEach(units, runtime.launch)
        const pids = yield* Effect.forEach(units, pidOf)
        assert.strictEqual(yield* runtime.freeSlots, 0)
        // the fifth works on
        for (const unit of units.slice(0, 4)) over.add(unit.jobId)
        yield* eventually(Effect.map(runtime.freeSlots, (free) => (free === 4 ? free : undefined)))
        assert.deepStrictEqual(pids.map(runs), [false, false, false, false, true])
        yield* runtime.launch(unitRunning(id(6), "true"))
      }).pipe(Effect.provide(layerAlone({ linger, stopGraceMillis: 200 })))
  )

  let asked = 0
  const away = {
    millis: 0,
    isOver: () =>
      Effect.suspend(() => {
        asked += 1
        return new Unavailable({ peer: "database", operation: "load" })
      })
  }

  it.scopedLive("is left alone while the store can not tell whether its benchmark is over", () =>
    Effect.gen(function* () {
      const runtime = yield* Runtime
      const unit = unitRunning(id(10), "echo $$ > pid; exec sleep 60")
      yield* runtime.launch(unit)
      const pid = yield* pidOf(unit)
      yield* eventually(Effect.sync(() => (asked >= 5 ? asked : undefined)))
      assert.isTrue(runs(pid))
    }).pipe(Effect.provide(layerAlone({ linger: away })))
  )
})
