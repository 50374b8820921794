/** Figures of the store for operators: what is stored, and how busy the database is. Cheap enough to be asked every few seconds. */
import { Context, type Effect } from "effect"
import type { JobState } from "../../../domain/job/job.ts"
import type { Unavailable } from "../../errors.ts"

export interface StoredFigures {
  /** all tenants together */
  readonly jobs: ReadonlyArray<{ readonly state: JobState; readonly count: number }>
  /** benchmarks that are not terminal; terminal ones are too many to count on every look */
  readonly live: { readonly pending: number; readonly running: number }
}

export interface OperationFigures {
  readonly operation: string
  readonly succeeded: number
  readonly failed: number
  /** total time, waiting for a connection included */
  readonly seconds: number
}

/** of this process since its start */
export interface DatabaseActivity {
  /** operations under way, those that wait for a connection included */
  readonly inFlight: number
  /** connections that operations share */
  readonly connections: number
  readonly operations: ReadonlyArray<OperationFigures>
}

export class StoreStatistics extends Context.Tag("evald/application/ports/StoreStatistics")<
  StoreStatistics,
  { readonly stored: Effect.Effect<StoredFigures, Unavailable>; readonly activity: Effect.Effect<DatabaseActivity> }
>() {}
