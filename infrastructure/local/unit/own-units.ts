/**
 * The units of this server from the start of their process until their end is settled: watching each one, telling its end, giving back
 * what it held. Reference: adapter-contract.md, "Exit".
 */

import { existsSync } from "node:fs"
import { Deferred, Duration, Effect, FiberSet, type Queue, type Redacted, type Scope } from "effect"
import type { Unavailable } from "../../../application/errors.ts"
import { isoNow } from "../../../application/iso-now.ts"
import type { UnitFact, UnitId } from "../../../application/ports/runtime.ts"
import { unitKey } from "../../unit/names.ts"
import { writePrivate } from "../files/guarded-file.ts"
import type { LogWatch } from "../files/log-watch.ts"
import { directoryOf, endedMark } from "../files/unit-directory.ts"
import type { LocalRuntimeOptions } from "../local-options.ts"
import { clearLeftovers } from "../process/end-of-processes.ts"
import type { OutputPipes } from "../process/output-pipe.ts"
import type { ProcessMark } from "../process/process-table.ts"
import type { Exit, UnitProcess } from "../process/unit-process.ts"
import type { Watchdog } from "../process/watchdog.ts"
import type { LiveUnit, LiveUnits } from "./live-units.ts"
import type { Slots } from "./slots.ts"
import { endOfOwn } from "./unit-decisions.ts"
import { orLogged, report, settled } from "./unit-end.ts"

export interface Running {
  readonly entry: LiveUnit
  readonly process: UnitProcess
  readonly closeLog: Effect.Effect<void>
  readonly command: string
  /** the process and everything it started is gone, and its end is told */
  readonly finished: Deferred.Deferred<void>
}

export interface UnitTableParts {
  readonly options: LocalRuntimeOptions
  readonly instanceDir: string
  /** begins the run ids of this server's units */
  readonly nonce: string
  readonly server: ProcessMark
  readonly liveUnits: LiveUnits
  readonly slots: Slots
  readonly watchdog: Watchdog
  readonly pipes: OutputPipes
  readonly logWatch: LogWatch
  readonly facts: Queue.Queue<UnitFact>
  readonly issue: (unit: UnitId) => Effect.Effect<Redacted.Redacted, Unavailable>
}

export interface OwnUnits {
  readonly parts: UnitTableParts
  readonly running: ReadonlyMap<string, Running>
  readonly isOurs: (key: string) => boolean
  /** a unit has a process now: it is watched to its end. Its slot is taken already, or asked for by the caller. */
  readonly begin: (unit: Running) => Effect.Effect<void>
  /** an end that another server's death left to be told */
  readonly tellEnd: (entry: LiveUnit, ended: NonNullable<LiveUnit["ended"]>) => Effect.Effect<void>
  /** the server stops: what ends from now on was ended by it */
  readonly close: Effect.Effect<ReadonlyArray<Running>>
  /** runs beside; what goes wrong is logged */
  readonly fork: (effect: Effect.Effect<void>) => void
}

const defaultSettle = 30_000

/** what is remembered of them */
interface Memory {
  readonly parts: UnitTableParts
  readonly running: Map<string, Running>
  /** keys of entries that are ours, running or settling */
  readonly ours: Set<string>
  closing: boolean
}

/** notes and tells the end; answers with the entry as it is noted */
const told = ({ parts, closing }: Memory, { entry, process, closeLog, command }: Running, exit: Exit) =>
  Effect.gen(function* () {
    const ended = { at: yield* isoNow, ...endOfOwn(exit, command, closing) }
    // a grandchild that keeps the output open must not hold the result back
    yield* Effect.timeoutOption(process.outputClosed, "2 seconds")
    yield* process.abandonOutput
    yield* closeLog
    const after = { ...entry, ended }
    yield* orLogged("note the end", () => parts.liveUnits.replace(after), undefined)
    parts.logWatch.changed(directoryOf(entry.root).log)
    yield* report(parts.facts, entry, ended)
    return after
  })

const left = ({ parts, running }: Memory, { entry, process, finished }: Running) =>
  Effect.sync(() => {
    parts.watchdog.end(process.pid)
    running.delete(unitKey(entry))
  }).pipe(Effect.zipRight(parts.slots.release), Effect.zipRight(Deferred.succeed(finished, undefined)))

const settling = ({ parts, ours }: Memory, entry: LiveUnit) =>
  Effect.ensuring(
    settled(parts.liveUnits, entry, parts.options.settleMillis ?? defaultSettle),
    Effect.sync(() => ours.delete(unitKey(entry)))
  )

/** answers with the entry once nothing of the unit is left */
const watch = (memory: Memory, unit: Running) =>
  Effect.gen(function* () {
    const { entry, process } = unit
    const [lived, exit] = yield* Effect.timed(process.exit)
    const leftovers = clearLeftovers({ ...process, runId: entry.runId }, Duration.toMillis(lived))
    const both = Effect.all([told(memory, unit, exit), leftovers], { concurrency: 2 })
    const [after] = yield* Effect.ensuring(both, left(memory, unit))
    yield* orLogged(
      "mark the end",
      () => (existsSync(entry.root) ? writePrivate(endedMark(entry.root), "") : undefined),
      undefined
    )
    return after
  })

export const make = (parts: UnitTableParts): Effect.Effect<OwnUnits, never, Scope.Scope> =>
  Effect.gen(function* () {
    const run = yield* FiberSet.makeRuntime<never>()
    const fork = (effect: Effect.Effect<void>): void =>
      void run(
        Effect.catchAllCause(effect, (cause) =>
          Effect.logError("the end of a local benchmark could not be handled", cause)
        )
      )
    const memory: Memory = { parts, running: new Map(), ours: new Set(), closing: false }
    // on its own, so that nothing of the process is held meanwhile
    const settle = (entry: LiveUnit) => fork(settling(memory, entry))
    return {
      parts,
      fork,
      running: memory.running,
      isOurs: (key) => memory.ours.has(key),
      begin: (unit) =>
        Effect.gen(function* () {
          memory.running.set(unitKey(unit.entry), unit)
          memory.ours.add(unitKey(unit.entry))
          yield* orLogged("note the start", () => parts.liveUnits.replace(unit.entry), undefined)
          fork(Effect.map(watch(memory, unit), settle))
        }),
      tellEnd: (entry, ended) =>
        Effect.gen(function* () {
          yield* orLogged("take over an entry", () => parts.liveUnits.replace(entry), undefined)
          parts.logWatch.changed(directoryOf(entry.root).log)
          memory.ours.add(unitKey(entry))
          yield* report(parts.facts, entry, ended)
          settle(entry)
        }),
      close: Effect.sync(() => {
        memory.closing = true
        return [...memory.running.values()]
      })
    }
  })
