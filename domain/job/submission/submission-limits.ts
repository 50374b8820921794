/** Sizes that a submitted job has to keep. Reference: api.md, "Bodies"; adapter-contract.md, "Job file". */

export const maxName = 256
export const maxDescription = 4096
export const maxBenchmarks = 1000
/** characters of a benchmark, provider or collection id, and of a metric name */
export const maxId = 256
/** bytes of `collection.parameters` as JSON: every entry of a collection gets a copy */
export const maxCollectionParametersBytes = 8192
/** bytes of the job file of one benchmark */
export const maxJobSpecBytes = 1_000_000
export const maxExperimentTags = 20
export const maxTagKey = 250
export const maxTagValue = 5000
export const maxUrl = 2048
/** an object key of S3-compatible storage, in UTF-8 bytes */
export const maxObjectKeyBytes = 1024
