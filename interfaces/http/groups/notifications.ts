/** The contract of the notification routes. Reference: notifications.md, "What was sent", "Trying an address". */
import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as OpenApi from "@effect/platform/OpenApi"
import { Deliveries, decodeNotificationTest, NotificationResult, NotificationTest } from "../dto/notification.ts"
import { body, Guarded, headers, json, refusals, refusedBodies, texts } from "./operation.ts"
import { jobId } from "./path-parameters.ts"

const example = { url: "https://hooks.example.com/evald", secret_ref: "hook-key" } as const

const ofJob = HttpApiEndpoint.get("listJobNotifications")`/api/v1/evaluations/jobs/${jobId}/notifications`
  .setHeaders(headers("X-Tenant"))
  .addSuccess(json(Deliveries, "each event that an address asks for", { headers: ["Cache-Control"] }))
  .addError(refusals("resource_not_found"))
  .annotateContext(
    texts(
      "List what became of the messages about a job",
      "One item for each event that an address of the job or of its tenant asks for: delivered, tried again and when, or given up and why."
    )
  )

const test = HttpApiEndpoint.post("testNotification", "/api/v1/evaluations/notifications/test")
  .setHeaders(headers("X-Tenant"))
  .setPayload(body(NotificationTest, { read: decodeNotificationTest, example }))
  .addSuccess(json(NotificationResult, "what came of it", { headers: ["Cache-Control"] }))
  .addError(refusals(...refusedBodies))
  .annotateContext(
    texts(
      "Send a message for trial",
      "Sends one signed message of the type `test` at once, without a second attempt, and says what came of it. The answer's body is not read."
    )
  )

export const Notifications = HttpApiGroup.make("notifications")
  .add(ofJob)
  .add(test)
  .middleware(Guarded)
  .annotateContext(OpenApi.annotations({ title: "Notifications", description: "Messages about jobs." }))
