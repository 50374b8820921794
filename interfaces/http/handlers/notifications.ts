/** Handlers of the notification routes. Reference: notifications.md, "What was sent", "Trying an address". */
import { Effect } from "effect"
import { notificationsOf, testNotification } from "../../../application/notifications/notifications.ts"
import { isReceipt } from "../../../domain/notification/notification.ts"
import { deliveriesWire, resultWire } from "../dto/notification.ts"
import { json } from "../exchange.ts"
import type { Handler } from "../handler.ts"
import { readPayload, readQuery } from "./read-request.ts"

const fresh = { "cache-control": "no-store" }

export const ofJob: Handler<"listJobNotifications"> = (request) =>
  Effect.gen(function* () {
    yield* readQuery(request)
    const { id } = request.params
    return json(deliveriesWire(id, yield* notificationsOf(request.caller, id)), fresh)
  })

export const test: Handler<"testNotification"> = (request) =>
  Effect.gen(function* () {
    yield* readQuery(request)
    const { value } = yield* readPayload(request)
    const { id, sent, tookMillis } = yield* testNotification(request.caller, value)
    return json(resultWire(id, sent, isReceipt(sent), tookMillis), fresh)
  })
