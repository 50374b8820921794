/** What is done for older clients and adapters. */
import { flag } from "./kinds.ts"

export const compat = {
  "compat.vendor_aliases": flag(true, "also emit mlflow_run_id, mlflow_experiment_id and mlflow_experiment_url"),
  "compat.adapter_env": flag(true, "also set the EVALHUB_* and MLFLOW_* names of adapter variables"),
  "compat.legacy_job_keys": flag(false, "also write job_id and benchmark_config into job.json"),
  "compat.lenient_unknown_fields": flag(false, "ignore unknown members everywhere, with a Warning header"),
  "compat.defer_tracker_failure": flag(true, "hold a reported tracker failure until the adapter's next event or exit")
} as const
