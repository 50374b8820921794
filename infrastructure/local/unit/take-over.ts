/** What a dead server left: gone on with where it was made to outlive its server, else ended, and its end told. Reference: adapter-contract.md, "Local processes". */

import { Deferred, Effect, Redacted } from "effect"
import { isoNow } from "../../../application/iso-now.ts"
import { droppedBytes } from "../files/log-store.ts"
import { directoryOf, wasLaunched } from "../files/unit-directory.ts"
import { notedExit, openLasting } from "../process/lasting-unit.ts"
import { follow } from "../process/unit-process.ts"
import { killLeftover } from "./leftovers.ts"
import { isOwned, type LiveUnit } from "./live-units.ts"
import type { OwnUnits } from "./own-units.ts"
import { endOfLeft, startsOver } from "./unit-decisions.ts"
import { orLoggedLater } from "./unit-end.ts"
import { capture } from "./unit-launch.ts"

/** goes on with a unit that was made to outlive its server; false when it can not, and then nothing of it was touched */
const resume = (own: OwnUnits, entry: LiveUnit): Effect.Effect<boolean> =>
  Effect.gen(function* () {
    const { options, slots, server, logWatch } = own.parts
    const lasting =
      options.adopt === true
        ? yield* orLoggedLater("take over the output", () => openLasting(entry), undefined)
        : undefined
    if (lasting === undefined) return false
    const clock = yield* Effect.clock
    const dropped = yield* Effect.promise(() => droppedBytes(directoryOf(entry.root).log))
    const { onOutput, close } = capture(
      entry.root,
      { secrets: [...lasting.secrets, ...options.redact.map(Redacted.value)], dropped },
      options,
      logWatch,
      clock
    )
    const process = follow(lasting.leader, {
      readEnd: lasting.readEnd,
      exitCode: Effect.promise(() => notedExit(entry.root)),
      onOutput
    })
    // it has its place already: what is launched from now on waits until a place is free
    own.fork(slots.take)
    const taken = { ...entry, server }
    yield* own.begin({
      entry: taken,
      process,
      closeLog: Effect.sync(close),
      command: entry.command ?? "",
      finished: yield* Deferred.make<void>()
    })
    yield* Effect.logInfo(
      `benchmark ${entry.index} of job ${entry.jobId} goes on: its process outlived the server that started it`
    )
    return true
  })

const takeOverOne = (own: OwnUnits, entry: LiveUnit): Effect.Effect<void> =>
  Effect.gen(function* () {
    const { options, liveUnits, server } = own.parts
    if (startsOver(entry, wasLaunched(entry.root, entry.attempt))) return liveUnits.remove(entry)
    if (yield* resume(own, entry)) return
    yield* killLeftover(entry, 0)
    const noted = options.adopt === true ? yield* Effect.promise(() => notedExit(entry.root)) : undefined
    const ended = entry.ended ?? { at: yield* isoNow, ...endOfLeft(entry, noted) }
    yield* own.tellEnd({ ...entry, server, ended }, ended)
  })

/** every entry whose server is gone */
export const takeOver = (own: OwnUnits): Effect.Effect<void> =>
  Effect.suspend(() => {
    const { liveUnits } = own.parts
    const foreign = [...liveUnits.keys()].filter((key) => !own.isOurs(key))
    const orphans = foreign.flatMap((key) => liveUnits.find(key) ?? []).filter((entry) => !isOwned(entry))
    return Effect.forEach(orphans, (entry) => takeOverOne(own, entry), { discard: true })
  })
