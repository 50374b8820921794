/**
 * Who a bearer token belongs to, and whether that identity may act on a virtual resource in a namespace. Both answers may be cached by
 * the implementation; anything but a clear "allowed" is a refusal. `Unavailable` means the reviewer did not answer: callers fail closed.
 * Reference: cluster-objects.md, "Reviews".
 */
import { Context, type Effect, type Redacted } from "effect"
import type { Identity } from "../../domain/identity.ts"
import type { Throttled, Unavailable } from "../errors.ts"

export interface ResourceAction {
  /** API group of the virtual resource */
  readonly group: string
  readonly resource: string
  readonly verb: string
  /** the tenant */
  readonly namespace: string
}

export class AccessReview extends Context.Tag("evald/application/ports/AccessReview")<
  AccessReview,
  {
    /** undefined: the token is not valid. `source`: where the request comes from, by which tokens of strangers are limited. */
    readonly identify: (
      token: Redacted.Redacted,
      source: string
    ) => Effect.Effect<Identity | undefined, Unavailable | Throttled>
    readonly allows: (identity: Identity, action: ResourceAction) => Effect.Effect<boolean, Unavailable>
  }
>() {}
