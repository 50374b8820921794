/** Per-sample records. */
import { flag, integer, oneOf } from "./kinds.ts"

export const samples = {
  "samples.write": flag(true, "adapters write per-sample records"),
  "samples.include_text": flag(true, "sample records hold prompts and answers"),
  "samples.upload": flag(true, "adapters send their sample records to the server while they run"),
  "samples.max_per_job": integer(
    1_000_000,
    1,
    100_000_000,
    "samples that the server keeps of one job; a call beyond it is refused"
  ),
  "samples.content": oneOf(
    ["full", "hash"],
    "full",
    "hash: the server keeps no prompts and no answers of samples, only their hashes, verdicts and figures"
  ),
  "samples.retention_days": integer(
    0,
    0,
    36_500,
    "samples of a benchmark that got none for so many days are removed; 0 keeps them as long as their job"
  )
} as const
