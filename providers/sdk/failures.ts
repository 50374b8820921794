/** Failures of benchmarks that do not get better by trying again, with the codes of errors.md, "Adapter codes". */
import { AdapterError } from "./adapter.ts"

const permanent = (code: string) => (message: string) => new AdapterError({ code, message, retryable: false })

export const invalidParameter = permanent("invalid_parameter")
export const notSupported = permanent("benchmark_not_supported")
export const datasetInvalid = permanent("dataset_invalid")
export const datasetUnavailable = permanent("dataset_unavailable")
export const noLogprobs = permanent("model_server_error")
export const frameworkMissing = permanent("framework_missing")
export const frameworkFailed = permanent("framework_failed")
export const outputUnreadable = permanent("framework_output_unreadable")
export const noSamplesScored = permanent("no_samples_scored")
export const tooManyErrors = permanent("too_many_errors")
export const primaryMetricMissing = permanent("primary_metric_missing")
