/** What makes a creating request happen once: an `Idempotency-Key`, or a `Plan-Token`. Reference: api.md, "Idempotency", "Plan tokens". */
import { Either } from "effect"
import type { OnceKey } from "../../../application/once.ts"
import { shown } from "../../../domain/violation.ts"
import { digestOf } from "../../../values/digest.ts"
import { Refused } from "../error-response.ts"
import type { Exchange, Headers } from "../exchange.ts"

/** undefined without the header; `document`: the parsed body, whose members may come in any order */
export const onceKey = ({ headers }: Exchange, document: unknown): Either.Either<OnceKey | undefined, Refused> => {
  const key = headers["idempotency-key"]
  if (key === undefined) return Either.right(undefined)
  return typeof key === "string" && /^[\x21-\x7e]{1,255}$/.test(key)
    ? Either.right({ key, bodyDigest: digestOf(document) })
    : Either.left(
        new Refused({
          code: "idempotency_key_invalid",
          message: `Idempotency-Key is ${shown(key)}; it must be 1 to 255 visible ASCII characters`
        })
      )
}

/** undefined without the header */
export const planTokenOf = ({ headers }: Exchange): Either.Either<string | undefined, Refused> => {
  const token = headers["plan-token"]
  if (headers["idempotency-key"] === undefined || token === undefined) return Either.right(token?.toString())
  return Either.left(
    new Refused({
      code: "idempotency_key_invalid",
      message: "leave the Idempotency-Key out: a Plan-Token makes one job, however often it is sent"
    })
  )
}

export const replayHeader = (replayed: boolean): Headers => (replayed ? { "idempotent-replayed": "true" } : {})
