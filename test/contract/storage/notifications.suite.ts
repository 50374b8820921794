/** What every store of messages' fates does, whatever lies below it. */
import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { JobStore } from "../../../application/ports/stores/job-store.ts"
import { NotificationStore } from "../../../application/ports/stores/notification-store.ts"
import type { Delivery } from "../../../domain/notification/notification.ts"
import type { StorageLayer } from "../../support/storage.ts"
import { remove } from "../../support/store-actions.ts"
import { jobId, makeJob } from "../../support/stored-jobs.ts"

const delivery = (number: number, given: Partial<Delivery> = {}): Delivery => ({
  ...{ tenant: "a", jobId: jobId(number), source: "job", target: 0, event: "completed" },
  ...{ state: "waiting", attempts: 1, firstAt: "2026-01-01T00:00:00.000Z", lastAt: "2026-01-01T00:00:00.000Z" },
  ...{ nextAt: "2026-01-01T00:00:05.000Z", status: 503 },
  ...given
})

const stored = (number: number) =>
  Effect.flatMap(JobStore, (store) => store.insert(makeJob({ id: jobId(number), tenant: "a" }), []))

export const notificationsSuite = (name: string, storage: StorageLayer) =>
  describe(`notifications: ${name}`, () => {
    layer(storage)((it) => {
      it.effect("what is known last of an event to an address stands in place of what was known before", () =>
        Effect.gen(function* () {
          const store = yield* NotificationStore
          yield* stored(901)
          const { nextAt: _, ...before } = delivery(901)
          const after: Delivery = { ...before, state: "delivered", attempts: 2, status: 204 }
          const other = delivery(901, { source: "tenant", firstAt: "2026-01-01T00:00:00.001Z" })
          const later = delivery(901, { event: "decided", target: 3, firstAt: "2026-01-02T00:00:00.000Z" })
          for (const one of [later, delivery(901), other, after]) yield* store.put(one)
          assert.deepStrictEqual(yield* store.ofJob("a", jobId(901)), [after, other, later])
        })
      )
      it.effect("another tenant sees nothing, and can put nothing into a job", () =>
        Effect.gen(function* () {
          const store = yield* NotificationStore
          yield* stored(902)
          yield* store.put(delivery(902, { tenant: "b" }))
          assert.deepStrictEqual(yield* store.ofJob("b", jobId(902)), [])
          yield* store.put(delivery(902))
          assert.deepStrictEqual(yield* store.ofJob("b", jobId(902)), [])
          assert.strictEqual((yield* store.ofJob("a", jobId(902))).length, 1)
        })
      )
      it.effect("they go with their job, and what is told after that is not kept", () =>
        Effect.gen(function* () {
          const store = yield* NotificationStore
          yield* stored(903)
          yield* store.put(delivery(903))
          yield* remove("a", jobId(903))
          assert.deepStrictEqual(yield* store.ofJob("a", jobId(903)), [])
          yield* store.put(delivery(903))
          assert.deepStrictEqual(yield* store.ofJob("a", jobId(903)), [])
        })
      )
    })
  })
