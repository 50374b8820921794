/** Telling addresses how a job ended, on a real store, by the test clock: in order, until received or given up, whoever else does not answer. */
import { assert, describe, it } from "@effect/vitest"
import { Clock, Deferred, Effect, Exit, Fiber, Layer, Scope } from "effect"
import { messenger, notifyTask } from "../../../../application/notifications/notify.ts"
import { Notifier } from "../../../../application/ports/notifier.ts"
import { DecisionStore } from "../../../../application/ports/stores/decision-store.ts"
import { JobStore } from "../../../../application/ports/stores/job-store.ts"
import { NotificationStore } from "../../../../application/ports/stores/notification-store.ts"
import { TaskQueue } from "../../../../application/ports/task-queue.ts"
import type { JobRequest } from "../../../../domain/job/job.ts"
import type { Notification, Sent } from "../../../../domain/notification/notification.ts"
import { lease } from "../../../support/runtime-workers.ts"
import { sqliteMemory } from "../../../support/storage.ts"
import { cancel, remove, report } from "../../../support/store-actions.ts"
import { completedEvent, jobId, makeJob } from "../../../support/stored-jobs.ts"
import { advancing, quiet, untilTrue } from "../../../support/until.ts"

interface Attempt {
  readonly url: string
  readonly id: string
  readonly at: number
  readonly body: { readonly type: string; readonly data: { readonly status: { readonly state: string } } }
}

/** remembers every attempt; `answers` by address, the last one again and again */
const receivers = (answers: { readonly [url: string]: ReadonlyArray<Sent> }) => {
  const attempts: Array<Attempt> = []
  const layer = Layer.succeed(Notifier, {
    rules: { allowHttp: false },
    ofTenant: () => [],
    send: (_tenant, { url }, { id, body }) =>
      Effect.map(Clock.currentTimeMillis, (at) => {
        const before = attempts.filter((one) => one.url === url).length
        attempts.push({ url, id, at, body: JSON.parse(body) as Attempt["body"] })
        return answers[url]?.at(Math.min(before, answers[url].length - 1)) ?? { status: 200 }
      })
  })
  return { attempts, layer }
}

const address = (url: string, ...events: Notification["events"]): Notification => ({ url, events, secretRef: "key" })

const submitted = (number: number, request: Partial<JobRequest>) =>
  Effect.gen(function* () {
    const job = makeJob({
      id: jobId(number),
      tenant: "a",
      benchmarks: 1,
      createdAt: "1970-01-01T00:00:00.000Z",
      request
    })
    yield* (yield* JobStore).insert(job, [notifyTask(job)])
    return job
  })

const start = Effect.forkScoped(messenger(lease))
const known = (number: number) => Effect.flatMap(NotificationStore, (store) => store.ofJob("a", jobId(number)))
const waiting = Effect.flatMap(TaskQueue, (queue) =>
  Effect.map(queue.stats, (all) =>
    all.some(({ kind, waiting: some, leased }) => kind === "notify" && some + leased > 0)
  )
)
const noTask = Effect.map(waiting, (some) => (some ? undefined : true))

describe("an address of a job", () => {
  it.scoped("is told nothing while the job runs, and its end once", () => {
    const { attempts, layer } = receivers({})
    return Effect.gen(function* () {
      const job = yield* submitted(1, { notifications: [address("https://one", "completed", "failed")] })
      yield* start
      for (let minute = 0; minute < 5; minute++) yield* advancing("20 seconds", Effect.as(quiet, true))
      assert.isEmpty(attempts)
      yield* report(job.id, completedEvent(0))
      yield* advancing("1 second", noTask)
      assert.deepStrictEqual(
        attempts.map(({ id, body }) => [id, body.type, body.data.status.state]),
        [[`${job.id}-completed`, "job.completed", "completed"]]
      )
      assert.deepStrictEqual(
        (yield* known(1)).map(({ state, attempts: count, status }) => [state, count, status]),
        [["delivered", 1, 200]]
      )
    }).pipe(Effect.provide(Layer.merge(layer, sqliteMemory)))
  })

  it.scoped("hears only what it asked for", () => {
    const { attempts, layer } = receivers({})
    return Effect.gen(function* () {
      const job = yield* submitted(1, {
        notifications: [address("https://one", "completed"), address("https://two", "cancelled")],
        tenantNotifications: [address("https://tenant", "cancelled", "failed")]
      })
      yield* cancel("a", job.id)
      yield* start
      yield* advancing("1 second", noTask)
      assert.sameMembers(
        attempts.map(({ url }) => url),
        ["https://two", "https://tenant"]
      )
    }).pipe(Effect.provide(Layer.merge(layer, sqliteMemory)))
  })

  it.scoped(
    "that does not answer is asked ever more seldom, keeps no other one waiting, and is told when it is back",
    () => {
      const { attempts, layer } = receivers({
        "https://away": [{ reason: "no answer" }, { status: 503 }, { status: 302 }, { status: 204 }]
      })
      return Effect.gen(function* () {
        const job = yield* submitted(1, {
          notifications: [address("https://away", "completed"), address("https://there", "completed")]
        })
        yield* report(job.id, completedEvent(0))
        yield* start
        yield* advancing("1 second", noTask)
        const [first = 0, ...rest] = attempts.filter(({ url }) => url === "https://away").map(({ at }) => at)
        assert.strictEqual(attempts.find(({ url }) => url === "https://there")?.at, first)
        const gaps = rest.map((at, index) => (at - ([first, ...rest][index] ?? 0)) / 1000)
        assert.strictEqual(gaps.length, 3)
        for (const [index, [low, high]] of [
          [3.75, 7],
          [7.5, 12],
          [15, 22]
        ].entries())
          assert.isTrue(
            (gaps[index] ?? 0) >= (low ?? 0) && (gaps[index] ?? 0) <= (high ?? 0),
            `${index}: ${gaps[index]} s`
          )
        assert.deepStrictEqual(
          (yield* known(1)).map(({ state, attempts: count }) => [state, count]),
          [
            ["delivered", 4],
            ["delivered", 1]
          ]
        )
      }).pipe(Effect.provide(Layer.merge(layer, sqliteMemory)))
    }
  )

  it.scoped(
    "that never answers is given up after 24 hours and kept as failed; the next event is told after it, not before",
    () => {
      const { attempts, layer } = receivers({ "https://away": [{ status: 500 }] })
      return Effect.gen(function* () {
        const decisions = yield* DecisionStore
        const policy = { criteria: [] }
        const policyDigest = decisions.digest(policy)
        const job = yield* submitted(1, {
          notifications: [address("https://away", "completed", "decided")],
          gate: { policy, policyDigest }
        })
        yield* report(job.id, completedEvent(0))
        yield* decisions.add({
          ...{ tenant: "a", kind: "gate", id: "g", series: "s", look: 1, inputs: "i", jobs: [job.id] },
          createdAt: "1970-01-01T00:00:01.000Z",
          record: JSON.stringify({
            id: "g",
            outcome: "GO",
            job: { id: job.id },
            policyDigest,
            createdAt: "1970-01-01T00:00:01.000Z"
          })
        })
        // a day of looks every second would take the test too long
        yield* Effect.forkScoped(messenger({ ...lease, pollMillis: 300_000 }))
        const failed = Effect.map(known(1), (all) => all.find(({ state }) => state === "failed"))
        const { attempts: tried, status, reason, firstAt, lastAt } = yield* advancing("5 minutes", failed)
        assert.deepStrictEqual([status, reason], [500, undefined])
        // an attempt that is due comes with the next look
        assert.isAtMost(Date.parse(lastAt) - Date.parse(firstAt), 24 * 3_600_000 + 300_000)
        assert.isAbove(Date.parse(lastAt) - Date.parse(firstAt), 22 * 3_600_000)
        const types = attempts.map(({ body }) => body.type)
        assert.deepStrictEqual(
          types.slice(0, tried),
          Array.from({ length: tried }, () => "job.completed")
        )
        yield* advancing(
          "1 minute",
          Effect.sync(() => (attempts.length > tried ? true : undefined))
        )
        assert.strictEqual(attempts[tried]?.body.type, "job.decided")
      }).pipe(Effect.provide(Layer.merge(layer, sqliteMemory)))
    }
  )

  it.scoped("gets a message again when its server ended between sending it and noting that, with the same id", () => {
    const sent: Array<string> = []
    return Effect.gen(function* () {
      const reached = yield* Deferred.make<void>()
      const layer = Layer.succeed(Notifier, {
        rules: { allowHttp: false },
        ofTenant: () => [],
        send: (_tenant, _to, { id }) =>
          Effect.gen(function* () {
            sent.push(id)
            // received, and the server dies before it knows
            if (sent.length === 1) return yield* Effect.zipRight(Deferred.succeed(reached, undefined), Effect.never)
            return { status: 200 }
          })
      })
      const job = yield* submitted(1, { notifications: [address("https://one", "completed")] })
      yield* report(job.id, completedEvent(0))
      const life = yield* Scope.make()
      const server = yield* Effect.forkIn(Effect.provide(messenger(lease), layer), life)
      yield* advancing(
        "1 second",
        Effect.flatMap(Deferred.isDone(reached), (done) => Effect.succeed(done || undefined))
      )
      yield* Fiber.interruptFork(server)
      yield* Scope.close(life, Exit.void)
      assert.isEmpty(yield* known(1))
      yield* Effect.forkScoped(Effect.provide(messenger({ ...lease, holder: "next" }), layer))
      yield* advancing("10 seconds", noTask)
      assert.deepStrictEqual(sent, [`${job.id}-completed`, `${job.id}-completed`])
      assert.deepStrictEqual(
        (yield* known(1)).map(({ state }) => state),
        ["delivered"]
      )
    }).pipe(Effect.provide(sqliteMemory))
  })

  it.scoped("of a job that was removed is not told any more", () => {
    const { attempts, layer } = receivers({ "https://away": [{ status: 500 }] })
    return Effect.gen(function* () {
      const job = yield* submitted(1, { notifications: [address("https://away", "completed")] })
      yield* report(job.id, completedEvent(0))
      yield* start
      yield* advancing(
        "1 second",
        Effect.sync(() => (attempts.length > 0 ? true : undefined))
      )
      yield* untilTrue(Effect.map(known(1), (all) => all.length > 0))
      yield* remove("a", job.id)
      const before = attempts.length
      yield* advancing("1 minute", noTask)
      assert.strictEqual(attempts.length, before)
    }).pipe(Effect.provide(Layer.merge(layer, sqliteMemory)))
  })
})
