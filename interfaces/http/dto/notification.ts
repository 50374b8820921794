/** Addresses that are told of a job, and what became of it, on the wire. Reference: notifications.md, "Addresses", "What was sent". */
import { Either, Schema } from "effect"
import type { ShownDelivery } from "../../../application/notifications/notifications.ts"
import {
  type Notification as Domain,
  deliveryStates,
  notificationEvents,
  type Sent
} from "../../../domain/notification/notification.ts"
import { defined } from "../../../values/defined.ts"
import { type BodyReader, decoder } from "./decode.ts"
import { as, dateTime, given, integer, listOf, subdomain, text } from "./shapes.ts"

const Event = Schema.Literal(...notificationEvents)

const url = text("absolute https address, without credentials", {
  maxLength: 2048,
  pattern: "^[Hh][Tt][Tt][Pp][Ss]?://[^/\\s#\\\\][^\\s#\\\\]*$"
})
const secretRef = as("secret_ref", subdomain("secret of the tenant whose `key` signs the messages"))

export const Notification = Schema.Struct({
  url,
  events: listOf(Event, { minItems: 1 }),
  secretRef
}).annotations({ identifier: "Notification", description: "An address that is told how the job ended." })

export const NotificationTest = Schema.Struct({
  url,
  secretRef
}).annotations({ identifier: "NotificationTest", description: "An address to try." })

const decodeTest = decoder(NotificationTest)

export const decodeNotificationTest: BodyReader<Domain> = (document, options) =>
  Either.map(decodeTest(document, options), ({ value, ignored }) => ({
    value: { ...value, events: notificationEvents },
    ignored
  }))

const status = integer("status of the last answer", { minimum: 100, maximum: 999 })
const reason = text("why there was no answer")

export const NotificationResult = Schema.Struct({
  id: text("identifier of the message"),
  delivered: Schema.Boolean.annotations({ description: "the address answered with a status of 200 to 299" }),
  status: given(status),
  reason: given(reason),
  took_ms: integer("milliseconds until the answer", { minimum: 0 })
}).annotations({ identifier: "NotificationResult" })

export const resultWire = (
  id: string,
  sent: Sent,
  delivered: boolean,
  took: number
): typeof NotificationResult.Encoded => ({ id, delivered, ...sent, took_ms: took })

const Delivery = Schema.Struct({
  source: Schema.Literal("job", "tenant"),
  target: integer("place among the addresses of its source", { minimum: 0 }),
  url: given(text("the job's own address; those of a tenant are not shown")),
  event: Event,
  state: Schema.Literal("pending", ...deliveryStates).annotations({
    description: "`pending`: it has not happened; `waiting`: it is tried again; `failed`: it is given up"
  }),
  attempts: integer("attempts up to now", { minimum: 0 }),
  first_attempt_at: given(dateTime("first attempt")),
  last_attempt_at: given(dateTime("last attempt")),
  next_attempt_at: given(dateTime("next attempt")),
  last_status: given(status),
  last_reason: given(reason)
}).annotations({ identifier: "NotificationDelivery" })

export const Deliveries = Schema.Struct({
  job: text("identifier of the job"),
  items: Schema.Array(Delivery)
}).annotations({ identifier: "NotificationDeliveries", description: "What became of the messages about a job." })

export const deliveriesWire = (job: string, all: ReadonlyArray<ShownDelivery>): typeof Deliveries.Encoded => ({
  job,
  items: all.map(({ source, target, url: shown, event, state, attempts, firstAt, lastAt, nextAt, ...last }) => ({
    ...{ source, target, ...defined({ url: shown }), event, state, attempts },
    ...defined({
      first_attempt_at: firstAt,
      last_attempt_at: lastAt,
      next_attempt_at: nextAt,
      last_status: last.status,
      last_reason: last.reason
    })
  }))
})
