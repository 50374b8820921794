/** How long a benchmark and its test data may take, and how large they may be. */
import { day, duration, integer, optionalDuration } from "./kinds.ts"

export const timeouts = {
  "timeouts.benchmark_seconds": duration(0, 0, 30 * day, "deadline of a running benchmark; 0 is off"),
  "timeouts.pending_seconds": optionalDuration(
    0,
    30 * day,
    "time until the first event after the start; 0 is off; default off in a cluster, 600 locally"
  )
} as const

export const testData = {
  "test_data.max_bytes": integer(10_737_418_240, 1, 1_099_511_627_776, "largest test data of one benchmark"),
  "test_data.timeout_seconds": duration(600, 1, day, "time limit for fetching the test data of one benchmark")
} as const
