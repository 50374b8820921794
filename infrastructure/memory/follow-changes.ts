/** A watcher's stream: first what the log has, then what this process hears of. The same for a log in memory and in a database. */
import { Chunk, Effect, Stream } from "effect"
import type { Unavailable } from "../../application/errors.ts"
import type { Change } from "../../application/ports/change-feed.ts"
import type { ChangeFilter, ChangeHub } from "./change-hub.ts"

export interface ChangeLog {
  /** the next changes after the number, in order; fewer than `page` of them means that there are no more */
  readonly read: (filter: ChangeFilter, after: number, page: number) => Effect.Effect<ReadonlyArray<Change>, Unavailable>
  readonly latest: Effect.Effect<number, Unavailable>
}

/** changes read from the log at once */
const page = 500

export const followChanges = (
  hub: typeof ChangeHub.Service,
  log: ChangeLog,
  filter: ChangeFilter,
  after: number | undefined
): Stream.Stream<Change, Unavailable> =>
  Stream.unwrapScoped(
    Effect.gen(function* () {
      // listening begins before the log is read: what is in both is recognised by its number, nothing falls between
      const next = yield* hub.listen(filter)
      let last = after ?? (yield* log.latest)
      let replaying = after !== undefined
      const advance = (changes: ReadonlyArray<Change>): Chunk.Chunk<Change> => {
        const fresh = changes.filter((change) => change.sequence > last)
        last = fresh.at(-1)?.sequence ?? last
        return Chunk.unsafeFromArray(fresh)
      }
      const pull: Effect.Effect<Chunk.Chunk<Change>, Unavailable> = Effect.suspend(() => {
        if (!replaying) {
          return Effect.map(next, (heard) => {
            if (heard._tag === "Changes") return advance(heard.changes)
            replaying = true
            return Chunk.empty()
          })
        }
        return Effect.map(log.read(filter, last, page), (changes) => {
          replaying = changes.length === page
          return advance(changes)
        })
      })
      return Stream.repeatEffectChunk(pull)
    })
  )
