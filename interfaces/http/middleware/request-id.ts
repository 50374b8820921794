/**
 * The identifier of an exchange: taken from the caller when it is a sane token, else made from a random part per process and a counter,
 * which costs nothing per request. It is a label, never a secret. Reference: api.md, "Requests".
 */
import type { IncomingHttpHeaders } from "node:http"
import { Effect } from "effect"
import { Identifiers } from "../../../application/ports/identifiers.ts"
import type { Headers } from "../exchange.ts"

const sane = /^[A-Za-z0-9][A-Za-z0-9._:/+=@-]{0,127}$/

const given = (value: string | ReadonlyArray<string> | undefined): string | undefined =>
  typeof value === "string" && sane.test(value) ? value : undefined

export interface RequestId {
  readonly trace: string
  /** headers that every answer of the exchange carries */
  readonly headers: Headers
}

/** reads or makes the identifiers of one request */
export const make = Effect.gen(function* () {
  const identifiers = yield* Identifiers
  const prefix = (yield* identifiers.next).replaceAll("-", "").slice(-12)
  let count = 0
  return (headers: IncomingHttpHeaders): RequestId => {
    const transaction = given(headers["x-global-transaction-id"])
    const trace = given(headers["x-request-id"]) ?? transaction ?? `${prefix}-${(++count).toString(36)}`
    return {
      trace,
      headers:
        transaction === undefined
          ? { "x-request-id": trace }
          : { "x-request-id": trace, "x-global-transaction-id": transaction }
    }
  }
})
