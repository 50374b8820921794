/** Rules of the addresses that a job tells about itself. Reference: notifications.md, "Addresses". */
import { dnsSubdomainProblem } from "../dns-name.ts"
import type { EgressPolicy } from "../egress.ts"
import { addressProblem, reachProblem, shownAddress } from "../http-address.ts"
import type { Path } from "../path.ts"
import { member, type Sentence, say } from "../sentence.ts"
import { shown, type Violation, violation } from "../violation.ts"
import { type Notification, notificationEvents } from "./notification.ts"

export const maxNotifications = 10

/** what the server's settings say about notifications */
export interface NotificationRules {
  /** addresses may be http: what is sent can be read on its way */
  readonly allowHttp: boolean
  /** absent: all */
  readonly egress?: EgressPolicy
}

const urlProblem = (url: string, { allowHttp, egress }: NotificationRules): Sentence | undefined => {
  const malformed = addressProblem(url, {
    wanted: "an absolute https URL, such as https://hooks.example.com/evald",
    credentials: "messages are signed instead"
  })
  if (malformed !== undefined) return malformed
  if (new URL(url).protocol === "http:" && !allowHttp)
    return "must be an https URL: over http anybody on the way reads what is sent (setting notifications.allow_http allows it)"
  return egress === undefined ? undefined : reachProblem(url, egress)
}

export const checkNotification = (
  { url, events, secretRef }: Notification,
  path: Path,
  rules: NotificationRules
): ReadonlyArray<Violation> => {
  const [atUrl, atEvents, atSecret]: [Path, Path, Path] = [
    [...path, "url"],
    [...path, "events"],
    [...path, "secretRef"]
  ]
  const wrongUrl = urlProblem(url, rules)
  const wrongSecret = dnsSubdomainProblem(secretRef)
  return [
    ...(wrongUrl === undefined ? [] : [violation(atUrl, say`${member(atUrl)} ${shownAddress(url)} ${wrongUrl}`)]),
    ...(events.length <= notificationEvents.length
      ? []
      : [
          violation(
            atEvents,
            say`${member(atEvents)} has ${events.length} events; there are ${notificationEvents.length}`
          )
        ]),
    ...(events.length > 0 ? [] : [violation(atEvents, say`${member(atEvents)} is empty: name at least one event`)]),
    ...(wrongSecret === undefined
      ? []
      : [violation(atSecret, say`${member(atSecret)} ${shown(secretRef)} ${wrongSecret}`)])
  ]
}

/** there is nothing to sign messages with */
export const noKeys = (path: Path): Violation =>
  violation(
    path,
    "messages can not be sent from here: the server has no keys to sign them with (setting notifications.secrets_dir)"
  )

/** `rules`: undefined where nothing can be signed, so that nothing is sent */
export const checkNotifications = (
  notifications: ReadonlyArray<Notification>,
  rules: NotificationRules | undefined
): ReadonlyArray<Violation> => {
  const path: Path = ["notifications"]
  if (notifications.length === 0) return []
  if (rules === undefined) return [noKeys(path)]
  if (notifications.length > maxNotifications)
    return [
      violation(
        path,
        say`${member(path)} has ${notifications.length} addresses; at most ${maxNotifications} are allowed`
      )
    ]
  return notifications.flatMap((one, index) => checkNotification(one, [...path, index], rules))
}
