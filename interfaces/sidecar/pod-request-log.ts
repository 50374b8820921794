/**
 * The request log of a pod, on a volume that outlives it: read and written by the sidecar alone. Reference: reruns.md, "Where it is kept".
 */
import { readFile } from "node:fs/promises"
import type { SidecarConfig } from "../../providers/contract/sidecar-config.ts"
import { defined } from "../../values/defined.ts"
import { openAnswerFiles } from "../gateway/request-log/answer-files.ts"
import { logFolder, removeOldLogs } from "../gateway/request-log/log-folder.ts"
import { makeRequestLog, type RequestLog } from "../gateway/request-log/request-log.ts"
import type { Log } from "./event-queue.ts"

const day = 86_400_000

/** undefined: the key is there and can not be used, so that nothing may be kept */
const keyIn = async (path: string): Promise<string | undefined> => {
  const text = await readFile(path, "utf8").catch(() => "")
  return text.trim() === "" ? undefined : text.trim()
}

/** undefined when the job did not ask for one; else, when it can not be used, the log says why and every request goes to the model */
export const openPodRequestLog = async (
  { identity, request_log: given }: SidecarConfig,
  log: Log,
  isFirst: boolean
): Promise<RequestLog | undefined> => {
  if (given === undefined) return undefined
  const stop = (reason: string) => {
    log("warning", "no answers of the model are kept or given again", { reason })
    return undefined
  }
  if (!isFirst) return stop("the sidecar was started again, and does not know which it gave before")
  const secret = given.key_path === undefined ? undefined : await keyIn(given.key_path)
  if (given.key_path !== undefined && secret === undefined) return stop("the key in the secret can not be read")
  const { tenant } = identity
  const directory = logFolder(given.dir, tenant, { job: given.job_id, index: given.benchmark_index })
  removeOldLogs(given.dir, Date.now() - given.retention_days * day, tenant).catch((error: Error) =>
    log("warning", "old answers were not removed", { reason: error.message })
  )
  return makeRequestLog(tenant, await openAnswerFiles({ directory, maxBytes: given.max_bytes, ...defined({ secret }) }))
}
