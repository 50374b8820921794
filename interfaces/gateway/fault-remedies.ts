/** What the gateway's own answers mean and what to do. Read by who writes docs/troubleshooting.md; no process loads it. Reference: errors.md, "Gateway codes". */
import type { FaultCode } from "./fault.ts"

interface Told {
  readonly meaning: string
  readonly remedy: string
}

export const faultRemedies: { readonly [Code in FaultCode]: Told } = {
  authorization_ambiguous: {
    meaning: "a request has several Authorization headers, or names keys of several models",
    remedy: "Let the adapter send one Authorization header, for one model."
  },
  body_too_large: {
    meaning: "an event is larger than 10 MiB",
    remedy: "Send less in one event: samples have a call of their own, artifacts a registry."
  },
  budget_exhausted: {
    meaning: "the benchmark or its job used up what it may use of the model",
    remedy: "Nothing more is sent to the model. Run it again with a larger `budget`, fewer examples or shorter answers."
  },
  credential_empty: {
    meaning: "the named key of the model secret is empty",
    remedy: "Put the model's key under the name that the message has."
  },
  credential_invalid: {
    meaning: "the named key of the model secret holds characters that a header can not carry",
    remedy: "Write the key into the secret again, without line breaks and control characters inside."
  },
  credential_ref_not_allowed: {
    meaning: "the named member of the model secret is not a key for requests",
    remedy: "Refer to `api-key` or to another key that the message lists."
  },
  credential_ref_unknown: {
    meaning: "the model secret has no key of this name",
    remedy: "Add the key to the secret, or refer to one that the message lists."
  },
  credential_unavailable: {
    meaning: "a secret or token can not be read",
    remedy:
      "Look whether the secret is mounted and readable for the pod's user; it is read again by itself when it changes."
  },
  event_invalid: {
    meaning: "the body of an event is no JSON object with `benchmark_status_event`",
    remedy: "Correct the adapter by the adapter contract."
  },
  forbidden: {
    meaning: "the event is of another benchmark, or the path is not one of those that adapters may use",
    remedy: "Let the adapter take job id, index and addresses from its job file."
  },
  overloaded: {
    meaning: "256 connections to one address are open and 1,024 requests wait, or the sidecar is starting",
    remedy: "Send again after `Retry-After`; lower the number of parallel requests (`num_concurrent`)."
  },
  path_invalid: {
    meaning: "the path is empty, or has dot segments or backslashes",
    remedy: "Let the adapter append the route to the address that it was given, and nothing else."
  },
  registry_unavailable: {
    meaning: "the registry's log-in gave no token, or the token ended during an upload",
    remedy: "Correct the credentials of the registry (`exports.oci`); after a 503 send the blob again."
  },
  request_head_too_large: {
    meaning: "the head of the request is larger than 64 KiB",
    remedy: "Let the adapter send fewer or shorter headers."
  },
  request_invalid: {
    meaning: "the request can not be forwarded as it is, or its body ended early",
    remedy: "Send a whole HTTP/1.1 request with a body of the announced length, without `Expect`."
  },
  route_not_found: {
    meaning: "the benchmark has no tracker, or no such route",
    remedy:
      "Give the job an `experiment` and the server a `tracker.tracking_uri`, or let the adapter leave the tracker out."
  },
  spool_unavailable: {
    meaning: "neither the pod's disk nor the server takes the event",
    remedy: "Send again after `Retry-After`; make room in the pod's working volume (`runtime.k8s.volumes.data_size`)."
  },
  upgrade_not_supported: {
    meaning: "the request asks for another protocol",
    remedy: "Use plain HTTP requests and server-sent events; web sockets are not forwarded."
  },
  upstream_blocked: {
    meaning: "the address is denied by the outbound policy",
    remedy:
      "Use another address, or have this one allowed: `egress.allow_cidrs`, `egress.allow_hosts`, `egress.trust_proxy`."
  },
  upstream_invalid: {
    meaning: "the address of the model or registry can not be used",
    remedy: "Correct `model.url` or the host of the registry: http or https, a host, no credentials."
  },
  upstream_timeout: {
    meaning: "no connection within 10 seconds, or no byte within 15 minutes",
    remedy:
      "Look whether the endpoint runs and the way there is open; give it more capacity if its answers take this long."
  },
  upstream_tls_failed: {
    meaning: "the certificate of the other side is not trusted",
    remedy:
      "Put its CA where the message says: key `ca_cert` of the model secret, `tracker.ca_cert_path`, `egress.proxy_ca_path`."
  },
  upstream_unreachable: {
    meaning: "the connection to the other side can not be made, or broke before its answer",
    remedy:
      "Start the endpoint, or correct `model.url`, the proxy or the network policy on the way; the message names the address."
  }
}
