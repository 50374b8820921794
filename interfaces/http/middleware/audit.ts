/**
 * Writes the audit log: what was asked before it is done, and what was answered afterwards, without holding up the answer. A write whose
 * entry cannot be stored is not done. Reference: signing.md, "Audit log".
 */

import { Cause, Effect, Exit, FiberSet, Schedule, type Scope } from "effect"
import type { Unavailable } from "../../../application/errors.ts"
import { isoNow } from "../../../application/iso-now.ts"
import { AuditLog } from "../../../application/ports/stores/audit-log.ts"
import { defined } from "../../../values/defined.ts"
import { contentOf, type Failure } from "../error-response.ts"
import type { Answer, Exchange } from "../exchange.ts"
import { requestCodes } from "../groups/request-codes.ts"
import type { AuthenticatedCaller } from "./authentication.ts"

export type Audited = <R>(
  exchange: Exchange,
  caller: AuthenticatedCaller,
  work: Effect.Effect<Answer, Failure, R>
) => Effect.Effect<Answer, Failure | Unavailable, R>

const outcomeOf = (exit: Exit.Exit<Answer, Failure>): { readonly status: number; readonly location?: string } => {
  if (Exit.isSuccess(exit)) {
    const { status, headers } = exit.value
    const location = headers?.["location"]
    return { status, ...defined({ location: typeof location === "string" ? location : undefined }) }
  }
  if (Cause.isInterruptedOnly(exit.cause)) return { status: 0 }
  const failure = Cause.failureOption(exit.cause)
  return { status: failure._tag === "Some" ? requestCodes[contentOf(failure.value).code].status : 500 }
}

const patience = Schedule.intersect(Schedule.spaced("1 second"), Schedule.recurs(30))

/** what is still to be written when the scope closes is written before it does */
export const makeAudit: Effect.Effect<Audited, never, AuditLog | Scope.Scope> = Effect.gen(function* () {
  const { append } = yield* AuditLog
  const writing = yield* FiberSet.make<void, Unavailable>()
  yield* Effect.addFinalizer(() => FiberSet.awaitEmpty(writing))
  return (exchange, caller, work) => {
    const { method, path, search, trace } = exchange
    const answered = (exit: Exit.Exit<Answer, Failure>) =>
      Effect.flatMap(isoNow, (at) =>
        FiberSet.run(
          writing,
          append({ phase: "answered", at, trace, ...outcomeOf(exit) }).pipe(
            Effect.retry(patience),
            Effect.tapError((error) => Effect.logWarning("the outcome of a write is not in the audit log", error))
          )
        )
      )
    return Effect.flatMap(isoNow, (at) =>
      Effect.zipRight(
        append({
          ...{ phase: "asked", at, trace, tenant: caller.tenant, owner: caller.owner, method },
          path: search === "" ? path : `${path}?${search}`
        }),
        Effect.onExit(work, answered)
      )
    )
  }
})
