/**
 * What one tenant may have at once, and whether a submission fits into it. Both limits of benchmarks are one rule: `maxRunning` of them are out,
 * `maxQueued` more wait. Pure; the stores ask it in the transaction that stores a job. Reference: api.md, "Limits of a tenant".
 */

/** absent: no limit */
export interface TenantLimits {
  /** benchmarks that are launched or running at once; the others wait in the queue */
  readonly maxRunning?: number
  /** benchmarks that wait beyond those */
  readonly maxQueued?: number
  /** bytes kept for the tenant: jobs, results, samples, logs */
  readonly maxStoredBytes?: number
}

/** benchmarks of a tenant that have not ended */
export interface Unfinished {
  readonly pending: number
  readonly running: number
}

export type TenantLimit = "max_queued" | "max_stored_bytes"

export interface OverLimit {
  readonly limit: TenantLimit
  /** what the limit allows in this moment */
  readonly most: number
  /** what there is, and what the submission would add */
  readonly found: number
  readonly added: number
}

/** benchmarks that may be unfinished while so many run: those that run count as queued nowhere */
const mostUnfinished = ({ maxRunning, maxQueued }: TenantLimits, { running }: Unfinished): number =>
  (maxQueued ?? Number.POSITIVE_INFINITY) + (maxRunning ?? running)

/** undefined: so many more benchmarks have a place */
export const roomForBenchmarks = (
  limits: TenantLimits,
  unfinished: Unfinished,
  added: number
): OverLimit | undefined => {
  const most = mostUnfinished(limits, unfinished)
  const found = unfinished.pending + unfinished.running
  return found + added <= most ? undefined : { limit: "max_queued", most, found, added }
}

/** undefined: the tenant keeps less than it may */
export const roomForBytes = ({ maxStoredBytes }: TenantLimits, stored: number): OverLimit | undefined =>
  maxStoredBytes === undefined || stored < maxStoredBytes
    ? undefined
    : { limit: "max_stored_bytes", most: maxStoredBytes, found: stored, added: 0 }

const benchmarks = (count: number): string => `${count} benchmark${count === 1 ? "" : "s"}`

/** what a caller reads; ends without a full stop */
export const overLimitText = (tenant: string, { limit, most, found, added }: OverLimit): string => {
  if (limit === "max_stored_bytes")
    return `tenant '${tenant}' keeps ${found} bytes of at most ${most} (tenants.max_stored_bytes): remove jobs with DELETE and hard_delete=true, then submit again`
  const have = `tenant '${tenant}' has ${benchmarks(found)} that wait or run, of at most ${most} (tenants.max_queued and tenants.max_running)`
  return added > most
    ? `${have}, and this job alone has ${added}: submit it in parts`
    : `${have}, and this job has ${added}: submit it again when some have ended`
}
