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
  "request_log.key": secret(
    "answers on the server's own machine are encrypted with a key made of it; without one they are plain files"
  ),
  "request_log.volume_claim": optionalText(
    "PersistentVolumeClaim in tenant namespaces where sidecars keep the answers, best of mode ReadWriteMany; without one `resume` is refused in a cluster"
  ),
  "request_log.key_secret": optionalText(
    "Secret in tenant namespaces, key `key`: sidecars encrypt the answers with a key made of it; without one they are plain files"
  )
} as const
