/** What the gateway itself answers when it cannot or must not forward. These codes belong to it alone. Reference: gateway.md, "Model credentials", "Outbound policy". */
import type { ServerResponse } from "node:http"
import { endAfterBody, hasUnreadBody } from "./unread-body.ts"

export type FaultCode =
  | "authorization_ambiguous"
  | "body_too_large"
  | "budget_exhausted"
  | "credential_empty"
  | "credential_invalid"
  | "credential_ref_not_allowed"
  | "credential_ref_unknown"
  | "credential_unavailable"
  | "event_invalid"
  | "forbidden"
  | "overloaded"
  | "path_invalid"
  | "registry_unavailable"
  | "request_head_too_large"
  | "request_invalid"
  | "route_not_found"
  | "spool_unavailable"
  | "upgrade_not_supported"
  | "upstream_blocked"
  | "upstream_invalid"
  | "upstream_timeout"
  | "upstream_tls_failed"
  | "upstream_unreachable"

export class Fault extends Error {
  readonly status: number
  readonly code: FaultCode
  readonly headers: { readonly [name: string]: string }
  constructor(status: number, code: FaultCode, message: string, headers: { readonly [name: string]: string } = {}) {
    super(message)
    this.status = status
    this.code = code
    this.headers = headers
  }
}

export const faultBody = (fault: Fault, trace: string): string =>
  JSON.stringify({ message: fault.message, message_code: fault.code, trace })

/** answers with the fault, or, when the head is already out, cuts the connection: a truncated answer must not look complete */
export const sendFault = (response: ServerResponse, fault: Fault, trace: string): void => {
  if (response.headersSent) {
    response.destroy()
    return
  }
  const body = faultBody(fault, trace)
  const unread = hasUnreadBody(response.req)
  response.writeHead(fault.status, {
    ...fault.headers,
    "content-type": "application/json",
    "content-length": String(Buffer.byteLength(body)),
    "x-evald-sidecar": "error",
    "x-request-id": trace,
    ...(unread ? { connection: "close" } : {})
  })
  const shown = response.req.method === "HEAD" ? undefined : body
  if (unread) endAfterBody(response.req, response, shown)
  else response.end(shown)
}
