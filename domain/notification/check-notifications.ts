/** Rules of the addresses that a job tells about itself. Reference: notifications.md, "Addresses". */
import { dnsSubdomainProblem } from "../dns-name.ts"
import type { EgressPolicy } from "../egress.ts"
import { addressProblem, reachProblem, shownAddress } from "../http-address.ts"
import type { Path } from "../path.ts"
import { member, type Sentence, say } from "../sentence.ts"
import { shown, type Violation, violation } from "../violation.ts"
import type { Notification } from "./notification.ts"

export const maxNotifications = 10

/** what the server's settings say about notifications */
export interface NotificationRules {
  /** addresses may be http: what is sent can be read on its way */
  readonly allowHttp: boolean
  /** absent: all */
  readonly egress?: EgressPolicy
}

const malformed = (url: string): Sentence | undefined =>
  addressProblem(url, {
    wanted: "an absolute https URL, such as https://hooks.example.com/evald",
    credentials: "messages are signed instead"
  })

const checkOne = ({ url, events, secretRef }: Notification, path: Path): ReadonlyArray<Violation> => {
  const [atUrl, atEvents, atSecret]: [Path, Path, Path] = [
    [...path, "url"],
    [...path, "events"],
    [...path, "secretRef"]
  ]
  const wrongUrl = malformed(url)
  const wrongSecret = dnsSubdomainProblem(secretRef)
  return [
    ...(wrongUrl === undefined ? [] : [violation(atUrl, say`${member(atUrl)} ${shownAddress(url)} ${wrongUrl}`)]),
    ...(events.length > 0 ? [] : [violation(atEvents, say`${member(atEvents)} is empty: name at least one event`)]),
    ...(wrongSecret === undefined
      ? []
      : [violation(atSecret, say`${member(atSecret)} ${shown(secretRef)} ${wrongSecret}`)])
  ]
}

const path: Path = ["notifications"]

/** what can be judged without the server's settings */
export const checkNotifications = (notifications: ReadonlyArray<Notification>): ReadonlyArray<Violation> =>
  notifications.length > maxNotifications
    ? [
        violation(
          path,
          say`${member(path)} has ${notifications.length} addresses; at most ${maxNotifications} are allowed`
        )
      ]
    : notifications.flatMap((one, index) => checkOne(one, [...path, index]))

const unsendable = (url: string, { allowHttp, egress }: NotificationRules): Sentence | undefined => {
  if (new URL(url).protocol === "http:" && !allowHttp)
    return "must be an https URL: over http anybody on the way reads what is sent (setting notifications.allow_http allows it)"
  return egress === undefined ? undefined : reachProblem(url, egress)
}

/** one that is malformed is told already */
const checkSendable = ({ url }: Notification, of: Path, rules: NotificationRules): ReadonlyArray<Violation> => {
  const problem = malformed(url) === undefined ? unsendable(url, rules) : undefined
  const at: Path = [...of, "url"]
  return problem === undefined ? [] : [violation(at, say`${member(at)} ${shownAddress(url)} ${problem}`)]
}

/** an address by itself, with everything that is wrong with it */
export const checkAddress = (notification: Notification, rules: NotificationRules): ReadonlyArray<Violation> => [
  ...checkOne(notification, []),
  ...checkSendable(notification, [], rules)
]

/** there is nothing to sign messages with */
export const noKeys = (at: Path): Violation =>
  violation(
    at,
    "messages can not be sent from here: the server has no keys to sign them with (setting notifications.secrets_dir)"
  )

/** whether they can be sent from here; `rules`: undefined where nothing can be signed */
export const checkDeliverable = (
  notifications: ReadonlyArray<Notification>,
  rules: NotificationRules | undefined
): ReadonlyArray<Violation> => {
  if (notifications.length === 0 || notifications.length > maxNotifications) return []
  return rules === undefined
    ? [noKeys(path)]
    : notifications.flatMap((one, index) => checkSendable(one, [...path, index], rules))
}
