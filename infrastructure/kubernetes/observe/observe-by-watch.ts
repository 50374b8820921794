/**
 * The observation of a cluster by list and watch. One server leads and tells facts; the others wait, and all of them may be asked.
 * Reference: cluster-objects.md, "Observing".
 */
import { Effect, Layer, Queue, Stream } from "effect"
import { ChangeFeed } from "../../../application/ports/change-feed.ts"
import { Identifiers } from "../../../application/ports/identifiers.ts"
import { Leases } from "../../../application/ports/leases.ts"
import type { UnitFact, UnitId } from "../../../application/ports/runtime.ts"
import { JobStore } from "../../../application/ports/stores/job-store.ts"
import { UnitRecords } from "../../../application/ports/stores/unit-records.ts"
import { unitKey } from "../../unit/names.ts"
import { KubeClient } from "../client/client.ts"
import { Observation } from "../observation.ts"
import { type Leading, lead } from "./lead.ts"
import { holderName, whileLeading } from "./leader.ts"
import { makeLogCapture } from "./log-capture.ts"
import type { ObserveOptions } from "./observe-options.ts"

/** a server that does not lead, or has not seen everything yet, can not say that something is gone; one that is known and gone is told as a fact */
const statusOf = (leading: Leading | undefined, unit: UnitId): "Queued" | "Alive" | "Gone" => {
  if (leading?.isSeen(unit.tenant) !== true) return "Queued"
  return leading.knows(unitKey(unit)) ? "Alive" : "Gone"
}

const make = (options: ObserveOptions) =>
  Effect.gen(function* () {
    const client = yield* KubeClient
    const store = yield* JobStore
    const feed = yield* ChangeFeed
    const records = yield* UnitRecords
    const leases = yield* Leases
    const holder = yield* holderName(options, yield* Identifiers)
    const facts = yield* Queue.unbounded<UnitFact>()
    const hints = yield* Queue.sliding<string>(1000)
    const logs = makeLogCapture(client, records, options)
    let leading: Leading | undefined
    const term = lead({ client, store, feed, records, logs, facts, hints, options }, (now) => {
      leading = now
    })
    const guarded: Effect.Effect<never> = Effect.scoped(term).pipe(
      Effect.catchAllDefect((defect) =>
        Effect.zipRight(Effect.logError("observing died and starts again", defect), Effect.sleep("1 second"))
      ),
      Effect.forever
    )
    const { leaseMillis, renewMillis } = options
    const turns = Effect.provideService(
      whileLeading({ role: "observe", holder, leaseMillis, renewMillis }, guarded),
      Leases,
      leases
    )
    yield* Effect.forkScoped(turns)

    return Observation.of({
      facts: Stream.fromQueue(facts),
      launched: ({ tenant }) => Effect.asVoid(Queue.offer(hints, tenant)),
      observe: (units) => Effect.sync(() => units.map((unit) => ({ unit, status: statusOf(leading, unit) })))
    })
  })

/** one of the servers on the same database observes; all of them may be asked */
export const layer = (
  options: ObserveOptions
): Layer.Layer<Observation, never, KubeClient | JobStore | ChangeFeed | Leases | UnitRecords | Identifiers> =>
  Layer.scoped(Observation, make(options))
