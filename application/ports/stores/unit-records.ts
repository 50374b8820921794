/**
 * What a runtime keeps about its units beyond their own life: since when something was seen, and the last log lines of each container.
 * Texts are the runtime's own; nothing here is part of a job's record.
 */
import { Context, type Effect } from "effect"
import type { Unavailable } from "../../errors.ts"
import type { UnitId } from "../runtime.ts"

export interface UnitNote {
  readonly unit: UnitId
  readonly note: string
}

export class UnitRecords extends Context.Tag("evald/application/ports/UnitRecords")<
  UnitRecords,
  {
    /** all notes, in no order */
    readonly notes: Effect.Effect<ReadonlyArray<UnitNote>, Unavailable>
    /** stores or replaces, all in one transaction */
    readonly note: (notes: ReadonlyArray<UnitNote>) => Effect.Effect<void, Unavailable>
    readonly forget: (units: ReadonlyArray<UnitId>) => Effect.Effect<void, Unavailable>
    /** stores or replaces the log tail of one container */
    readonly keepLog: (unit: UnitId, container: string, text: string) => Effect.Effect<void, Unavailable>
    readonly keptLog: (unit: UnitId, container: string) => Effect.Effect<string | undefined, Unavailable>
    /** of one benchmark, or without `index` of the whole job */
    readonly discardLogs: (jobId: string, index?: number) => Effect.Effect<void, Unavailable>
  }
>() {}
