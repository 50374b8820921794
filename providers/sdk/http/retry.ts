/** When to try again: full jitter over a doubling delay, and what the other side asks for. Reference: adapter-contract.md, "Delivery". */
import { Clock, Effect, Random } from "effect"

const maxDelayMs = 15_000
const firstDelayMs = 250
const maxRetryAfterMs = 60_000

/** answers that another try may change */
export const isRetryableStatus = (status: number): boolean =>
  status === 408 || status === 425 || status === 429 || status >= 500

/** delay before try `attempt` + 1, attempts counted from 0: uniform in 0..min(15 s, 250 ms × 2^attempt), in whole milliseconds */
export const jitteredDelay = (attempt: number): Effect.Effect<number> =>
  Effect.map(Random.next, (share) => Math.round(share * Math.min(maxDelayMs, firstDelayMs * 2 ** attempt)))

/** `Retry-After` in seconds or as a date, at most 60 s; undefined when absent or unreadable */
export const retryAfterMs = (header: string | undefined): Effect.Effect<number | undefined> =>
  Effect.map(Clock.currentTimeMillis, (now) => {
    if (header === undefined) return undefined
    const text = header.trim()
    const delay = /^\d+(\.\d+)?$/.test(text) ? Number(text) * 1000 : Date.parse(text) - now
    return Number.isNaN(delay) ? undefined : Math.min(maxRetryAfterMs, Math.max(0, delay))
  })

/** what the other side asked for, else the jittered delay */
export const delayBeforeRetry = (attempt: number, retryAfter: string | undefined): Effect.Effect<number> =>
  Effect.flatMap(retryAfterMs(retryAfter), (asked) =>
    asked === undefined ? jitteredDelay(attempt) : Effect.succeed(asked)
  )
