import { assert, describe, it } from "@effect/vitest"
import { Deferred, Duration, Effect, Fiber, TestClock } from "effect"
import { makeCallbacks } from "../../../../../providers/sdk/events/callbacks.ts"
import type { Attempt, AttemptOutcome } from "../../../../../providers/sdk/events/event-delivery.ts"

const job = { provider_id: "p", benchmark_id: "b", benchmark_index: 3 }

/** records what is sent; outcomes in order, the last one for ever */
const recorder = (...outcomes: ReadonlyArray<AttemptOutcome>) => {
  const sent: Array<{ readonly [name: string]: unknown }> = []
  const attempt = (body: string) =>
    Effect.sync((): Attempt => {
      const outcome = outcomes[Math.min(sent.length, outcomes.length - 1)] ?? "accepted"
      const { event_id: _, ...event } = JSON.parse(body).benchmark_status_event
      sent.push(event)
      return { outcome, detail: outcome }
    })
  return { sent, attempt }
}
/** in steps, so that a fiber which begins to wait late is still woken */
const seconds = (amount: number) =>
  Effect.zipRight(
    Effect.forEach(Array.from({ length: Math.floor(amount) }), () => TestClock.adjust(Duration.seconds(1)), {
      discard: true
    }),
    TestClock.adjust(Duration.seconds(amount % 1))
  )
const base = { provider_id: "p", id: "b", benchmark_index: 3, status: "running" }

describe("callbacks", () => {
  it.scoped("sends a phase at once and only once, progress at most every 2 s, the latest wins", () =>
    Effect.gen(function* () {
      const { sent, attempt } = recorder()
      const { status } = yield* makeCallbacks(job, { attempt })
      yield* status({ phase: "initializing" })
      yield* seconds(0)
      yield* status({ phase: "running_evaluation", completed: 0, total: 9 })
      yield* seconds(0)
      for (let completed = 1; completed <= 9; completed++) {
        yield* status({ phase: "running_evaluation", completed, total: 9, message: `item ${completed}` })
        yield* seconds(0.5)
      }
      yield* seconds(10)
      assert.deepStrictEqual(sent, [
        { ...base, phase: "initializing" },
        { ...base, phase: "running_evaluation", completed_steps: 0, total_steps: 9 },
        { ...base, message: "item 4", completed_steps: 4, total_steps: 9 },
        { ...base, message: "item 8", completed_steps: 8, total_steps: 9 },
        { ...base, message: "item 9", completed_steps: 9, total_steps: 9 }
      ])
    })
  )

  it.scoped("never waits for the server, and closing waits for the event in flight", () =>
    Effect.gen(function* () {
      const answer = yield* Deferred.make<Attempt>()
      let asked = 0
      const attempt = () =>
        Effect.zipRight(
          Effect.sync(() => asked++),
          Deferred.await(answer)
        )
      const { status, close } = yield* makeCallbacks(job, { attempt })
      yield* status({ phase: "initializing" })
      yield* seconds(0)
      yield* status({ phase: "loading_data" })
      yield* status({ phase: "running_evaluation" })
      const closing = yield* Effect.fork(close)
      yield* seconds(5)
      assert.isNull(closing.unsafePoll())
      yield* Deferred.succeed(answer, { outcome: "retry", detail: "reset" })
      yield* Fiber.join(closing)
      assert.strictEqual(asked, 1)
    })
  )

  it.scoped("drops an event after three tries and repeats the phase with the next", () =>
    Effect.gen(function* () {
      const { sent, attempt } = recorder("retry", "retry", "denied", "accepted")
      const { status } = yield* makeCallbacks(job, { attempt })
      yield* status({ phase: "initializing" })
      yield* seconds(60)
      assert.lengthOf(sent, 3)
      yield* status({ phase: "initializing", message: "x" })
      yield* seconds(60)
      assert.deepStrictEqual(sent.slice(3), [{ ...base, phase: "initializing", message: "x" }])
    })
  )

  for (const outcome of ["gone", "conflict"] as const)
    it.scoped(`${outcome} stops the evaluation`, () =>
      Effect.gen(function* () {
        const { sent, attempt } = recorder(outcome)
        const { status, stopped } = yield* makeCallbacks(job, { attempt })
        yield* status({ phase: "initializing" })
        yield* stopped
        yield* status({ phase: "loading_data" })
        yield* seconds(10)
        assert.lengthOf(sent, 1)
      })
    )

  it.scoped("keeps warnings that were not accepted for the terminal event", () =>
    Effect.gen(function* () {
      const { sent, attempt } = recorder("accepted", "refused")
      const { warn, close } = yield* makeCallbacks(job, { attempt })
      yield* warn({ code: "w1", message: "first" })
      yield* seconds(0)
      yield* warn({ code: "w2", message: "second" })
      yield* warn({ code: "w3", message: "third" })
      yield* seconds(2)
      assert.deepStrictEqual(
        sent.map((event) => event["warning_message"]),
        [
          { message: "first", message_code: "w1", message_origin: "adapter" },
          { message: "second", message_code: "w2", message_origin: "adapter" }
        ]
      )
      assert.deepStrictEqual(
        (yield* close).map(({ code }) => code),
        ["w2", "w3"]
      )
    })
  )
})
