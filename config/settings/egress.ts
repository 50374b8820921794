/** What goes out of the server: to which hosts, through which proxy, with which secrets; and messages about jobs. */
import { duration, flag, list, oneOf, optionalModelPrefix, optionalText } from "./kinds.ts"

export const security = {
  "security.secret_label_required": flag(
    false,
    "secrets named by jobs must carry the label <domain>/usable-by: evaluations"
  )
} as const

export const model = {
  "model.sa_token_injection": oneOf(
    ["always", "in_cluster", "never"],
    "always",
    "to which models the service-account token is sent when no key applies"
  ),
  "model.sa_token_hosts": list([], "further hosts that count as in_cluster"),
  "model.ref_headers": list([], "further headers in which <key>:ref is replaced")
} as const

export const sidecar = {
  "sidecar.model_prefix": optionalModelPrefix(
    "path below which sidecars have the model, such as /m, for adapters that ask it at /health or at paths of trackers and registries; default every path that is not the sidecar's own",
    { variable: "EVALD_SIDECAR_MODEL_PREFIX" }
  )
} as const

export const egress = {
  "egress.deny_cidrs": list(
    [],
    "address ranges that models, registries and storage must not lie in, besides the built-in ones"
  ),
  "egress.allow_cidrs": list([], "address ranges that are allowed although a rule denies them"),
  "egress.allow_hosts": list([], "when given, only these hosts may be reached"),
  "egress.trust_proxy": flag(
    false,
    "names that a proxy resolves may be asked, although the outbound policy can not judge their addresses"
  ),
  "egress.proxied_hosts": list(
    [],
    "hosts, written as in NO_PROXY, that are asked through a proxy although they are loopback, this server or the cluster's API"
  ),
  "egress.proxy_ca_path": optionalText("CA bundle for TLS to a proxy, beside the system's roots"),
  "egress.require_tls_for_credentials": flag(
    false,
    "refuse to send credentials over plain http to hosts outside the cluster"
  )
} as const

export const secrets = {
  "secrets.dir": optionalText("directory of mounted secret files; see secrets.mappings", {
    variable: "EVALD_SECRETS_DIR"
  })
} as const

export const notifications = {
  "notifications.secrets_dir": optionalText(
    "keys that messages are signed with in a cluster, <dir>/<tenant>/<secret_ref>/key; unset: none are sent from there; locally they lie below local.secrets_dir"
  ),
  "notifications.allow_http": flag(false, "addresses may be http, so that anybody on the way reads what is sent"),
  "notifications.ca_path": optionalText("CA bundle for TLS to addresses, beside the system's roots"),
  "notifications.timeout_seconds": duration(10, 1, 60, "time limit of one attempt")
} as const
