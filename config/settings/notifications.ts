/** Messages about jobs to addresses of their callers. */
import { duration, flag, optionalText } from "./kinds.ts"

export const notifications = {
  "notifications.secrets_dir": optionalText(
    "keys that messages are signed with in a cluster, <dir>/<tenant>/<secret_ref>/key; unset: none are sent from there; locally they lie below local.secrets_dir"
  ),
  "notifications.allow_http": flag(false, "addresses may be http, so that anybody on the way reads what is sent"),
  "notifications.ca_path": optionalText("CA bundle for TLS to addresses, beside the system's roots"),
  "notifications.timeout_seconds": duration(10, 1, 60, "time limit of one attempt")
} as const
