/** What became of messages, in memory. */
import { Effect, Layer } from "effect"
import { NotificationStore } from "../../application/ports/stores/notification-store.ts"
import type { Delivery } from "../../domain/notification/notification.ts"
import { Tables } from "./tables.ts"

const keyOf = ({ jobId, source, target, event }: Delivery): string => `${jobId}/${source}/${target}/${event}`

const make = Effect.map(Tables, ({ jobs, deliveries }) =>
  NotificationStore.of({
    put: (delivery) =>
      Effect.sync(() => {
        if (jobs.get(delivery.jobId)?.job.tenant === delivery.tenant) deliveries.set(keyOf(delivery), delivery)
      }),
    ofJob: (tenant, jobId) =>
      Effect.sync(() =>
        [...deliveries.values()]
          .filter((one) => one.tenant === tenant && one.jobId === jobId)
          .sort((a, b) => (a.firstAt < b.firstAt ? -1 : a.firstAt > b.firstAt ? 1 : keyOf(a) < keyOf(b) ? -1 : 1))
      )
  })
)

export const layer: Layer.Layer<NotificationStore, never, Tables> = Layer.effect(NotificationStore, make)
