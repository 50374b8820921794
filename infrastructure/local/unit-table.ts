/**
 * The units that this server runs: launching one in a free slot, watching it to its end, ending it. The slot is held until nothing of the
 * unit is left. Reference: adapter-contract.md, "Exit", "Local processes".
 */
import { existsSync } from "node:fs"
import { DateTime, Deferred, Duration, Effect, FiberSet, Queue, Redacted, type Scope } from "effect"
import type { Unavailable } from "../../application/errors.ts"
import type { LaunchRefused, Unit, UnitFact, UnitId } from "../../application/ports/runtime.ts"
import { unitKey } from "../unit/names.ts"
import { clearLeftovers, terminate } from "./end-of-processes.ts"
import { writePrivate } from "./guarded-file.ts"
import { howItEnded } from "./how-it-ended.ts"
import { notedExit, openLasting } from "./lasting-unit.ts"
import { killLeftover, lostWithServer } from "./leftovers.ts"
import { isOwned, type LiveUnit, type LiveUnits } from "./live-units.ts"
import type { LocalRuntimeOptions } from "./local-options.ts"
import { droppedBytes } from "./log-store.ts"
import type { LogWatch } from "./log-watch.ts"
import type { OutputPipes } from "./output-pipe.ts"
import { markOf, type ProcessMark } from "./process-table.ts"
import type { Slots } from "./slots.ts"
import { fromSystem, refused } from "./system-failure.ts"
import { directoryOf, endedMark, unitRoot, wasLaunched } from "./unit-directory.ts"
import { idOf, orLogged, orLoggedLater, report, settled } from "./unit-end.ts"
import { capture, prepare, startPrepared } from "./unit-launch.ts"
import { type Exit, follow, type UnitProcess } from "./unit-process.ts"
import type { Watchdog } from "./watchdog.ts"

interface Running {
  readonly entry: LiveUnit
  readonly process: UnitProcess
  readonly closeLog: Effect.Effect<void>
  readonly command: string
  /** the process and everything it started is gone, and its end is told */
  readonly finished: Deferred.Deferred<void>
}

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

const isoNow = Effect.map(DateTime.now, DateTime.formatIso)

const defaultGrace = 10_000
const defaultSettle = 30_000

export const make = (parts: UnitTableParts): Effect.Effect<UnitTable, never, Scope.Scope> =>
  Effect.gen(function* () {
    const { options, liveUnits, slots, watchdog, facts, logWatch } = parts
    const grace = options.stopGraceMillis ?? defaultGrace
    const settle = options.settleMillis ?? defaultSettle
    const adopts = options.adopt === true
    const run = yield* FiberSet.makeRuntime<never>()
    const fork = (effect: Effect.Effect<void>) =>
      run(Effect.catchAllCause(effect, (cause) => Effect.logError("the end of a local benchmark could not be handled", cause)))
    const running = new Map<string, Running>()
    /** the server stops: what ends from now on was ended by it */
    let closing = false
    /** keys of entries that are ours, running or settling */
    const ours = new Set<string>()

    const told = ({ entry, process, closeLog, command }: Running, exit: Exit) =>
      Effect.gen(function* () {
        const how = closing ? { code: "runtime_object_lost", message: lostWithServer } : howItEnded(exit, command)
        const ended = { at: yield* isoNow, ...how }
        // a grandchild that keeps the output open must not hold the result back
        yield* Effect.timeoutOption(process.outputClosed, "2 seconds")
        yield* process.abandonOutput
        yield* closeLog
        const after = { ...entry, ended }
        yield* orLogged("note the end", () => liveUnits.replace(after), undefined)
        logWatch.changed(directoryOf(entry.root).log)
        yield* report(facts, entry, ended)
        return after
      })

    const left = ({ entry, process, finished }: Running) =>
      Effect.sync(() => {
        watchdog.end(process.pid)
        running.delete(unitKey(entry))
      }).pipe(Effect.zipRight(slots.release), Effect.zipRight(Deferred.succeed(finished, undefined)))

    const settling = (entry: LiveUnit) =>
      Effect.ensuring(
        settled(liveUnits, entry, settle),
        Effect.sync(() => ours.delete(unitKey(entry)))
      )

    const watch = (unit: Running) =>
      Effect.gen(function* () {
        const { entry, process } = unit
        const [lived, exit] = yield* Effect.timed(process.exit)
        const both = Effect.all([told(unit, exit), clearLeftovers({ ...process, runId: entry.runId }, Duration.toMillis(lived))], { concurrency: 2 })
        const [after] = yield* Effect.ensuring(both, left(unit))
        yield* orLogged("mark the end", () => (existsSync(entry.root) ? writePrivate(endedMark(entry.root), "") : undefined), undefined)
        // on its own, so that nothing of the process is held meanwhile
        fork(settling(after))
      })

    const begin = (unit: Running) =>
      Effect.gen(function* () {
        running.set(unitKey(unit.entry), unit)
        ours.add(unitKey(unit.entry))
        yield* orLogged("note the start", () => liveUnits.replace(unit.entry), undefined)
        fork(watch(unit))
      })

    /** false when a living server, this one included, has launched the unit already; fails when it was launched and is gone */
    const claim = (unit: Unit, entry: LiveUnit): Effect.Effect<boolean, LaunchRefused | Unavailable> =>
      Effect.try({
        try: () => {
          if (!liveUnits.claim(entry)) {
            const existing = liveUnits.find(unitKey(unit))
            if (existing !== undefined && isOwned(existing)) return "known" as const
            if (existing?.leader !== undefined) return "lost" as const
            liveUnits.replace(entry)
          }
          if (!wasLaunched(entry.root, unit.attempt)) return "ours" as const
          liveUnits.remove(entry)
          return "lost" as const
        },
        catch: fromSystem("claim unit")
      }).pipe(Effect.flatMap((answer) => (answer === "lost" ? Effect.fail(refused("runtime_object_lost", lostWithServer)) : Effect.succeed(answer === "ours"))))

    const launchInSlot = (unit: Unit): Effect.Effect<"started" | "known", LaunchRefused | Unavailable> =>
      Effect.uninterruptibleMask((restore) =>
        Effect.gen(function* () {
          const runId = `${parts.nonce}-${unitKey(unit)}`
          const entry: LiveUnit = { ...idOf(unit), runId, root: unitRoot(parts.instanceDir, unit), server: parts.server }
          if (!(yield* claim(unit, entry))) return "known" as const
          const ready = Effect.flatMap(parts.issue(idOf(unit)), (callbackSecret) => prepare(unit, { ...entry, callbackSecret }, options))
          const { prepared, result } = yield* restore(ready).pipe(
            Effect.flatMap((prepared) => Effect.map(startPrepared(prepared, options, parts), (result) => ({ prepared, result }))),
            Effect.onError(() => orLogged("forget an entry", () => liveUnits.remove(entry), undefined))
          )
          if ("_tag" in result) {
            liveUnits.remove(entry)
            return yield* Effect.flatMap(result.reason, (cause) => Effect.fail(fromSystem("start a process")(cause)))
          }
          watchdog.add(result.process.pid)
          const known = { ...entry, leader: markOf(result.process.pid), command: prepared.command }
          yield* begin({ entry: known, ...result, command: prepared.command, finished: yield* Deferred.make<void>() })
          yield* Queue.offer(facts, { _tag: "Started", unit: idOf(unit), at: yield* isoNow })
          return "started" as const
        })
      )

    /** goes on with a unit that was made to outlive its server; false when it can not, and then nothing of it was touched */
    const resume = (entry: LiveUnit): Effect.Effect<boolean> =>
      Effect.gen(function* () {
        const lasting = adopts ? yield* orLoggedLater("take over the output", () => openLasting(entry), undefined) : undefined
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
        const process = follow(lasting.leader, { readEnd: lasting.readEnd, exitCode: Effect.promise(() => notedExit(entry.root)), onOutput })
        // it has its place already: what is launched from now on waits until a place is free
        fork(slots.take)
        const taken = { ...entry, server: parts.server }
        yield* begin({ entry: taken, process, closeLog: Effect.sync(close), command: entry.command ?? "", finished: yield* Deferred.make<void>() })
        yield* Effect.logInfo(`benchmark ${entry.index} of job ${entry.jobId} goes on: its process outlived the server that started it`)
        return true
      })

    const takeOver = (entry: LiveUnit) =>
      Effect.gen(function* () {
        // nobody's process yet: the task of this launch is claimed again and starts over
        if (entry.leader === undefined && !wasLaunched(entry.root, entry.attempt)) return liveUnits.remove(entry)
        if (yield* resume(entry)) return
        yield* killLeftover(entry, 0)
        const noted = adopts ? yield* Effect.promise(() => notedExit(entry.root)) : undefined
        const end = noted === undefined ? { code: "runtime_object_lost", message: lostWithServer } : howItEnded({ code: noted }, entry.command ?? "")
        const ended = entry.ended ?? { at: yield* isoNow, ...end }
        const taken = { ...entry, server: parts.server, ended }
        yield* orLogged("take over an entry", () => liveUnits.replace(taken), undefined)
        logWatch.changed(directoryOf(entry.root).log)
        ours.add(unitKey(entry))
        yield* report(facts, taken, ended)
        fork(settling(taken))
      })

    return {
      running: () => [...running.values()].map(({ entry }) => entry),
      launch: (unit) =>
        running.has(unitKey(unit))
          ? Effect.void
          : Effect.acquireUseRelease(
              slots.take,
              () => launchInSlot(unit),
              (_, exit) => (exit._tag === "Success" && exit.value === "started" ? Effect.void : slots.release)
            ).pipe(Effect.asVoid),
      end: (entry) => {
        const own = running.get(unitKey(entry))
        if (own !== undefined) return Effect.zipRight(terminate({ ...own.process, runId: entry.runId }, grace), Deferred.await(own.finished))
        const forget = orLogged("forget an entry", () => (isOwned(entry) ? undefined : liveUnits.remove(entry)), undefined)
        return Effect.zipRight(killLeftover(entry, grace), forget)
      },
      takeOver: Effect.suspend(() => {
        const foreign = [...liveUnits.keys()].filter((key) => !ours.has(key))
        const orphans = foreign.map((key) => liveUnits.find(key)).filter((entry) => entry !== undefined && !isOwned(entry))
        return Effect.forEach(orphans, (entry) => (entry === undefined ? Effect.void : takeOver(entry)), { discard: true })
      }),
      endAll: Effect.suspend(() => {
        if (adopts) return Effect.void
        closing = true
        return Effect.forEach([...running.values()], ({ entry, process }) => terminate({ ...process, runId: entry.runId }, grace), {
          concurrency: "unbounded",
          discard: true
        })
      })
    }
  })
