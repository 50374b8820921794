/** What became of the messages about a job, and a message sent for trial. Reference: notifications.md, "Trying an address", "What was sent". */
import { Clock, Effect } from "effect"
import { checkAddress, noKeys } from "../../domain/notification/check-notifications.ts"
import type { Delivery, Notification, NotificationEvent } from "../../domain/notification/notification.ts"
import { defined } from "../../values/defined.ts"
import type { Caller } from "../access/caller.ts"
import { Invalid } from "../errors.ts"
import { Identifiers } from "../ports/identifiers.ts"
import { Notifier } from "../ports/notifier.ts"
import { JobStore } from "../ports/stores/job-store.ts"
import { NotificationStore } from "../ports/stores/notification-store.ts"
import { addressesOf } from "./notify.ts"

export interface ShownDelivery
  extends Omit<Delivery, "tenant" | "jobId" | "state" | "attempts" | "firstAt" | "lastAt"> {
  /** `pending`: it has not happened yet */
  readonly state: Delivery["state"] | "pending"
  readonly attempts: number
  readonly firstAt?: string
  readonly lastAt?: string
  /** absent: of the tenant, whose addresses are not the caller's to see */
  readonly url?: string
}

const shownOf = (
  { source, target, url }: ReturnType<typeof addressesOf>[number],
  event: NotificationEvent,
  known: ReadonlyArray<Delivery>
): ShownDelivery => {
  const found = known.find((one) => one.source === source && one.target === target && one.event === event)
  const {
    tenant: _tenant,
    jobId: _jobId,
    ...told
  } = found ?? {
    ...{ tenant: "", jobId: "", source, target, event },
    ...{ state: "pending" as const, attempts: 0 }
  }
  return { ...told, ...defined({ url: source === "job" ? url : undefined }) }
}

/** every event that an address of the job asks for, with what came of it; of a job that has ended only what happened */
export const notificationsOf = Effect.fn("notifications.list")(function* ({ tenant }: Caller, id: string) {
  const job = yield* (yield* JobStore).load(tenant, id)
  const known = yield* (yield* NotificationStore).ofJob(tenant, id)
  return addressesOf(job.request).flatMap((address) => address.events.map((event) => shownOf(address, event, known)))
})

/** one message without a job, at once and once only */
export const testNotification = Effect.fn("notifications.test")(function* (
  { tenant }: Caller,
  notification: Notification
) {
  const notifier = yield* Notifier
  if (notifier === undefined) return yield* new Invalid({ violations: [noKeys([])] })
  const [first, ...rest] = checkAddress(notification, notifier.rules)
  if (first !== undefined) return yield* new Invalid({ violations: [first, ...rest] })
  const now = yield* Clock.currentTimeMillis
  const id = `test-${yield* (yield* Identifiers).next}`
  const body = JSON.stringify({ type: "test", timestamp: new Date(now).toISOString(), data: {} })
  const sent = yield* notifier.send(tenant, notification, { id, body })
  return { id, sent, tookMillis: (yield* Clock.currentTimeMillis) - now }
})
