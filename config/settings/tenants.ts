/** What one tenant may have at once, the same for each. */
import { optionalInteger } from "./kinds.ts"

export const tenants = {
  "tenants.max_running": optionalInteger(
    1,
    1_000_000,
    "benchmarks of one tenant that are launched or running at once; the others wait; default no limit"
  ),
  "tenants.max_queued": optionalInteger(
    0,
    10_000_000,
    "benchmarks of one tenant that wait beyond the running ones; a job beyond it is refused with 429; default no limit"
  ),
  "tenants.max_stored_bytes": optionalInteger(
    1,
    1_125_899_906_842_624,
    "bytes that the database keeps of one tenant, measured every minute; above it new jobs are refused with 429; default no limit"
  )
} as const
