/** Sends messages about jobs to the addresses that their callers name. Reference: notifications.md, "Messages". */
import { Context, type Effect } from "effect"
import type { NotificationRules } from "../../domain/notification/check-notifications.ts"
import type { Notification, Sent } from "../../domain/notification/notification.ts"

export interface OutgoingMessage {
  /** the same each time the same thing is told */
  readonly id: string
  /** JSON text */
  readonly body: string
}

/** without keys to sign with there is none, and nothing is sent: addresses are then refused */
export class Notifier extends Context.Reference<Notifier>()("evald/application/ports/Notifier", {
  defaultValue: ():
    | {
        readonly rules: NotificationRules
        /** addresses that a tenant's operator gave it, told of each of its jobs */
        readonly ofTenant: (tenant: string) => ReadonlyArray<Notification>
        /** one attempt: signed with the secret as it is now, no redirect followed, nothing of the answer kept but its status */
        readonly send: (
          tenant: string,
          to: Pick<Notification, "url" | "secretRef">,
          message: OutgoingMessage
        ) => Effect.Effect<Sent>
      }
    | undefined => undefined
}) {}
