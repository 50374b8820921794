/**
 * The tagged errors of use cases and ports. No status codes here: `interfaces/http/error-response.ts` maps each of them,
 * exhaustively. A driver or network failure becomes `Unavailable`; impossible data is a defect.
 */
import { Data } from "effect"
import type { OverLimit } from "../domain/tenant/limits.ts"
import type { Violation } from "../domain/violation.ts"

/** no such record for this tenant; a foreign record looks the same */
export class NotFound extends Data.TaggedError("NotFound")<{
  readonly kind: "job" | "provider" | "collection" | "log" | "sample" | "benchmark" | "comparison" | "gate"
  readonly id: string
  /** why it does not exist, where that can be told */
  readonly reason?: string
}> {}

/** the input breaks one or more rules; `code` is the message code of the whole answer, the first violation's by default */
export class Invalid extends Data.TaggedError("Invalid")<{
  readonly violations: readonly [Violation, ...ReadonlyArray<Violation>]
}> {}

/** the state of the record forbids the change; `code` is a documented 409 message code */
export class Conflict extends Data.TaggedError("Conflict")<{
  readonly code:
    | "job_can_not_be_updated"
    | "job_has_not_ended"
    | "benchmark_can_not_be_updated"
    | "resource_in_use"
    | "idempotency_key_reused"
    | "plan_token_invalid"
    | "sample_conflict"
    | "signature_unavailable"
  readonly message: string
}> {}

/** a provider that a record names was deleted between its check and its storing; the check finds it missing when it is run again */
export class ProviderGone extends Data.TaggedError("ProviderGone")<{ readonly id: string }> {}

/** a built-in or file record cannot be changed through the API */
export class ReadOnly extends Data.TaggedError("ReadOnly")<{
  readonly kind: "provider" | "collection"
  readonly id: string
}> {}

/** If-Match named another version */
export class PreconditionFailed extends Data.TaggedError("PreconditionFailed")<{ readonly id: string }> {}

/** a peer does not answer now; the caller may try again */
export class Unavailable extends Data.TaggedError("Unavailable")<{
  /** `machine`: the server's own, with its disk and its limits */
  readonly peer: "database" | "cluster" | "review" | "tracker" | "machine"
  readonly operation: string
  /** why, in words for people: no addresses, no driver texts */
  readonly reason?: string
  readonly cause?: unknown
}> {}

/** nobody was asked who the caller is, because too many invalid tokens came from its source, or altogether */
export class Throttled extends Data.TaggedError("Throttled")<{
  readonly scope: "source" | "total"
  /** whole seconds, at least 1 */
  readonly retryAfterSeconds: number
}> {}

/** the caller is not who it says, or says nothing */
export class Unauthenticated extends Data.TaggedError("Unauthenticated")<{ readonly message: string }> {}

/** the caller is known and not allowed */
export class Forbidden extends Data.TaggedError("Forbidden")<{ readonly message: string }> {}

/** the tenant has as much as it may have; nothing was stored, and the same may fit later */
export class TenantFull extends Data.TaggedError("TenantFull")<{
  readonly tenant: string
  readonly over: OverLimit
}> {}
