/** Launching one unit in a slot that is taken: its entry first, so that it happens once among several servers. Reference: adapter-contract.md, "Local processes". */

import { Deferred, Effect, Queue } from "effect"
import type { Unavailable } from "../../../application/errors.ts"
import { isoNow } from "../../../application/iso-now.ts"
import type { LaunchRefused, Unit } from "../../../application/ports/runtime.ts"
import { refused } from "../../unit/launch-refused.ts"
import { unitKey } from "../../unit/names.ts"
import { unitRoot, wasLaunched } from "../files/unit-directory.ts"
import { markOf } from "../process/process-table.ts"
import { fromSystem } from "../system-failure.ts"
import { lostWithServer } from "./leftovers.ts"
import { isOwned, type LiveUnit } from "./live-units.ts"
import type { OwnUnits, UnitTableParts } from "./own-units.ts"
import { claimed } from "./unit-decisions.ts"
import { idOf, orLogged } from "./unit-end.ts"
import { prepare, startPrepared } from "./unit-launch.ts"

/** false when a living server, this one included, has launched the unit already; fails when it was launched and is gone */
const claim = (
  { liveUnits }: UnitTableParts,
  unit: Unit,
  entry: LiveUnit
): Effect.Effect<boolean, LaunchRefused | Unavailable> =>
  Effect.try({
    try: () => {
      const isFirst = liveUnits.claim(entry)
      const found = isFirst ? undefined : liveUnits.find(unitKey(unit))
      const existing =
        found === undefined ? undefined : { isOwned: isOwned(found), hasLeader: found.leader !== undefined }
      const launched = wasLaunched(entry.root, unit.attempt)
      const answer = claimed({ isFirst, existing, wasLaunched: launched })
      if (answer === "ours" && !isFirst) liveUnits.replace(entry)
      if (answer === "lost" && launched && existing?.hasLeader !== true) liveUnits.remove(entry)
      return answer
    },
    catch: fromSystem("claim unit")
  }).pipe(
    Effect.flatMap((answer) =>
      answer === "lost"
        ? Effect.fail(refused("runtime_object_lost", lostWithServer))
        : Effect.succeed(answer === "ours")
    )
  )

/** "known": it has been launched already, and holds its own slot */
export const launchInSlot = (
  own: OwnUnits,
  unit: Unit
): Effect.Effect<"started" | "known", LaunchRefused | Unavailable> =>
  Effect.uninterruptibleMask((restore) =>
    Effect.gen(function* () {
      const { parts } = own
      const { options, liveUnits } = parts
      const entry: LiveUnit = {
        ...idOf(unit),
        runId: `${parts.nonce}-${unitKey(unit)}`,
        root: unitRoot(parts.instanceDir, unit),
        server: parts.server
      }
      if (!(yield* claim(parts, unit, entry))) return "known" as const
      const ready = Effect.flatMap(parts.issue(idOf(unit)), (callbackSecret) =>
        prepare(unit, { ...entry, callbackSecret }, options)
      )
      const { prepared, result } = yield* restore(ready).pipe(
        Effect.flatMap((prepared) =>
          Effect.map(startPrepared(prepared, options, parts), (result) => ({ prepared, result }))
        ),
        Effect.onError(() => orLogged("forget an entry", () => liveUnits.remove(entry), undefined))
      )
      if ("_tag" in result) {
        liveUnits.remove(entry)
        return yield* Effect.flatMap(result.reason, (cause) => Effect.fail(fromSystem("start a process")(cause)))
      }
      parts.watchdog.add(result.process.pid)
      const known = { ...entry, leader: markOf(result.process.pid), command: prepared.command }
      yield* own.begin({ entry: known, ...result, command: prepared.command, finished: yield* Deferred.make<void>() })
      yield* Queue.offer(parts.facts, { _tag: "Started", unit: idOf(unit), at: yield* isoNow })
      return "started" as const
    })
  )
