/** Why a benchmark takes its time, from what went by at the gateway: counts and times alone. Reference: explain.md, "Slow". */
import { millisOf } from "../job/iso-time.ts"
import type { Benchmark } from "../job/job.ts"
import type { WireCounts } from "../validity/wire-counts.ts"

export interface Slowness {
  readonly code:
    | "credential_revoked"
    | "model_authentication_failed"
    | "model_rate_limited"
    | "model_server_error"
    | "no_requests"
    | "model_slow"
    | "few_workers"
    | "adapter_slow"
  readonly text: string
}

/** below it a share may be chance */
const least = 3
const share = 0.05
/** the first request of all may fail and be sent again at once */
const retriedMillis = 5000
/** loading data and models takes its time */
const quietMillis = 120_000
const slowMillis = 10_000
const enoughRequests = 10
const enoughMillis = 60_000

const seconds = (millis: number): string => `${(millis / 1000).toFixed(millis < 10_000 ? 1 : 0)} s`

/** undefined: nothing of it is slow. `elapsed`: milliseconds since the unit was started */
export const slownessOf = (traffic: WireCounts, elapsed: number): Slowness | undefined => {
  const { exchanges, limited, refused, broken, revoked, busyMillis, loads } = traffic
  // where no request was ever answered, one tells as much as many
  const none = (count: number) => count === exchanges && elapsed >= retriedMillis
  const many = (count: number) => count > 0 && ((count >= least && count > share * exchanges) || none(count))
  if (exchanges + loads === 0)
    return elapsed < quietMillis
      ? undefined
      : { code: "no_requests", text: `no request to the model has ended in ${seconds(elapsed)}` }
  if (exchanges === 0) return undefined
  const of = `of ${exchanges} requests`
  if (revoked >= least)
    return { code: "credential_revoked", text: `${revoked} ${of} were refused after others had been answered` }
  if (many(refused))
    return { code: "model_authentication_failed", text: `${refused} ${of} were answered with 401 or 403` }
  if (many(limited)) return { code: "model_rate_limited", text: `${limited} ${of} were answered with 429` }
  if (many(broken)) return { code: "model_server_error", text: `${broken} ${of} failed or were not answered` }
  const mean = busyMillis / exchanges
  const atOnce = elapsed > 0 ? busyMillis / elapsed : 0
  if (exchanges >= least && mean >= slowMillis)
    return {
      code: "model_slow",
      text: `a request takes ${seconds(mean)} on average, ${atOnce.toFixed(1)} are under way at once`
    }
  if (exchanges < enoughRequests || elapsed < enoughMillis) return undefined
  const text = `${atOnce.toFixed(1)} requests are under way at once, each takes ${seconds(mean)}`
  if (atOnce < 0.2) return { code: "adapter_slow", text }
  return atOnce < 1.5 ? { code: "few_workers", text } : undefined
}

/** when the rest is done if it goes on as it did; undefined: nothing tells */
export const endOf = ({ progress, startedAt, resumedAt }: Benchmark, now: string): string | undefined => {
  const from = resumedAt ?? startedAt
  const { completed, total } = progress ?? {}
  if (from === undefined || completed === undefined || total === undefined) return undefined
  const elapsed = millisOf(now) - millisOf(from)
  if (completed <= 0 || total < completed || elapsed <= 0) return undefined
  const end = millisOf(now) + (elapsed / completed) * (total - completed)
  return end < 8.64e15 ? new Date(end).toISOString() : undefined
}
