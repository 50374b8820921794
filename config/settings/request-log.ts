/** Answers of models that are kept for jobs which may be resumed. */
import { integer, optionalText, secret } from "./kinds.ts"

export const requestLog = {
  "request_log.dir": optionalText(
    "where answers of models are kept for jobs with `resume`; default request-log below local.base_dir"
  ),
  "request_log.max_bytes": integer(
    1_073_741_824,
    1_048_576,
    1_099_511_627_776,
    "answers that are kept of one benchmark; further ones are not"
  ),
  "request_log.retention_days": integer(
    7,
    1,
    3650,
    "answers of a benchmark that kept none for so many days are removed"
  ),
  "request_log.key": secret("answers are encrypted at rest with a key made of it; without one they are plain files")
} as const
