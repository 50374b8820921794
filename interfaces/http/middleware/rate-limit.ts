/**
 * At most so many requests per tenant: a bucket of `burst` tokens that refills at `perSecond`. Status events are not counted: adapters
 * that never retry would lose results. Off unless configured. The answer is 429 `too_many_requests` with `Retry-After`.
 */
import { Clock, Effect } from "effect"
import { LRUCache } from "lru-cache"
import { Refused } from "../error-response.ts"

export interface RateLimit {
  readonly perSecond: number
  /** requests that may come at once after a pause */
  readonly burst: number
}

interface Bucket {
  readonly tokens: number
  readonly at: number
}

/** tenants remembered; a forgotten one begins with a full bucket */
const maxTenants = 10_000

export const make = ({ perSecond, burst }: RateLimit): ((tenant: string) => Effect.Effect<void, Refused>) => {
  const buckets = new LRUCache<string, Bucket>({ max: maxTenants })
  const take = (tenant: string, now: number): number => {
    const before = buckets.get(tenant) ?? { tokens: burst, at: now }
    const tokens = Math.min(burst, before.tokens + (Math.max(0, now - before.at) / 1000) * perSecond)
    const left = tokens >= 1 ? tokens - 1 : tokens
    buckets.set(tenant, { tokens: left, at: now })
    return tokens >= 1 ? 0 : Math.ceil((1 - tokens) / perSecond)
  }
  return (tenant) =>
    Effect.flatMap(Clock.currentTimeMillis, (now) => {
      const seconds = take(tenant, now)
      return seconds === 0
        ? Effect.void
        : new Refused({
            code: "too_many_requests",
            message: `tenant '${tenant}' sends more than ${perSecond} requests a second; try again in ${seconds} s`,
            headers: { "retry-after": String(seconds) }
          })
    })
}
