/** Which server does what only one may do: also when a container of a pod died with the role in its hands. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Ref, TestClock } from "effect"
import { Identifiers } from "../../../../../application/ports/identifiers.ts"
import { Leases } from "../../../../../application/ports/leases.ts"
import { holderName, whileLeading } from "../../../../../infrastructure/kubernetes/observe/leader.ts"
import * as MemoryLeases from "../../../../../infrastructure/memory/leases.ts"

const times = { role: "observe", leaseMillis: 15_000, renewMillis: 5000 }
let serial = 0
const next = Effect.sync(() => {
  serial += 1
  return `boot-${serial}`
})
const identifiers = Identifiers.of({ next, secret: next })

/** seconds until a server with the role of `before` in its way does its work */
const secondsUntilWork = (before: { readonly podUid?: string }, now: { readonly podUid?: string }) =>
  Effect.gen(function* () {
    const leases = yield* Leases
    const working = yield* Ref.make(false)
    yield* leases.hold(times.role, yield* holderName(before, identifiers), times.leaseMillis)
    const holder = yield* holderName(now, identifiers)
    const server = yield* Effect.fork(
      whileLeading({ ...times, holder }, Effect.zipRight(Ref.set(working, true), Effect.never))
    )
    for (let seconds = 0; seconds < 60; seconds++) {
      yield* Effect.yieldNow()
      yield* TestClock.adjust(0)
      if (yield* Ref.get(working)) {
        yield* Fiber.interrupt(server)
        return seconds
      }
      yield* TestClock.adjust("1 second")
    }
    return undefined
  }).pipe(Effect.provide(MemoryLeases.layer))

describe("the role of one of several servers", () => {
  it.effect("is taken at once by a container that restarted in its pod", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* secondsUntilWork({ podUid: "uid-1" }, { podUid: "uid-1" }), 0)
    })
  )
  it.effect("is taken by another pod, and by a server in no pod, when the lease has run out", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* secondsUntilWork({ podUid: "uid-1" }, { podUid: "uid-2" }), 15)
      assert.strictEqual(yield* secondsUntilWork({}, {}), 15)
    })
  )
})
