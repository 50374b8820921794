/**
 * The local gateway's request logs, one for each run of a benchmark whose job asked for it, kept in files of the server's machine. Reference:
 * reruns.md, "Where it is kept".
 */
import { Context, Effect, Layer, Redacted, Schedule } from "effect"
import { LRUCache } from "lru-cache"
import type { UnitId } from "../../../application/ports/runtime.ts"
import { defined } from "../../../values/defined.ts"
import { openAnswerFiles } from "../../gateway/request-log/answer-files.ts"
import { type LogPlace, logFolder, removeOldLogs } from "../../gateway/request-log/log-folder.ts"
import { makeRequestLog, type RequestLog } from "../../gateway/request-log/request-log.ts"

interface UnitRequestLogOptions {
  readonly directory: string
  /** of one benchmark */
  readonly maxBytes: number
  /** since the last answer that was kept */
  readonly maxAgeMillis: number
  readonly secret?: Redacted.Redacted | undefined
}

/** the default keeps nothing */
export class UnitRequestLogs extends Context.Reference<UnitRequestLogs>()("evald/interfaces/http/UnitRequestLogs", {
  defaultValue: (): {
    readonly of: (unit: UnitId, place: LogPlace) => Effect.Effect<RequestLog | undefined>
  } => ({ of: () => Effect.sync(() => undefined) })
}) {}

/** units that run or ended lately */
const maxUnits = 256

const make = ({ directory, maxBytes, secret }: UnitRequestLogOptions) => {
  const logs = new LRUCache<string, Promise<RequestLog>>({ max: maxUnits })
  const of = ({ tenant, jobId, index, attempt }: UnitId, place: LogPlace) =>
    Effect.promise(() => {
      const name = `${jobId}/${index}/${attempt}`
      const known = logs.get(name)
      if (known !== undefined) return known
      const folder = logFolder(directory, tenant, place)
      const key = secret === undefined ? undefined : Redacted.value(secret)
      const log = openAnswerFiles({ directory: folder, maxBytes, ...defined({ secret: key }) }).then((files) =>
        makeRequestLog(tenant, files)
      )
      logs.set(name, log)
      return log
    })
  /** answers that were given within the last moment are kept before the server ends */
  const flush = Effect.promise(async () => {
    for (const log of await Promise.allSettled(logs.values())) if (log.status === "fulfilled") await log.value.flush()
  })
  return { of, flush }
}

export const layer = (options: UnitRequestLogOptions): Layer.Layer<UnitRequestLogs> =>
  Layer.scoped(
    UnitRequestLogs,
    Effect.gen(function* () {
      const sweep = Effect.clockWith(({ currentTimeMillis }) => currentTimeMillis).pipe(
        Effect.flatMap((now) => Effect.tryPromise(() => removeOldLogs(options.directory, now - options.maxAgeMillis))),
        Effect.catchAll((error) => Effect.logWarning("old request logs were not removed", error))
      )
      yield* Effect.forkScoped(Effect.repeat(sweep, Schedule.spaced("1 hour")))
      const { of, flush } = make(options)
      yield* Effect.addFinalizer(() => flush)
      return { of }
    })
  )
