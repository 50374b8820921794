/**
 * The local gateway's request logs, one for each run of a benchmark whose job asked for it, kept in files of the server's machine. Reference:
 * reruns.md, "Where it is kept".
 */
import { readdir, rm, stat } from "node:fs/promises"
import { join } from "node:path"
import { Context, Effect, Layer, Redacted, Schedule } from "effect"
import { LRUCache } from "lru-cache"
import type { UnitId } from "../../../application/ports/runtime.ts"
import { defined } from "../../../values/defined.ts"
import { openAnswerFiles } from "../../gateway/request-log/answer-files.ts"
import { makeRequestLog, type RequestLog } from "../../gateway/request-log/request-log.ts"

interface UnitRequestLogOptions {
  readonly directory: string
  /** of one benchmark */
  readonly maxBytes: number
  /** since the last answer that was kept */
  readonly maxAgeMillis: number
  readonly secret?: Redacted.Redacted | undefined
}

/** the benchmark under which answers are kept: the one that first asked */
interface Place {
  readonly job: string
  readonly index: number
}

/** the default keeps nothing */
export class UnitRequestLogs extends Context.Reference<UnitRequestLogs>()("evald/interfaces/http/UnitRequestLogs", {
  defaultValue: (): {
    readonly of: (unit: UnitId, place: Place) => Effect.Effect<RequestLog | undefined>
  } => ({ of: () => Effect.sync(() => undefined) })
}) {}

/** units that run or ended lately */
const maxUnits = 256

const foldersIn = async (directory: string): Promise<ReadonlyArray<string>> => {
  try {
    const entries = await readdir(directory, { withFileTypes: true })
    return entries.filter((entry) => entry.isDirectory()).map(({ name }) => join(directory, name))
  } catch {
    return []
  }
}

const tenantsJobsBenchmarks = 3

/** removes benchmarks whose last answer is older, and folders that are empty then */
const removeOldLogs = async (directory: string, before: number, levels = tenantsJobsBenchmarks): Promise<void> => {
  for (const folder of await foldersIn(directory)) {
    if (levels > 1) await removeOldLogs(folder, before, levels - 1)
    else if ((await stat(folder)).mtimeMs < before) await rm(folder, { recursive: true, force: true })
  }
}

const make = ({ directory, maxBytes, secret }: UnitRequestLogOptions) => {
  const logs = new LRUCache<string, Promise<RequestLog>>({ max: maxUnits })
  const of = ({ tenant, jobId, index, attempt }: UnitId, place: Place) =>
    Effect.promise(() => {
      const name = `${jobId}/${index}/${attempt}`
      const known = logs.get(name)
      if (known !== undefined) return known
      const folder = join(directory, encodeURIComponent(tenant), encodeURIComponent(place.job), String(place.index))
      const key = secret === undefined ? undefined : Redacted.value(secret)
      const log = openAnswerFiles({ directory: folder, maxBytes, ...defined({ secret: key }) }).then((files) =>
        makeRequestLog(tenant, files)
      )
      logs.set(name, log)
      return log
    })
  return { of }
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
      return make(options)
    })
  )
