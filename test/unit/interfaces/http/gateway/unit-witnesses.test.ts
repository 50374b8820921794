import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { WireWitness } from "../../../../../application/ports/wire-witness.ts"
import { noCounts } from "../../../../../domain/validity/wire-counts.ts"
import { layer, UnitWitnesses } from "../../../../../interfaces/http/gateway/unit-witnesses.ts"

const unit = { tenant: "t", jobId: "j", index: 0, attempt: 1 }

describe("witnesses of local units", () => {
  it.effect(
    "a unit that was launched and asked nothing is seen to have asked nothing (an adapter could invent its answers)",
    () =>
      Effect.gen(function* () {
        const { watch, counts } = yield* WireWitness
        yield* watch(unit)
        assert.deepStrictEqual(yield* counts(unit), noCounts)
        assert.deepStrictEqual(yield* counts(unit), noCounts)
        assert.isUndefined((yield* UnitWitnesses).of(unit), "the counts were taken")
      }).pipe(Effect.provide(layer))
  )

  it.effect("what was seen up to now can be looked at without an end to the looking", () =>
    Effect.gen(function* () {
      const { watch, seen, counts } = yield* WireWitness
      assert.isUndefined(yield* seen(unit))
      yield* watch(unit)
      assert.deepStrictEqual(yield* seen(unit), noCounts)
      assert.isDefined((yield* UnitWitnesses).of(unit), "the unit is still looked at")
      assert.deepStrictEqual(yield* counts(unit), noCounts)
      assert.deepStrictEqual(yield* seen(unit), noCounts)
    }).pipe(Effect.provide(layer))
  )

  it.effect("of a unit that an earlier server launched nothing is told: its beginning was not seen", () =>
    Effect.gen(function* () {
      assert.isUndefined((yield* UnitWitnesses).of(unit))
      assert.isUndefined(yield* (yield* WireWitness).counts(unit))
    }).pipe(Effect.provide(layer))
  )

  it.effect("another launch of the same attempt keeps what was seen, the next attempt begins anew", () =>
    Effect.gen(function* () {
      const { watch } = yield* WireWitness
      const { of } = yield* UnitWitnesses
      yield* watch(unit)
      const first = of(unit)
      yield* watch(unit)
      assert.strictEqual(of(unit), first)
      yield* watch({ ...unit, attempt: 2 })
      assert.notStrictEqual(of({ ...unit, attempt: 2 }), first)
    }).pipe(Effect.provide(layer))
  )
})
