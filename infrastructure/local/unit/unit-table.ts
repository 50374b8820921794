/**
 * The units that this server runs: launching one in a free slot, ending it, taking over what dead servers left. The slot is held until
 * nothing of the unit is left. Reference: adapter-contract.md, "Exit", "Local processes".
 */
import { Deferred, Effect, type Scope } from "effect"
import type { Unavailable } from "../../../application/errors.ts"
import type { LaunchRefused, Unit } from "../../../application/ports/runtime.ts"
import { unitKey } from "../../unit/names.ts"
import { terminate } from "../process/end-of-processes.ts"
import { launchInSlot } from "./launch-unit.ts"
import { killLeftover } from "./leftovers.ts"
import { isOwned, type LiveUnit } from "./live-units.ts"
import * as OwnUnits from "./own-units.ts"
import { takeOver } from "./take-over.ts"
import { orLogged } from "./unit-end.ts"

export interface UnitTable {
  readonly launch: (unit: Unit) => Effect.Effect<void, LaunchRefused | Unavailable>
  /** returns once nothing of it runs; also for units of other servers */
  readonly end: (entry: LiveUnit) => Effect.Effect<void>
  /** takes over what dead servers left: goes on with it, or ends it and tells its end */
  readonly takeOver: Effect.Effect<void>
  readonly endAll: Effect.Effect<void>
  /** units of this server that have a process now */
  readonly running: () => ReadonlyArray<LiveUnit>
}

const defaultGrace = 10_000

export const make = (parts: OwnUnits.UnitTableParts): Effect.Effect<UnitTable, never, Scope.Scope> =>
  Effect.map(OwnUnits.make(parts), (own) => {
    const { options, liveUnits, slots } = parts
    const grace = options.stopGraceMillis ?? defaultGrace
    const endProcess = ({ entry, process }: OwnUnits.Running) => terminate({ ...process, runId: entry.runId }, grace)
    return {
      running: () => [...own.running.values()].map(({ entry }) => entry),
      launch: (unit) =>
        own.running.has(unitKey(unit))
          ? Effect.void
          : Effect.acquireUseRelease(
              slots.take,
              () => launchInSlot(own, unit),
              (_, exit) => (exit._tag === "Success" && exit.value === "started" ? Effect.void : slots.release)
            ).pipe(Effect.asVoid),
      end: (entry) => {
        const unit = own.running.get(unitKey(entry))
        if (unit !== undefined) return Effect.zipRight(endProcess(unit), Deferred.await(unit.finished))
        const forget = orLogged(
          "forget an entry",
          () => (isOwned(entry) ? undefined : liveUnits.remove(entry)),
          undefined
        )
        return Effect.zipRight(killLeftover(entry, grace), forget)
      },
      takeOver: takeOver(own),
      endAll:
        options.adopt === true
          ? Effect.void
          : Effect.flatMap(own.close, (units) =>
              Effect.forEach(units, endProcess, { concurrency: "unbounded", discard: true })
            )
    }
  })
