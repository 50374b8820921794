/** What every task queue does, whatever lies below it. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Either, Fiber } from "effect"
import { JobStore } from "../../../application/ports/stores/job-store.ts"
import { type Task, TaskQueue } from "../../../application/ports/task-queue.ts"
import { hour } from "../../support/jumping-clock.ts"
import { StoredTime, type TimedStorage } from "../../support/storage.ts"
import { cancel } from "../../support/store-actions.ts"
import { jobId, launchTasks, makeJob } from "../../support/stored-jobs.ts"

export const taskQueueSuite = (name: string, storage: TimedStorage) =>
  describe(`task queue: ${name}`, () => {
    // claims of one test must not find the tasks of another: each gets a store and a clock of its own
    const fresh = <A, E>(effect: Effect.Effect<A, E, JobStore | TaskQueue | StoredTime>) =>
      Effect.provide(effect, storage)
    const pass = (seconds: number) => Effect.flatMap(StoredTime, (time) => time.pass(seconds * 1000))
    const create = (number: number, benchmarks: number, tenant = "t") =>
      Effect.gen(function* () {
        const job = makeJob({ id: jobId(number), tenant, benchmarks })
        yield* (yield* JobStore).insert(job, launchTasks(job))
        return job
      })
    const names = (tasks: ReadonlyArray<Task>) =>
      tasks.map((task) => `${Number.parseInt(task.jobId.slice(-4), 16)}/${task.index}`)
    const claim = (limit: number, holder = "a") =>
      Effect.flatMap(TaskQueue, (queue) => queue.claim("launch", holder, limit, 30_000))

    it.effect("jobs share the workers: a small one does not wait behind a big one", () =>
      fresh(
        Effect.gen(function* () {
          yield* create(1, 10)
          assert.deepEqual(names(yield* claim(3)), ["1/0", "1/1", "1/2"])
          yield* create(2, 2)
          assert.deepEqual(names(yield* claim(5)), ["1/3", "2/0", "1/4", "2/1", "1/5"])
          yield* create(3, 1)
          assert.deepEqual(names(yield* claim(2)), ["1/6", "3/0"])
        })
      )
    )

    const tenants = (tasks: ReadonlyArray<Task>) => tasks.map((task) => task.tenant)

    it.effect("tenants take turns: many small jobs of one do not hold up the only job of another", () =>
      fresh(
        Effect.gen(function* () {
          yield* Effect.forEach(
            Array.from({ length: 100 }, (_, number) => number + 1),
            (number) => create(number, 1, "many")
          )
          yield* create(101, 3, "few")
          assert.deepEqual(names(yield* claim(4)), ["101/0", "1/0", "101/1", "2/0"])
          assert.deepEqual(names(yield* claim(4)), ["101/2", "3/0", "4/0", "5/0"])
          assert.strictEqual((yield* claim(200)).length, 95)
        })
      )
    )

    it.effect("three tenants take turns over several claims, whichever job of theirs came first", () =>
      fresh(
        Effect.gen(function* () {
          yield* create(1, 4, "a")
          yield* create(2, 2, "b")
          yield* create(3, 3, "c")
          const served: Array<string> = []
          for (let count = 0; count < 5; count++) served.push(...tenants(yield* claim(1)))
          assert.deepEqual(served, ["a", "b", "c", "a", "b"])
          // one that comes meanwhile has its turn in its place
          yield* create(4, 1, "bb")
          assert.deepEqual(tenants(yield* claim(2)), ["bb", "c"])
          assert.deepEqual(tenants(yield* claim(5)), ["a", "c", "a"])
        })
      )
    )

    it.effect("the place in the round is kept when only retries are claimed", () =>
      fresh(
        Effect.gen(function* () {
          const queue = yield* TaskQueue
          yield* create(1, 1, "a")
          yield* create(2, 1, "b")
          for (const task of yield* claim(2)) yield* queue.retry(task, "a", 0, "again")
          assert.deepEqual(tenants(yield* claim(1)), ["a"])
          yield* create(3, 1, "a")
          assert.deepEqual(tenants(yield* claim(1)), ["b"])
        })
      )
    )

    it.effect("a tenant that has only leased, buried or future tasks takes no turn", () =>
      fresh(
        Effect.gen(function* () {
          const queue = yield* TaskQueue
          yield* create(1, 1, "buried")
          yield* create(2, 1, "future")
          yield* create(3, 1, "leased")
          const [buried, future] = yield* claim(3)
          assert.isDefined(buried)
          assert.isDefined(future)
          yield* queue.bury(buried, "a", "never")
          yield* queue.retry(future, "a", 60_000, "later")
          yield* create(4, 3, "ready")
          assert.deepEqual(tenants(yield* claim(2)), ["ready", "ready"])
          yield* create(5, 1, "zeal")
          assert.deepEqual(tenants(yield* claim(2)), ["zeal", "ready"])
          assert.deepEqual(yield* claim(2), [])
        })
      )
    )

    it.effect("a tenant's new job does not overtake its running one because another tenant is behind", () =>
      fresh(
        Effect.gen(function* () {
          yield* create(1, 6, "ahead")
          assert.deepEqual(names(yield* claim(3)), ["1/0", "1/1", "1/2"])
          yield* create(2, 5, "behind")
          yield* create(3, 3, "ahead")
          const claimed = yield* claim(12)
          const of = (tenant: string) => names(claimed.filter((task) => task.tenant === tenant))
          assert.deepEqual(of("ahead"), ["1/3", "3/0", "1/4", "3/1", "1/5", "3/2"])
          assert.deepEqual(of("behind"), ["2/0", "2/1", "2/2", "2/3", "2/4"])
        })
      )
    )

    it.effect("claimants at the same moment share nothing and leave nothing, of however many tenants", () =>
      fresh(
        Effect.gen(function* () {
          for (let number = 1; number <= 8; number++) yield* create(number, number, `tenant-${number}`)
          const keys: Array<string> = []
          // claims that meet may come back with less than there was: whoever comes next finds the rest
          for (let round = 0; round < 20 && keys.length < 36; round++) {
            const claims = yield* Effect.all(
              Array.from({ length: 6 }, (_, holder) => claim(3, `holder-${holder}`)),
              { concurrency: "unbounded" }
            )
            keys.push(...claims.flat().map((task) => task.key))
          }
          assert.strictEqual(keys.length, 36)
          assert.strictEqual(new Set(keys).size, 36)
        })
      )
    )

    it.effect("a task that is stored for later is claimed then, and stored again it is one with a new time", () =>
      fresh(
        Effect.gen(function* () {
          const queue = yield* TaskQueue
          const job = makeJob({ id: jobId(1), tenant: "t", benchmarks: 1 })
          const store = yield* JobStore
          yield* store.insert(job, [])
          const later = (delayMillis: number) =>
            store.changeBenchmark(
              { jobId: job.id, select: { index: 0 } },
              (head, benchmark) => {
                const key = `${head.id}/0`
                const task = {
                  kind: "samples",
                  key,
                  jobId: head.id,
                  tenant: "t",
                  index: 0,
                  order: 0,
                  delayMillis
                } as const
                return Either.right({ _tag: "Noted", benchmark, tasks: [task] })
              },
              () => undefined
            )
          const claimed = Effect.map(queue.claim("samples", "a", 5, 30_000), (tasks) => tasks.length)
          yield* later(60_000)
          assert.strictEqual(yield* claimed, 0)
          yield* pass(59)
          assert.strictEqual(yield* claimed, 0)
          yield* later(30_000)
          yield* pass(29)
          assert.strictEqual(yield* claimed, 0)
          yield* pass(2)
          assert.deepStrictEqual([yield* claimed, yield* claim(5)], [1, []])
        })
      )
    )

    it.effect("a job that comes to an empty queue does not overtake one whose retries wait", () =>
      fresh(
        Effect.gen(function* () {
          const queue = yield* TaskQueue
          yield* create(1, 4)
          const tasks = yield* claim(4)
          const late = tasks[3]
          assert.isDefined(late)
          for (const task of tasks.slice(0, 3)) yield* queue.complete(task, "a")
          yield* queue.retry(late, "a", 0, "try again")
          yield* create(2, 2)
          assert.deepEqual(names(yield* claim(3)), ["1/3", "2/0", "2/1"])
        })
      )
    )

    it.effect(
      "a leased task belongs to its holder until the lease ends, then to the next, and the first is fenced off",
      () =>
        fresh(
          Effect.gen(function* () {
            const queue = yield* TaskQueue
            yield* create(1, 1)
            const [first] = yield* claim(1, "a")
            assert.isDefined(first)
            assert.deepInclude(first, { term: 1, attempts: 1 })
            assert.deepEqual(yield* claim(1, "b"), [])
            yield* pass(29)
            assert.isTrue(yield* queue.renew(first, "a", 30_000))
            yield* pass(29)
            assert.deepEqual(yield* claim(1, "b"), [])
            yield* pass(2)
            const [second] = yield* claim(1, "b")
            assert.deepInclude(second, { key: first.key, term: 2, attempts: 2 })
            assert.isFalse(yield* queue.renew(first, "a", 30_000))
            yield* queue.complete(first, "a")
            yield* queue.retry(first, "a", 0, "no")
            yield* queue.bury(first, "a", "no")
            assert.isDefined(second)
            assert.isTrue(yield* queue.renew(second, "b", 30_000))
            yield* queue.complete(second, "b")
            yield* pass(120)
            assert.deepEqual(yield* claim(1, "c"), [])
          })
        )
    )

    it.effect(
      "a clock that is set back by an hour keeps no task waiting: new, retried, or left by a holder that is gone",
      () =>
        fresh(
          Effect.gen(function* () {
            yield* pass(61 * 60)
            const queue = yield* TaskQueue
            yield* create(1, 3)
            const [retried, left] = yield* claim(2)
            assert.isDefined(retried)
            assert.isDefined(left)
            yield* queue.retry(retried, "a", 20_000, "later")
            const { withClockSet } = yield* StoredTime
            // and what was claimed by the new time is held by it
            const [claimed, again] = yield* withClockSet(-hour, Effect.all([claim(5, "b"), claim(5, "c")]))
            assert.sameMembers(names(claimed), ["1/0", "1/1", "1/2"])
            assert.isFalse(yield* queue.renew(left, "a", 30_000))
            assert.deepEqual(again, [])
          })
        )
    )

    it.effect("a retried task waits for its time, a buried one for ever, and both are counted", () =>
      fresh(
        Effect.gen(function* () {
          const queue = yield* TaskQueue
          yield* create(1, 3)
          const [retried, buried] = yield* claim(2)
          assert.isDefined(retried)
          assert.isDefined(buried)
          yield* queue.retry(retried, "a", 60_000, "later")
          yield* queue.bury(buried, "a", "never")
          assert.deepEqual(names(yield* claim(5)), ["1/2"])
          yield* pass(20)
          assert.deepEqual(yield* queue.stats, [{ kind: "launch", waiting: 1, leased: 1, buried: 1, lagSeconds: 0 }])
          assert.deepEqual([yield* queue.count("launch"), yield* queue.count("cleanup")], [2, 0])
          yield* pass(100)
          const [again] = (yield* claim(5)).filter((task) => task.index === 0)
          assert.deepInclude(again, { attempts: 2, term: 2 })
          assert.strictEqual((yield* queue.stats)[0]?.buried, 1)
        })
      )
    )

    it.effect("the age of the oldest due task is the lag", () =>
      fresh(
        Effect.gen(function* () {
          yield* create(1, 2)
          yield* pass(90)
          const [{ lagSeconds, ...counts } = { lagSeconds: 0 }] = yield* (yield* TaskQueue).stats
          assert.deepEqual(counts, { kind: "launch", waiting: 2, leased: 0, buried: 0 })
          assert.strictEqual(Math.floor(lagSeconds / 10), 9)
        })
      )
    )

    it.effect("storing a task again makes it due again and takes it from its holder", () =>
      fresh(
        Effect.gen(function* () {
          const queue = yield* TaskQueue
          const store = yield* JobStore
          const job = yield* create(1, 1)
          yield* cancel("t", job.id)
          const [first] = yield* queue.claim("cleanup", "a", 1, 30_000)
          assert.isDefined(first)
          yield* store.remove("t", job.id, () =>
            Either.right([{ kind: "cleanup", key: job.id, jobId: job.id, tenant: "t", order: 0 }])
          )
          assert.isFalse(yield* queue.renew(first, "a", 30_000))
          const [second] = yield* queue.claim("cleanup", "b", 1, 30_000)
          assert.deepInclude(second, { key: job.id, attempts: 1 })
        })
      )
    )

    it.effect("two claimants share nothing", () =>
      fresh(
        Effect.gen(function* () {
          yield* create(1, 60)
          const claims = yield* Effect.all(
            Array.from({ length: 12 }, (_, holder) => claim(5, `holder-${holder}`)),
            { concurrency: "unbounded" }
          )
          const all = claims.flat().map((task) => task.key)
          assert.strictEqual(all.length, 60)
          assert.strictEqual(new Set(all).size, 60)
        })
      )
    )

    it.effect("nothing is claimed when nothing is asked for", () =>
      fresh(
        Effect.gen(function* () {
          yield* create(1, 1)
          assert.deepEqual(yield* claim(0), [])
        })
      )
    )

    it.effect("waiting for work ends when work is stored, before or after the wait began", () =>
      fresh(
        Effect.gen(function* () {
          const queue = yield* TaskQueue
          const waiting = yield* Effect.fork(queue.awaitWork("launch"))
          yield* Effect.yieldNow()
          yield* create(1, 1)
          yield* Fiber.join(waiting)
          yield* create(2, 1)
          yield* queue.awaitWork("launch")
        })
      )
    )
  })
