/** Whom a job tells what about itself: addresses of a caller's own, and what was made of each attempt. Reference: notifications.md, "Addresses", "What was sent". */

/** what is told: the state in which a job ended, and the decision of the policy that came with it */
export const notificationEvents = ["completed", "partially_failed", "failed", "cancelled", "decided"] as const
export type NotificationEvent = (typeof notificationEvents)[number]

export interface Notification {
  readonly url: string
  readonly events: ReadonlyArray<NotificationEvent>
  /** secret of the tenant with the key that messages are signed with */
  readonly secretRef: string
}

export const deliveryStates = ["waiting", "delivered", "failed"] as const
export type DeliveryState = (typeof deliveryStates)[number]

/** where an address comes from: those of a tenant are not the caller's to see */
export type NotificationSource = "job" | "tenant"

/** one event to one address */
export interface Delivery {
  readonly tenant: string
  readonly jobId: string
  readonly source: NotificationSource
  /** place among the addresses of its source */
  readonly target: number
  readonly event: NotificationEvent
  readonly state: DeliveryState
  readonly attempts: number
  /** ISO times: of the first attempt, of the last one, of the next one */
  readonly firstAt: string
  readonly lastAt: string
  readonly nextAt?: string
  /** what came of the last attempt: the status of the answer, or why there was none */
  readonly status?: number
  readonly reason?: string
}

/** the same at every attempt and for every address, so that a receiver knows what it has */
export const eventId = (jobId: string, event: NotificationEvent): string => `${jobId}-${event}`

const firstDelay = 5_000
const longestDelay = 3_600_000
/** from the first attempt on; then it is given up */
export const patienceMillis = 86_400_000

/** milliseconds until the next attempt after so many; doubles from five seconds to an hour. `random`: 0 to 1, so that not all come at once */
export const retryDelay = (attempts: number, random: number): number =>
  Math.round(Math.min(longestDelay, firstDelay * 2 ** Math.min(attempts - 1, 20)) * (0.75 + random / 4))

/** what came of one attempt: an answer's status, or why there was none */
export type Sent = { readonly status: number } | { readonly reason: string }

/** only 2xx is a receipt: a redirect is not followed */
export const isReceipt = (sent: Sent): boolean => "status" in sent && sent.status >= 200 && sent.status < 300

type Subject = Pick<Delivery, "tenant" | "jobId" | "source" | "target" | "event">

/** the delivery after one more attempt; `now`: milliseconds */
export const afterAttempt = (
  subject: Subject,
  before: Delivery | undefined,
  sent: Sent,
  now: number,
  random: number
): Delivery => {
  const attempts = (before?.attempts ?? 0) + 1
  const lastAt = new Date(now).toISOString()
  const firstAt = before?.firstAt ?? lastAt
  const told = {
    ...{ tenant: subject.tenant, jobId: subject.jobId, source: subject.source },
    ...{ target: subject.target, event: subject.event, attempts, firstAt, lastAt, ...sent }
  }
  if (isReceipt(sent)) return { ...told, state: "delivered" }
  const next = now + retryDelay(attempts, random)
  return next > Date.parse(firstAt) + patienceMillis
    ? { ...told, state: "failed" }
    : { ...told, state: "waiting", nextAt: new Date(next).toISOString() }
}
