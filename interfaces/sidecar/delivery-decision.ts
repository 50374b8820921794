/** What an attempt at the server means for an event: it is done, or it is tried again, after how long. Reference: gateway.md, "Event spool". */

/** one attempt at the server */
export type Delivery =
  | {
      readonly _tag: "Answered"
      readonly status: number
      readonly body: string
      readonly contentType: string
      readonly retryAfterMillis: number | undefined
    }
  | { readonly _tag: "Unreachable"; readonly reason: string }

/** what was tried for one event so far */
export interface Tries {
  readonly attempts: number
  readonly forbiddenSince: number | undefined
  readonly renewed: boolean
}

export const noTries: Tries = { attempts: 0, forbiddenSince: undefined, renewed: false }

export type Next =
  | { readonly _tag: "Taken" }
  /** `gone`: the server does not know the job any more; `settled`: the benchmark is terminal there already */
  | { readonly _tag: "Refused"; readonly gone: boolean; readonly settled: boolean }
  /** `atOnce`: with another token, and without a pause */
  | { readonly _tag: "Again"; readonly tries: Tries; readonly renewToken: boolean; readonly atOnce: boolean }

/** may be answered differently by the same server later */
const isTransient = (status: number): boolean => status === 408 || status === 425 || status === 429 || status >= 500

/** `forbiddenMillis`: how long a 403 is tried again, because bindings may come late */
export const afterAttempt = (delivery: Delivery, tries: Tries, now: number, forbiddenMillis: number): Next => {
  const again = (more: Partial<Tries>, renewToken = false): Next => {
    const next = { ...tries, attempts: tries.attempts + 1, ...more }
    return { _tag: "Again", tries: next, renewToken, atOnce: false }
  }
  if (delivery._tag === "Unreachable") return again({})
  const { status } = delivery
  if (status < 300) return { _tag: "Taken" }
  if (status === 401 && !tries.renewed)
    return { _tag: "Again", tries: { ...tries, renewed: true }, renewToken: true, atOnce: true }
  if (status === 401) return again({}, true)
  if (status === 403) {
    const forbiddenSince = tries.forbiddenSince ?? now
    if (now - forbiddenSince < forbiddenMillis) return again({ forbiddenSince })
  }
  return isTransient(status) ? again({}) : { _tag: "Refused", gone: status === 404, settled: status === 409 }
}

const maxRetryAfterMillis = 300_000
const maxFlushMillis = 1_000

export interface Backoff {
  readonly firstMillis: number
  readonly maxMillis: number
}

/** what the server asked for, else a random part of a time that doubles; `attempts`: before this one; `random`: 0..1 */
export const pauseAfter = (
  delivery: Delivery,
  attempts: number,
  backoff: Backoff,
  flushing: boolean,
  random: number
): number => {
  const wanted = delivery._tag === "Answered" ? delivery.retryAfterMillis : undefined
  if (wanted !== undefined) return Math.min(wanted, maxRetryAfterMillis)
  const ceiling = Math.min(backoff.maxMillis, backoff.firstMillis * 2 ** Math.min(attempts, 16))
  return (flushing ? Math.min(ceiling, maxFlushMillis) : ceiling) * random
}
