/**
 * Who hears of a commit. A SQLite file has one server, which tells its own watchers and workers. On PostgreSQL the change log is
 * tailed (`log-tail.ts`), because other servers write to it as well.
 */
import { Context, Effect, Layer } from "effect"
import type { Unavailable } from "../../../application/errors.ts"
import { ChangeHub } from "../../in-process/change-hub.ts"
import { TaskSignals } from "../../in-process/task-signals.ts"
import { Database } from "../connection/client.ts"
import type { OnTask } from "../tasks/enqueue.ts"
import type { OnChange } from "./change-log.ts"
import * as LogTail from "./log-tail.ts"

export class Announcements extends Context.Tag("evald/infrastructure/sql/Announcements")<
  Announcements,
  {
    readonly changed: OnChange
    readonly tasked: OnTask
    /** number of the last change before which nothing can appear any more */
    readonly settled: Effect.Effect<number, Unavailable>
  }
>() {}

const make = Effect.gen(function* () {
  const database = yield* Database
  const hub = yield* ChangeHub
  const signals = yield* TaskSignals
  if (database.pg !== undefined) return Announcements.of(yield* LogTail.make(database, database.pg, hub, signals))
  return Announcements.of({
    changed: hub.publish,
    tasked: signals.raise,
    settled: database.read("latestChange", LogTail.highest)
  })
})

export const layer: Layer.Layer<Announcements, never, Database | ChangeHub | TaskSignals> = Layer.scoped(
  Announcements,
  make
)
