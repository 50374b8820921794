/** Notifications that a job changed, for watchers. Sequence numbers rise; a change says what changed, never the data. */
import { Context, type Effect, type Stream } from "effect"
import type { Unavailable } from "../errors.ts"

export interface Change {
  readonly sequence: number
  readonly tenant: string
  readonly jobId: string
  readonly kind: "created" | "updated" | "deleted"
}

export class ChangeFeed extends Context.Tag("evald/application/ports/ChangeFeed")<
  ChangeFeed,
  {
    /** changes of the tenant (of one job when named) after the sequence number: replay from the log, then live. Never ends. May repeat, never skips within the kept log. */
    readonly subscribe: (filter: { readonly tenant: string; readonly jobId?: string }, after: number | undefined) => Stream.Stream<Change, Unavailable>
    /** the highest sequence number so far */
    readonly latest: Effect.Effect<number, Unavailable>
  }
>() {}
