/**
 * The single place where a failure becomes a response: the only file that knows which code belongs to which failure, and exhaustive, so that a
 * new error does not compile until it has a code here. The code's status is the contract's. Reference: errors.md, "Error body".
 */
import { Data, Match } from "effect"
import type {
  Conflict,
  Forbidden,
  Invalid,
  NotFound,
  PreconditionFailed,
  ReadOnly,
  TenantFull,
  Unauthenticated,
  Unavailable
} from "../../application/errors.ts"
import { wirePointer } from "../../config/wire-names.ts"
import { overLimitText } from "../../domain/tenant/limits.ts"
import type { Violation } from "../../domain/violation.ts"
import { defined } from "../../values/defined.ts"
import type { Answer, Headers } from "./exchange.ts"
import { isRequestCode, type RequestCode, requestCodes } from "./groups/request-codes.ts"
import { problemText } from "./problem-text.ts"

/** a request that the transport itself refuses: bad syntax, bad query, wrong media type, too large */
export class Refused extends Data.TaggedError("Refused")<{
  readonly code: RequestCode
  readonly message: string
  readonly headers?: Headers
  readonly violations?: ReadonlyArray<Violation>
}> {}

/** everything a handler may fail with */
export type Failure =
  | Refused
  | NotFound
  | Invalid
  | Conflict
  | TenantFull
  | ReadOnly
  | PreconditionFailed
  | Unavailable
  | Unauthenticated
  | Forbidden

export interface ErrorContent {
  readonly code: RequestCode
  readonly message: string
  readonly headers?: Headers
  readonly violations?: ReadonlyArray<Violation>
}

/** at most this many violations are shown */
export const maxShown = 20

const unavailable: {
  readonly [Peer in Unavailable["peer"]]: { readonly code: RequestCode; readonly message: string }
} = {
  database: {
    code: "database_unavailable",
    message:
      "the database can not be used now; try again, and send an Idempotency-Key with what must not be created twice"
  },
  cluster: { code: "cluster_unavailable", message: "the cluster API does not answer; try again" },
  machine: {
    code: "machine_unavailable",
    message: "the server's machine can not do this now: its disk is full or fails, or a limit is reached; try again"
  },
  review: { code: "review_unavailable", message: "the authorisation review does not answer; try again" },
  tracker: {
    code: "tracker_request_failed",
    message: "the tracking server refused or failed the request; nothing was stored, try again"
  }
}

const summary = (violations: Invalid["violations"]): string => {
  const first = problemText(violations[0])
  const more = violations.length - 1
  // a decoder looks no further than for one more than is shown
  if (more === maxShown) return `${first} (and at least ${maxShown} more problems, the first ${maxShown} are in errors)`
  return more === 0 ? first : `${first} (and ${more} more problem${more === 1 ? "" : "s"}, see errors)`
}

export const contentOf = (failure: Failure): ErrorContent =>
  Match.valueTags(failure, {
    Refused: ({ code, message, headers, violations }): ErrorContent => ({
      code,
      message,
      ...defined({ headers, violations })
    }),
    NotFound: ({ kind, id, reason }): ErrorContent => ({
      code: "resource_not_found",
      message: `${kind} '${id}' does not exist${reason === undefined ? "" : `: ${reason}`}`
    }),
    Invalid: ({ violations }): ErrorContent => {
      const { code } = violations[0]
      return { code: isRequestCode(code) ? code : "invalid_value", message: summary(violations), violations }
    },
    Conflict: ({ code, message }): ErrorContent => ({ code, message }),
    ReadOnly: ({ kind, id }): ErrorContent => ({
      code: kind === "provider" ? "read_only_provider" : "read_only_collection",
      message: `${kind} '${id}' is built in or comes from a file and can not be changed; create one under another name instead`
    }),
    PreconditionFailed: ({ id }): ErrorContent => ({
      code: "precondition_failed",
      message: `'${id}' has changed since the version named by If-Match; read it again and repeat the change`
    }),
    Unavailable: ({ peer }): ErrorContent => ({
      ...unavailable[peer],
      ...(peer === "tracker" ? {} : { headers: { "retry-after": peer === "review" ? "5" : "2" } })
    }),
    Unauthenticated: ({ message }): ErrorContent => ({
      code: "unauthorized",
      message,
      headers: { "www-authenticate": 'Bearer realm="evald"' }
    }),
    TenantFull: ({ tenant, over }): ErrorContent => ({
      code: "tenant_limit_reached",
      message: overLimitText(tenant, over),
      // what is kept is measured every minute
      headers: { "retry-after": over.limit === "max_stored_bytes" ? "60" : "10" }
    }),
    Forbidden: ({ message }): ErrorContent => ({ code: "forbidden", message })
  })

export const internalError: ErrorContent = {
  code: "internal_error",
  message: "the server failed; the trace identifies the failure in its log"
}

export const routeNotFound: ErrorContent = { code: "route_not_found", message: "no such route" }

/** `detail` repeats `message` for existing clients that look there */
export const errorAnswer = ({ code, message, headers, violations }: ErrorContent, trace: string): Answer<never> => ({
  status: requestCodes[code].status,
  headers: { "content-type": "application/json", "cache-control": "no-store", ...headers },
  body: JSON.stringify({
    message,
    message_code: code,
    trace,
    ...(violations === undefined || violations.length === 0
      ? {}
      : {
          errors: violations
            .slice(0, maxShown)
            .map((one) => ({ path: wirePointer(one.path), message: problemText(one), message_code: one.code }))
        }),
    detail: message
  })
})
