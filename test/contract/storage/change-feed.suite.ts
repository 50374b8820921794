/** What every change feed does, whatever lies below it. */
import { assert, describe, layer } from "@effect/vitest"
import { Chunk, Effect, Fiber, Option, Stream } from "effect"
import { type Change, ChangeFeed, type Missed } from "../../../application/ports/change-feed.ts"
import { JobStore } from "../../../application/ports/stores/job-store.ts"
import { applyTo } from "../../../application/runtime/apply.ts"
import { decideStarted } from "../../../domain/job/runtime-fact.ts"
import type { StorageLayer } from "../../support/storage.ts"
import { remove, report } from "../../support/store-actions.ts"
import { completedEvent, jobId, makeJob, runningEvent } from "../../support/stored-jobs.ts"

const isChange = (change: Change | Missed): change is Change => change.kind !== "missed"

export const changeFeedSuite = (name: string, storage: StorageLayer) =>
  describe(`change feed: ${name}`, () => {
    layer(storage, { excludeTestServices: true })((it) => {
      const create = (number: number, tenant: string, benchmarks = 2) =>
        Effect.gen(function* () {
          const job = makeJob({ id: jobId(number), tenant, benchmarks })
          yield* (yield* JobStore).insert(job, [])
          return job
        })
      const take = (count: number, filter: { tenant: string; jobId?: string }, after?: number) =>
        Effect.flatMap(ChangeFeed, (feed) =>
          feed.subscribe(filter, after).pipe(
            Stream.take(count),
            Stream.runCollect,
            Effect.map((changes) => Chunk.toReadonlyArray(changes).filter(isChange))
          )
        )
      const first = (tenant: string, after: number) =>
        Effect.flatMap(ChangeFeed, (feed) => Effect.flatten(Stream.runHead(feed.subscribe({ tenant }, after))))

      it.effect("replays the log after a number and goes on live, in rising order", () =>
        Effect.gen(function* () {
          const feed = yield* ChangeFeed
          const start = yield* feed.latest
          const job = yield* create(1, "replay")
          yield* create(2, "elsewhere")
          const reader = yield* Effect.fork(take(4, { tenant: "replay" }, start))
          yield* report(job.id, runningEvent(0))
          yield* report(job.id, completedEvent(0))
          yield* remove("replay", job.id)
          const changes = yield* Fiber.join(reader)
          assert.deepEqual(
            changes.map(({ kind, jobId: id, tenant }) => [kind, id, tenant]),
            ["created", "updated", "updated", "deleted"].map((kind) => [kind, job.id, "replay"])
          )
          const numbers = changes.map(({ sequence }) => sequence)
          assert.deepEqual(
            numbers,
            [...new Set(numbers)].sort((a, b) => a - b)
          )
          assert.strictEqual(yield* feed.latest, numbers.at(-1))
          assert.deepEqual(yield* take(3, { tenant: "replay" }, numbers[0]), changes.slice(1))
        })
      )

      it.effect(
        "a position beyond the log, as a watcher has it after the log was lost, is not answered with silence for ever",
        () =>
          Effect.gen(function* () {
            const feed = yield* ChangeFeed
            const newest = yield* feed.latest
            const seen = yield* Effect.scoped(
              Effect.gen(function* () {
                const pull = yield* Stream.toPull(feed.subscribe({ tenant: "beyond" }, newest + 1_000_000))
                const missed = Chunk.toReadonlyArray(yield* pull)
                const job = yield* create(41, "beyond")
                const [change] = Chunk.toReadonlyArray(yield* pull).filter(isChange)
                assert.strictEqual(change?.jobId, job.id)
                return missed
              })
            )
            assert.deepEqual(
              seen.map(({ kind }) => kind),
              ["missed"]
            )
            assert.isAtMost(seen[0]?.sequence ?? Number.NaN, yield* feed.latest)
          })
      )

      it.effect("a position older than what is kept is not continued without a sign of what was lost", () =>
        Effect.gen(function* () {
          const feed = yield* ChangeFeed
          const before = yield* feed.latest
          const job = yield* create(51, "forgetful", 6)
          for (const { index } of job.benchmarks) yield* report(job.id, runningEvent(index))
          const numbers = (yield* take(7, { tenant: "forgetful" }, before)).map(({ sequence }) => sequence)
          const [start = 0, newest = 0] = [numbers[0], numbers[6]]
          yield* feed.forgetAllBut(3)
          assert.deepEqual(yield* first("forgetful", start), { kind: "missed", sequence: newest })
          assert.deepEqual(yield* first("forgetful", -1), { kind: "missed", sequence: newest })
          // what is kept is continued
          assert.deepInclude(yield* first("forgetful", newest - 1), {
            kind: "updated",
            sequence: newest,
            jobId: job.id
          })
          // forgetting less takes nothing back
          yield* feed.forgetAllBut(1000)
          assert.deepEqual(yield* first("forgetful", start), { kind: "missed", sequence: newest })
        })
      )

      it.effect("a launch alone is not heard of: there is nothing to see in it", () =>
        Effect.gen(function* () {
          const start = yield* (yield* ChangeFeed).latest
          const job = yield* create(61, "launched")
          yield* applyTo({ jobId: job.id, index: 0 }, (head, benchmark, now) =>
            decideStarted(head, benchmark, { attempt: 1, at: now }, now)
          )
          yield* report(job.id, runningEvent(0))
          yield* remove("launched", job.id)
          assert.deepEqual(
            (yield* take(3, { tenant: "launched" }, start)).map(({ kind }) => kind),
            ["created", "updated", "deleted"]
          )
        })
      )

      it.effect("a watcher of a job hears of that job alone, and not from other tenants", () =>
        Effect.gen(function* () {
          const start = yield* (yield* ChangeFeed).latest
          const mine = yield* create(11, "alone")
          const other = yield* create(12, "alone")
          const reader = yield* Effect.fork(take(3, { tenant: "alone", jobId: mine.id }, start))
          const foreign = yield* Effect.fork(take(1, { tenant: "nobody", jobId: mine.id }, start))
          yield* report(other.id, runningEvent(0))
          yield* report(mine.id, runningEvent(0))
          yield* report(mine.id, completedEvent(0))
          assert.deepEqual([...new Set((yield* Fiber.join(reader)).map((change) => change.jobId))], [mine.id])
          assert.strictEqual((yield* Fiber.poll(foreign))._tag, "None")
          yield* Fiber.interrupt(foreign)
        })
      )

      it.effect("a watcher that falls behind loses nothing", () =>
        Effect.gen(function* () {
          const feed = yield* ChangeFeed
          const start = yield* feed.latest
          const job = yield* create(21, "slow", 600)
          const seen = yield* Effect.scoped(
            Effect.gen(function* () {
              const pull = yield* Stream.toPull(feed.subscribe({ tenant: "slow" }, start))
              const numbers = Chunk.toReadonlyArray(yield* pull).map((change) => change.sequence)
              yield* Effect.forEach(job.benchmarks, ({ index }) => report(job.id, runningEvent(index)), {
                concurrency: 50,
                discard: true
              })
              while (numbers.length < 601)
                numbers.push(...Chunk.toReadonlyArray(yield* pull).map((change) => change.sequence))
              return numbers
            })
          )
          assert.strictEqual(seen.length, 601)
          assert.strictEqual(new Set(seen).size, 601)
          assert.deepEqual(
            seen,
            [...seen].sort((a, b) => a - b)
          )
        })
      )

      it.effect("without a number the watcher hears of what comes", () =>
        Effect.gen(function* () {
          const feed = yield* ChangeFeed
          const job = yield* create(31, "coming", 1000)
          const first = yield* Effect.fork(
            Stream.runHead(Stream.filter(feed.subscribe({ tenant: "coming" }, undefined), isChange))
          )
          for (const { index } of job.benchmarks) {
            yield* report(job.id, runningEvent(index))
            yield* Effect.yieldNow()
            if ((yield* Fiber.poll(first))._tag === "Some") break
          }
          assert.deepInclude(Option.getOrThrow(yield* Fiber.join(first)), { tenant: "coming", jobId: job.id })
        })
      )
    })
  })
