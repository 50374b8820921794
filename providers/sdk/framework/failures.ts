/** Failures of the wrappers, with the codes of errors.md, "Adapter codes". None of them gets better by trying again. */
import { AdapterError } from "../adapter.ts"

const permanent = (code: string) => (message: string) => new AdapterError({ code, message, retryable: false })

export const invalidParameter = permanent("invalid_parameter")
export const notSupported = permanent("benchmark_not_supported")
export const frameworkMissing = permanent("framework_missing")
export const frameworkFailed = permanent("framework_failed")
export const outputUnreadable = permanent("framework_output_unreadable")
export const noSamplesScored = permanent("no_samples_scored")
export const tooManyErrors = permanent("too_many_errors")
export const primaryMetricMissing = permanent("primary_metric_missing")
