/** What a large job asks of the database, and of the thread that serves everybody, when it is cancelled and while it is live. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { JobStore } from "../../../../../application/ports/stores/job-store.ts"
import { UsageStore } from "../../../../../application/ports/stores/usage-store.ts"
import { countsOf } from "../../../../../domain/job/job-state.ts"
import { Database } from "../../../../../infrastructure/sql/connection/client.ts"
import * as OpenDatabase from "../../../../../infrastructure/sql/connection/open.ts"
import { ports } from "../../../../../infrastructure/sql/database.ts"
import { settings } from "../../../../support/storage.ts"
import { cancel, renderedJob } from "../../../../support/store-actions.ts"
import { jobId, makeJob } from "../../../../support/stored-jobs.ts"

const count = 1000
const counters = { retries: 0, replayed: 0, inputTokens: 10, outputTokens: 2, reasoningTokens: 0, estimatedTokens: 0 }

/** every benchmark runs and has used its model */
const running = () => {
  const made = makeJob({ id: jobId(1), tenant: "t", benchmarks: count })
  const benchmarks = made.benchmarks.map((one) => ({
    ...one,
    state: "running" as const,
    startedAt: made.createdAt,
    usage: { ...counters, requests: one.index + 1 }
  }))
  return { ...made, state: "running" as const, counts: countsOf(benchmarks), benchmarks }
}

/** a store that notes what its transactions write */
const noting = () => {
  const written: Array<string> = []
  const noted = Layer.effect(
    Database,
    Effect.map(Database, (inner) =>
      Database.of({
        ...inner,
        write: (operation, body, line) =>
          inner.write(
            operation,
            (session) =>
              body({
                ...session,
                write: (text, params) => {
                  written.push(text)
                  return session.write(text, params)
                }
              }),
            line
          )
      })
    )
  )
  return {
    written,
    storage: Layer.provide(
      ports(settings, 4),
      Layer.provide(noted, OpenDatabase.layer({ ...settings, driver: "sqlite" }))
    )
  }
}

/** how often the loop turned while the effect ran */
const turnsOf = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.suspend(() => {
    let turns = 0
    let next: NodeJS.Immediate
    const turn = () => {
      turns += 1
      next = setImmediate(turn)
    }
    next = setImmediate(turn)
    return Effect.ensuring(
      Effect.map(effect, () => turns),
      Effect.sync(() => clearImmediate(next))
    )
  })

describe("a job of a thousand benchmarks", () => {
  it.effect(
    "is cancelled with a few statements, the usage of its benchmarks together (each was a statement, and on PostgreSQL a round trip)",
    () => {
      const { written, storage } = noting()
      return Effect.gen(function* () {
        yield* (yield* JobStore).insert(running(), [])
        written.splice(0)
        yield* cancel("t", jobId(1))
        assert.isAtMost(written.length, 30)
        const [used] = yield* (yield* UsageStore).byModel("t", {})
        assert.deepInclude(used?.usage, { requests: (count * (count + 1)) / 2, inputTokens: 10 * count })
      }).pipe(Effect.provide(storage))
    }
  )

  it.effect(
    "lets others be served while it is read and written (it held the thread from its beginning to its end)",
    () =>
      Effect.gen(function* () {
        yield* (yield* JobStore).insert(running(), [])
        const turns = yield* turnsOf(cancel("t", jobId(1)))
        // a hundred rows are read, and a hundred written, in each
        assert.isAtLeast(turns, 18)
        const { status } = yield* renderedJob("t", jobId(1))
        assert.strictEqual(status.state, "cancelled")
        assert.isTrue(status.benchmarks.every((one) => one["status"] === "cancelled"))
      }).pipe(Effect.provide(noting().storage))
  )

  it.effect("that is live is read in turns too (a page of it was one hold of the thread)", () =>
    Effect.gen(function* () {
      const store = yield* JobStore
      yield* store.insert(running(), [])
      let read = 0
      const turns = yield* turnsOf(
        Effect.map(store.live(undefined, count), (live) => {
          read = live.length
        })
      )
      assert.strictEqual(read, count)
      assert.isAtLeast(turns, 9)
    }).pipe(Effect.provide(noting().storage))
  )
})
