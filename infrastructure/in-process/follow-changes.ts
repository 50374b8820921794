/** A watcher's stream: first what the log has, then what this process hears of. The same for a log in memory and in a database. */
import { Chunk, Effect, Stream } from "effect"
import type { Unavailable } from "../../application/errors.ts"
import type { Change, Missed } from "../../application/ports/change-feed.ts"
import type { ChangeFilter, ChangeHub } from "./change-hub.ts"

export interface ChangeLog {
  /** the next changes after the number, in order; fewer than `page` of them means that there are no more */
  readonly read: (
    filter: ChangeFilter,
    after: number,
    page: number
  ) => Effect.Effect<ReadonlyArray<Change>, Unavailable>
  readonly latest: Effect.Effect<number, Unavailable>
  /** up to which number changes may be forgotten, and the highest one that was ever told */
  readonly bounds: Effect.Effect<{ readonly forgotten: number; readonly newest: number }, Unavailable>
}

/** changes read from the log at once */
const page = 500

export const followChanges = (
  hub: typeof ChangeHub.Service,
  log: ChangeLog,
  filter: ChangeFilter,
  after: number | undefined
): Stream.Stream<Change | Missed, Unavailable> =>
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
      const missed = Effect.map(log.latest, (sequence): Chunk.Chunk<Missed> => {
        last = sequence
        replaying = false
        return Chunk.of({ kind: "missed", sequence })
      })
      const replay = Effect.gen(function* () {
        const changes = yield* log.read(filter, last, page)
        // asked after reading: what is forgotten between the two may be missing from what was read
        const { forgotten, newest } = yield* log.bounds
        if (last < forgotten || last > newest) return yield* missed
        replaying = changes.length === page
        return advance(changes)
      })
      const listen: Effect.Effect<Chunk.Chunk<Change | Missed>, Unavailable> = Effect.flatMap(next, (heard) => {
        if (heard._tag === "Missed") return missed
        if (heard._tag === "Changes") return Effect.succeed(advance(heard.changes))
        replaying = true
        return Effect.succeed(Chunk.empty())
      })
      const pull = Effect.suspend(() => (replaying ? replay : listen))
      return Stream.repeatEffectChunk(pull)
    })
  )
