/** The order, the pauses and the exclusiveness of a controller's work. */
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, TestClock } from "effect"
import {
  type KeyRules,
  makeWorkQueue,
  type Outcome
} from "../../../../../infrastructure/kubernetes/controller/work-queue.ts"
import { quiet } from "../../../../support/until.ts"

interface Key {
  readonly instance: string
  readonly tenant?: string
}
const instance = (name: string): Key => ({ instance: name })
const tenant = (name: string, namespace: string): Key => ({ instance: name, tenant: namespace })
const rules: KeyRules<Key> = {
  nameOf: (key) => `${key.instance}/${key.tenant ?? ""}`,
  rankOf: (key) => (key.tenant === undefined ? 0 : 1),
  groupOf: (key) => key.instance
}
const done: Outcome = { _tag: "Done" }

/** keys in the order of their work, with the time since the start */
const recorded = (outcomeOf: (key: Key, turn: number) => Outcome) =>
  Effect.gen(function* () {
    const queue = yield* makeWorkQueue(rules)
    const worked: Array<readonly [name: string, millis: number]> = []
    const work = (key: Key) =>
      Effect.map(TestClock.currentTimeMillis, (now) => {
        worked.push([rules.nameOf(key), now])
        return outcomeOf(key, worked.length)
      })
    return { queue, worked, start: Effect.forkScoped(queue.run(1, work)) }
  })

describe("the work queue of a controller", () => {
  it.scoped(
    "case 20: 100 events for one key during a slow pass: never two passes at once; exactly one more after",
    () =>
      Effect.gen(function* () {
        const queue = yield* makeWorkQueue(rules)
        const gate = yield* Deferred.make<void>()
        let [passes, atOnce, most] = [0, 0, 0]
        const work = () =>
          Effect.gen(function* () {
            passes += 1
            atOnce += 1
            most = Math.max(most, atOnce)
            yield* Deferred.await(gate)
            atOnce -= 1
            return done
          })
        yield* Effect.forkScoped(queue.run(4, work))
        queue.add(instance("a"))
        yield* quiet
        for (let event = 0; event < 100; event += 1) queue.add(instance("a"))
        yield* quiet
        assert.deepStrictEqual([passes, most], [1, 1])
        yield* Deferred.succeed(gate, undefined)
        yield* quiet
        assert.deepStrictEqual([passes, most], [2, 1])
      })
  )

  it.scoped("instances go before tenants, and the tenants of instances take turns", () =>
    Effect.gen(function* () {
      const { queue, worked, start } = yield* recorded(() => done)
      for (const namespace of ["1", "2", "3"]) queue.add(tenant("a", namespace))
      queue.add(tenant("b", "1"))
      queue.add(tenant("b", "2"))
      queue.add(instance("c"))
      yield* start
      yield* quiet
      assert.deepStrictEqual(
        worked.map(([name]) => name),
        ["c/", "a/1", "b/1", "a/2", "b/2", "a/3"]
      )
    })
  )

  it.scoped(
    "a key that fails comes back after pauses that double up to five minutes, and begins anew after a success",
    () =>
      Effect.gen(function* () {
        const { queue, worked, start } = yield* recorded((_, turn) => (turn === 14 ? done : { _tag: "BackOff" }))
        queue.add(instance("a"))
        yield* start
        for (let step = 0; step < 60; step += 1) yield* TestClock.adjust("500 millis")
        for (let step = 0; step < 320; step += 1) yield* TestClock.adjust("5 seconds")
        yield* quiet
        const pauses = worked.map(([, at], index) => at - (worked[index - 1]?.[1] ?? 0)).slice(1, 14)
        pauses.forEach((pause, index) => {
          const base = Math.min(300_000, 500 * 2 ** index)
          const step = index < 5 ? 500 : 5000
          assert.isAtLeast(pause, base * 0.8 - step, `pause ${index}`)
          assert.isAtMost(pause, Math.min(300_000, base * 1.2) + step, `pause ${index}`)
        })
        assert.lengthOf(worked, 14)
        queue.add(instance("a"))
        yield* quiet
        const before = worked.length
        yield* TestClock.adjust("700 millis")
        yield* quiet
        assert.isAbove(worked.length, before)
      })
  )

  it.scoped("news about a key that waits after a failure are worked on at once, and its wait is over", () =>
    Effect.gen(function* () {
      const { queue, worked, start } = yield* recorded((_, turn) =>
        turn === 1 ? { _tag: "After", millis: 60_000 } : done
      )
      queue.add(instance("a"))
      yield* start
      yield* quiet
      yield* TestClock.adjust("10 seconds")
      queue.add(instance("a"))
      yield* quiet
      yield* TestClock.adjust("2 minutes")
      yield* quiet
      assert.deepStrictEqual(worked, [
        ["a/", 0],
        ["a/", 10_000]
      ])
    })
  )

  it.scoped(
    "case 21: a wait that the cluster asked for is kept; a conflict is tried again almost at once, three times",
    () =>
      Effect.gen(function* () {
        const { queue, worked, start } = yield* recorded((key) =>
          key.instance === "told" ? { _tag: "After", millis: 7000 } : { _tag: "Soon" }
        )
        queue.add(instance("told"))
        queue.add(instance("conflict"))
        yield* start
        for (let step = 0; step < 150; step += 1) yield* TestClock.adjust("50 millis")
        yield* quiet
        const times = (name: string) => worked.filter(([found]) => found === name).map(([, at]) => at)
        assert.deepStrictEqual(times("told/"), [0, 7000])
        const conflicts = times("conflict/")
        assert.deepStrictEqual(conflicts.slice(0, 4), [0, 200, 400, 600])
        assert.isAtLeast((conflicts[4] ?? 0) - 600, 400)
      })
  )

  it.scoped("a key whose work dies is told, and the others go on", () =>
    Effect.gen(function* () {
      const queue = yield* makeWorkQueue(rules)
      const worked: Array<string> = []
      const work = (key: Key) =>
        key.instance === "bad"
          ? Effect.dieMessage("a fault of the program")
          : Effect.sync(() => {
              worked.push(key.instance)
              return done
            })
      queue.add(instance("bad"))
      queue.add(instance("good"))
      yield* Effect.forkScoped(queue.run(1, work))
      yield* quiet
      assert.deepStrictEqual(worked, ["good"])
      assert.strictEqual(queue.waiting(), 1)
    })
  )

  it.scoped("a key that is done comes back when it is due, once", () =>
    Effect.gen(function* () {
      const { queue, worked, start } = yield* recorded(() => ({ _tag: "Done", againMillis: 600_000 }))
      queue.add(instance("a"))
      yield* start
      yield* quiet
      queue.add(instance("a"))
      yield* quiet
      for (let minute = 0; minute < 21; minute += 1) yield* TestClock.adjust("1 minute")
      yield* quiet
      assert.deepStrictEqual(
        worked.map(([, at]) => at),
        [0, 0, 600_000, 1_200_000]
      )
    })
  )
})
