/** Notifications that a job changed, for watchers. Sequence numbers rise; a change says what changed, never the data. */
import { Context, type Effect, type Stream } from "effect"
import type { Unavailable } from "../errors.ts"

export interface Change {
  readonly sequence: number
  readonly tenant: string
  readonly jobId: string
  readonly kind: "created" | "updated" | "deleted"
}

/**
 * Told instead of changes when some of those asked for are not there any more, or when the log never had the number to continue from:
 * what the watcher knows is out of date, and only the records as they are now tell more. Changes after this number follow.
 */
export interface Missed {
  readonly kind: "missed"
  readonly sequence: number
}

export class ChangeFeed extends Context.Tag("evald/application/ports/ChangeFeed")<
  ChangeFeed,
  {
    /**
     * Changes of the tenant (of one job when named) after the sequence number: replay from the log, then live. Never ends. May repeat,
     * never skips without a `Missed`, which is told in a chunk of its own.
     */
    readonly subscribe: (
      filter: { readonly tenant: string; readonly jobId?: string },
      after: number | undefined
    ) => Stream.Stream<Change | Missed, Unavailable>
    /** the highest sequence number so far */
    readonly latest: Effect.Effect<number, Unavailable>
    /** forgets all but about the newest so many changes, at least 1 */
    readonly forgetAllBut: (kept: number) => Effect.Effect<void, Unavailable>
  }
>() {}
