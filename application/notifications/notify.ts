/**
 * Tells the addresses of a job that it has ended and was judged. One task per job looks at it until then and tells each address its events
 * in their order, again and again until they are received or given up; what came of it is stored after each attempt, so that a server that
 * ends meanwhile repeats at most the attempts under way. Reference: notifications.md, "Delivery".
 */
import { Clock, Effect, Random, Ref } from "effect"
import { millisOf } from "../../domain/job/iso-time.ts"
import type { JobHead, JobRequest } from "../../domain/job/job.ts"
import { isTerminalJob } from "../../domain/job/job-state.ts"
import {
  afterAttempt,
  type Delivery,
  eventId,
  type Notification,
  type NotificationEvent,
  type NotificationSource,
  patienceMillis
} from "../../domain/notification/notification.ts"
import { gateOfJob } from "../decisions/gate-of-job.ts"
import { pause } from "../decisions/job-gate.ts"
import type { Unavailable } from "../errors.ts"
import { Notifier } from "../ports/notifier.ts"
import type { DecisionStore } from "../ports/stores/decision-store.ts"
import { JobStore } from "../ports/stores/job-store.ts"
import { NotificationStore } from "../ports/stores/notification-store.ts"
import { farthestMillis, type NewTask, type TaskQueue } from "../ports/task-queue.ts"
import { done, type LeaseOptions, later, type Outcome, work } from "../runtime/task-worker.ts"

const firstLook = 1000

interface Address extends Notification {
  readonly source: NotificationSource
  readonly target: number
}

export const addressesOf = ({
  notifications = [],
  tenantNotifications = []
}: Pick<JobRequest, "notifications" | "tenantNotifications">): ReadonlyArray<Address> => [
  ...notifications.map((one, target): Address => ({ ...one, source: "job", target })),
  ...tenantNotifications.map((one, target): Address => ({ ...one, source: "tenant", target }))
]

export const notifyTask = ({ id, tenant }: Pick<JobHead, "id" | "tenant">): NewTask => ({
  kind: "notify",
  key: id,
  ...{ jobId: id, tenant, order: 0, delayMillis: firstLook }
})

/** something that happened, and the message about it */
interface Happened {
  readonly event: NotificationEvent
  readonly body: string
}

const bodyOf = (event: NotificationEvent, at: string, record: string, more: object = {}): string =>
  `${JSON.stringify({ type: `job.${event}`, timestamp: at, ...more }).slice(0, -1)},"data":${record}}`

interface Story {
  readonly events: ReadonlyArray<Happened>
  /** milliseconds until more may have happened; absent: nothing more will */
  readonly more?: number
}

/** everything there is to tell of a job that has ended, the oldest first */
const storyOf = (head: JobHead, request: JobRequest, now: number) =>
  Effect.gen(function* () {
    const { json } = yield* (yield* JobStore).render(head.tenant, head.id)
    const { state, updatedAt } = head
    const ended: ReadonlyArray<Happened> =
      state === "pending" || state === "running" ? [] : [{ event: state, body: bodyOf(state, updatedAt, json) }]
    if (request.gate === undefined) return { events: ended } satisfies Story
    const gate = yield* gateOfJob(head, request.gate.policyDigest)
    if (gate === undefined)
      return { events: ended, ...(now < millisOf(updatedAt) + patienceMillis ? { more: 2 * firstLook } : {}) } as Story
    const { id, outcome, createdAt } = gate
    return {
      events: [...ended, { event: "decided", body: bodyOf("decided", createdAt, json, { gate: { id, outcome } }) }]
    } satisfies Story
  })

/** tells one address what it does not know yet; milliseconds until there is more to do, or undefined */
const tell = (head: JobHead, address: Address, { events, more }: Story, known: ReadonlyArray<Delivery>) =>
  Effect.gen(function* () {
    const notifier = yield* Notifier
    const store = yield* NotificationStore
    const { source, target } = address
    const { tenant, id: jobId } = head
    for (const { event, body } of events) {
      if (!address.events.includes(event)) continue
      const before = known.find((one) => one.source === source && one.target === target && one.event === event)
      if (before?.state === "delivered" || before?.state === "failed") continue
      const now = yield* Clock.currentTimeMillis
      if (before?.nextAt !== undefined && millisOf(before.nextAt) > now) return millisOf(before.nextAt) - now
      const message = { id: eventId(jobId, event), body }
      const sent =
        notifier === undefined
          ? { reason: "this server has no keys to sign messages with (setting notifications.secrets_dir)" }
          : yield* notifier.send(tenant, address, message)
      const subject = { tenant, jobId, source, target, event }
      const after = afterAttempt(subject, before, sent, yield* Clock.currentTimeMillis, yield* Random.next)
      yield* store.put(after)
      if (after.state === "failed")
        yield* Effect.logError(`job ${jobId}: an address was not told '${event}' and is given up`)
      if (after.nextAt !== undefined) return millisOf(after.nextAt) - (yield* Clock.currentTimeMillis)
    }
    return address.events.includes("decided") ? more : undefined
  })

const notify = (tenant: string, id: string) =>
  Effect.gen(function* () {
    const store = yield* JobStore
    const { head, job } = yield* store.loadBenchmark(id, 0)
    const now = yield* Clock.currentTimeMillis
    if (!isTerminalJob(head.state)) return later(pause(head, now))
    const story = yield* storyOf(head, job, now)
    const known = yield* (yield* NotificationStore).ofJob(tenant, id)
    const waits = yield* Effect.forEach(addressesOf(job), (address) => tell(head, address, story, known), {
      concurrency: "unbounded"
    })
    const next = waits.flatMap((millis) => millis ?? [])
    return next.length === 0 ? done : later(Math.min(farthestMillis, Math.max(firstLook, ...[Math.min(...next)])))
  }).pipe(Effect.catchTag("NotFound", () => Effect.succeed<Outcome>(done)))

const atOnce = 8

/** never ends */
export const messenger = (
  options: LeaseOptions
): Effect.Effect<never, never, JobStore | DecisionStore | NotificationStore | TaskQueue> =>
  Effect.gen(function* () {
    const busy = yield* Ref.make(0)
    return yield* work({
      ...options,
      kind: "notify",
      room: Effect.map(Ref.get(busy), (count) => atOnce - count),
      awaitRoom: Effect.never,
      claimed: (count) => Ref.update(busy, (all) => all + count),
      handle: ({ tenant, jobId }): Effect.Effect<Outcome, Unavailable, JobStore | DecisionStore | NotificationStore> =>
        notify(tenant, jobId).pipe(Effect.ensuring(Ref.update(busy, (all) => all - 1)))
    })
  })
