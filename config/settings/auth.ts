/** Who a caller is, and how that is found out. */
import { duration, integer, list, oneOf, optionalOneOf } from "./kinds.ts"

export const auth = {
  "auth.mode": optionalOneOf(
    ["cluster", "none", "trusted_headers"],
    "who says who the caller is: cluster, none or trusted_headers; default cluster, with -local none, which takes no other"
  ),
  "auth.cache.allow_seconds": duration(60, 0, 3600, "how long an allowed review is remembered"),
  "auth.audiences": list(
    [],
    "a caller's token must be meant for one of these audiences; default that of the API server"
  ),
  "auth.callbacks.pod_binding": oneOf(
    ["when_present", "required", "off"],
    "when_present",
    "an event must come from the pod of its benchmark: when the token names its pod, always, or not looked at"
  ),
  "auth.trusted_proxies": list(
    [],
    "addresses of proxies whose X-User is believed when the server listens beyond loopback, and whose X-Forwarded-For says where a caller is"
  ),
  "auth.refused_tokens.per_source": integer(
    20,
    1,
    1_000_000,
    "invalid tokens of one source that are reviewed within a minute; unknown ones beyond it get 429"
  ),
  "auth.refused_tokens.total": integer(
    1000,
    10,
    1_000_000,
    "the same of all sources together; half of it is kept for sources that sent none or few"
  )
} as const
