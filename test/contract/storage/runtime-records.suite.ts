import { assert, describe, it } from "@effect/vitest"
import { Effect, TestClock } from "effect"
import { Leases } from "../../../application/ports/leases.ts"
import { UnitRecords } from "../../../application/ports/stores/unit-records.ts"
import type { StorageLayer } from "../../support/storage.ts"
import { jobId } from "../../support/stored-jobs.ts"

const unit = (index: number, attempt = 1) => ({ tenant: "team-a", jobId: jobId(1), index, attempt })

/** `sharedClock`: the backend tells the time by the clock of the test */
export const runtimeRecordsSuite = (name: string, storage: StorageLayer, sharedClock: boolean): void => {
  describe(`${name}: leases`, () => {
    it.effect("one holder at a time, who may renew; terms rise with every change", () =>
      Effect.gen(function* () {
        const leases = yield* Leases
        assert.strictEqual(yield* leases.hold("observe", "a", 15_000), 1)
        assert.isUndefined(yield* leases.hold("observe", "b", 15_000))
        assert.strictEqual(yield* leases.hold("observe", "a", 15_000), 1)
        assert.strictEqual(yield* leases.hold("sweep", "b", 15_000), 1)
        yield* leases.release("observe", "b")
        assert.isUndefined(yield* leases.hold("observe", "b", 15_000))
        yield* leases.release("observe", "a")
        assert.strictEqual(yield* leases.hold("observe", "b", 15_000), 2)
        assert.isUndefined(yield* leases.hold("observe", "a", 15_000))
      }).pipe(Effect.provide(storage))
    )
    it.effect("a process takes over at once from the one before in its place, and from nobody else", () =>
      Effect.gen(function* () {
        const leases = yield* Leases
        assert.strictEqual(yield* leases.hold("observe", "pod-1/a", 15_000), 1)
        for (const other of ["pod-2/a", "pod-1", "pod-11/a", "pod/a", "/a", "a"])
          assert.isUndefined(yield* leases.hold("observe", other, 15_000), other)
        assert.strictEqual(yield* leases.hold("observe", "pod-1/b", 15_000), 2)
        // what a process that is gone lets go is not that of its successor
        yield* leases.release("observe", "pod-1/a")
        assert.isUndefined(yield* leases.hold("observe", "pod-2/a", 15_000))
      }).pipe(Effect.provide(storage))
    )
    if (sharedClock)
      it.effect("a lease that is not renewed runs out", () =>
        Effect.gen(function* () {
          const leases = yield* Leases
          yield* leases.hold("observe", "a", 15_000)
          yield* TestClock.adjust("14999 millis")
          assert.isUndefined(yield* leases.hold("observe", "b", 15_000))
          yield* TestClock.adjust("1 millis")
          assert.strictEqual(yield* leases.hold("observe", "b", 15_000), 2)
        }).pipe(Effect.provide(storage))
      )
  })

  describe(`${name}: records of units`, () => {
    it.effect("notes are replaced and forgotten", () =>
      Effect.gen(function* () {
        const records = yield* UnitRecords
        yield* records.note([
          { unit: unit(0), note: "a" },
          { unit: unit(1), note: "b" }
        ])
        yield* records.note([{ unit: unit(0), note: "c" }])
        yield* records.forget([unit(1), unit(7)])
        assert.deepStrictEqual(yield* records.notes, [{ unit: unit(0), note: "c" }])
      }).pipe(Effect.provide(storage))
    )
    it.effect("log tails are kept per attempt and container until they are discarded", () =>
      Effect.gen(function* () {
        const records = yield* UnitRecords
        yield* records.keepLog(unit(0), "adapter", "old")
        yield* records.keepLog(unit(0), "adapter", "new ✓\n")
        yield* records.keepLog(unit(0), "sidecar", "s")
        yield* records.keepLog(unit(1), "adapter", "other")
        assert.strictEqual(yield* records.keptLog(unit(0), "adapter"), "new ✓\n")
        assert.isUndefined(yield* records.keptLog(unit(0, 2), "adapter"))
        yield* records.discardLogs(jobId(1), 0)
        assert.isUndefined(yield* records.keptLog(unit(0), "sidecar"))
        assert.strictEqual(yield* records.keptLog(unit(1), "adapter"), "other")
        yield* records.discardLogs(jobId(1))
        assert.isUndefined(yield* records.keptLog(unit(1), "adapter"))
      }).pipe(Effect.provide(storage))
    )
  })
}
