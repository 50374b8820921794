/** What became of messages, in a database. */
import { Effect, Layer } from "effect"
import { NotificationStore } from "../../../application/ports/stores/notification-store.ts"
import type { Delivery } from "../../../domain/notification/notification.ts"
import { Database } from "../connection/client.ts"
import type { Dialect } from "../connection/session.ts"

/** the lock on the job keeps its removal from passing by */
const putText = (
  dialect: Dialect
) => `INSERT INTO notifications (job_id, source, target, event, tenant, first_at, record)
  SELECT id, CAST(? AS TEXT), CAST(? AS INTEGER), CAST(? AS TEXT), tenant, CAST(? AS TEXT), CAST(? AS TEXT) FROM jobs
  WHERE id = ? AND tenant = ? ${dialect === "pg" ? "FOR KEY SHARE" : ""}
  ON CONFLICT (job_id, source, target, event) DO UPDATE SET record = excluded.record`

const make = Effect.map(Database, (database) => {
  const put = putText(database.dialect)
  return NotificationStore.of({
    put: (delivery) =>
      Effect.asVoid(
        database.writeOne("putNotification", (session) =>
          session.write(put, [
            ...[delivery.source, delivery.target, delivery.event, delivery.firstAt, JSON.stringify(delivery)],
            ...[delivery.jobId, delivery.tenant]
          ])
        )
      ),
    ofJob: (tenant, jobId) =>
      Effect.map(
        database.read("notificationsOfJob", (session) =>
          session.query<{ record: string }>(
            "SELECT record FROM notifications WHERE job_id = ? AND tenant = ? ORDER BY first_at, source, target, event",
            [jobId, tenant]
          )
        ),
        (rows) => rows.map(({ record }) => JSON.parse(record) as Delivery)
      )
  })
})

export const layer: Layer.Layer<NotificationStore, never, Database> = Layer.effect(NotificationStore, make)
