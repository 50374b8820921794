/** What tenants keep is measured beside the requests, and only where there is a limit. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Either, Layer, TestClock } from "effect"
import * as TenantRoom from "../../../../application/jobs/tenant-room.ts"
import { StoredBytes } from "../../../../application/ports/stores/stored-bytes.ts"

describe("room of a tenant", () => {
  const measured = (takesSeconds = 0) => {
    const seen = { measurements: 0, bytes: 99 }
    const port = Layer.succeed(StoredBytes, {
      measure: Effect.sleep(`${takesSeconds} seconds`).pipe(
        Effect.map(() => {
          seen.measurements++
          return new Map([["a", seen.bytes]])
        })
      )
    })
    return {
      seen,
      room: (maxStoredBytes?: number) =>
        Layer.provide(TenantRoom.layer(maxStoredBytes === undefined ? {} : { maxStoredBytes }), port)
    }
  }
  const isRefused = (tenant: string) => Effect.map(Effect.either(TenantRoom.requireBytes(tenant)), Either.isLeft)

  it.effect("a tenant is refused from the minute on in which it keeps too much, until it keeps less", () => {
    const { seen, room } = measured()
    return Effect.gen(function* () {
      yield* TestClock.adjust("1 second")
      assert.isFalse(yield* isRefused("a"))
      seen.bytes = 100
      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual([yield* isRefused("a"), yield* isRefused("b")], [true, false])
      seen.bytes = 5
      yield* TestClock.adjust("1 minute")
      assert.isFalse(yield* isRefused("a"))
    }).pipe(Effect.provide(room(100)))
  })

  it.effect("without a limit nothing is measured, and a slow measurement is made more rarely", () => {
    const [never, slow] = [measured(), measured(30)]
    return Effect.gen(function* () {
      yield* Effect.provide(TestClock.adjust("1 hour"), never.room())
      yield* Effect.provide(TestClock.adjust("1 hour"), slow.room(1))
      assert.deepStrictEqual([never.seen.measurements, slow.seen.measurements], [0, 6])
    })
  })
})
