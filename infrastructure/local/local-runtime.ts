/**
 * The runtime port for local processes: every unit is one process group in a directory of its own, at most five at once, and none of
 * them outlives the server. What happened is told as facts; nothing here knows the state of a benchmark.
 * Contract: adapter 2, 3, 6, 8; decisions 3, "Local mode".
 */
import { rmSync } from "node:fs"
import { join } from "node:path"
import { DateTime, Deferred, Effect, FiberSet, Layer, Queue, type Scope, Stream } from "effect"
import { NotFound, Unavailable } from "../../application/errors.ts"
import { Identifiers } from "../../application/ports/identifiers.ts"
import { type LaunchRefused, Runtime, type Unit, type UnitFact, type UnitId } from "../../application/ports/runtime.ts"
import { UnitSecrets } from "../../application/ports/unit-secrets.ts"
import { segment, shown, type Violation, violation } from "../../domain/violation.ts"
import { unitKey } from "../unit/names.ts"
import { howItEnded } from "./how-it-ended.ts"
import { killLeftover, lostWithServer } from "./leftovers.ts"
import * as LiveUnits from "./live-units.ts"
import { type LocalRuntimeOptions, LocalRuntimeUnusable } from "./local-options.ts"
import { hasLog, lastLines, readLog } from "./log-reader.ts"
import * as OutputPipes from "./output-pipe.ts"
import { markOf } from "./process-table.ts"
import * as Retention from "./retention.ts"
import * as Slots from "./slots.ts"
import { spooledIn } from "./spool.ts"
import { directoryOf, endedMark, findUnitRoot, prepareInstance, unitRoot, wasLaunched, writePrivate } from "./unit-directory.ts"
import { fromSystem, prepare, refused, startPrepared } from "./unit-launch.ts"
import { clearLeftovers, terminate, type UnitProcess } from "./unit-process.ts"
import * as Watchdog from "./watchdog.ts"

const shownLogLines = 20
const most = 5

interface Running {
  readonly entry: LiveUnits.LiveUnit
  readonly process: UnitProcess
  readonly closeLog: Effect.Effect<void>
  readonly command: string
  /** the process and everything it started is gone, and its end is told */
  readonly finished: Deferred.Deferred<void>
}

const isoNow = Effect.map(DateTime.now, DateTime.formatIso)

const idOf = ({ tenant, jobId, index, attempt }: UnitId): UnitId => ({ tenant, jobId, index, attempt })

const check =
  (options: LocalRuntimeOptions): Runtime["Type"]["check"] =>
  (benchmarks) =>
    Effect.succeed(
      benchmarks.flatMap(({ index, entry, snapshot }): ReadonlyArray<Violation> => {
        const path = `/benchmarks${segment(index)}`
        if (snapshot.runtime.local === undefined) {
          const message = `provider ${shown(entry.providerId)} has no local runtime: give it runtime.local.command, or use a cluster`
          return [violation(path, message, "local_runtime_unavailable")]
        }
        return entry.testData !== undefined && options.testData === undefined
          ? [violation(`${path}/test_data_ref`, "test_data_ref is not supported in local mode")]
          : []
      })
    )

const make = (options: LocalRuntimeOptions): Effect.Effect<Runtime["Type"], LocalRuntimeUnusable, UnitSecrets | Identifiers | Scope.Scope> =>
  Effect.gen(function* () {
    const unitSecrets = yield* UnitSecrets
    const nonce = (yield* (yield* Identifiers).next).replaceAll("-", "")
    const instanceDir = yield* Effect.try({
      try: () => prepareInstance(options.baseDir, options.instance),
      catch: (cause) =>
        new LocalRuntimeUnusable({
          message: `${options.baseDir} can not hold the files of local benchmarks: ${cause instanceof Error ? cause.message : String(cause)}. Set local.base_dir to a directory of your own.`
        })
    })
    const workers = Math.min(most, Math.max(1, options.workers))
    const grace = options.stopGraceMillis ?? 10_000
    const settle = options.settleMillis ?? 30_000
    const self = markOf(process.pid)
    const liveUnits = LiveUnits.make(instanceDir)
    const slots = yield* Slots.make(workers)
    const facts = yield* Queue.unbounded<UnitFact>()
    const watchdog = yield* Watchdog.make(nonce)
    const pipes = yield* OutputPipes.make(instanceDir, workers, nonce)
    const fork = yield* FiberSet.makeRuntime<never>()
    const running = new Map<string, Running>()

    /** tells what an ended unit left: undelivered events first, then its end */
    const report = (entry: LiveUnits.LiveUnit, ended: NonNullable<LiveUnits.LiveUnit["ended"]>) =>
      Effect.gen(function* () {
        const directory = directoryOf(entry.root)
        for (const spooled of yield* Effect.sync(() => spooledIn(directory.spool))) {
          if (spooled._tag === "Unreadable") yield* Effect.logWarning(`event file ${spooled.path} can not be read: ${spooled.reason}`)
          else yield* Queue.offer(facts, { _tag: "Spooled", unit: idOf(entry), event: spooled.event, acknowledge: Effect.sync(spooled.remove) })
        }
        yield* Queue.offer(facts, { _tag: "Ended", unit: idOf(entry), ...ended, logTail: lastLines(directory.log, shownLogLines) })
      })

    /** the entry goes when the end had time to be told and no event waits any more */
    const settled = (entry: LiveUnits.LiveUnit): Effect.Effect<void> =>
      Effect.sleep(settle).pipe(
        Effect.zipRight(Effect.sync(() => spooledIn(directoryOf(entry.root).spool).some((spooled) => spooled._tag === "Event"))),
        Effect.repeat({ while: (waiting) => waiting }),
        Effect.zipRight(Effect.sync(() => liveUnits.remove(entry)))
      )

    const watch = (unit: Running) =>
      Effect.gen(function* () {
        const { entry, process } = unit
        const exit = yield* process.exit
        const ended = { at: yield* isoNow, ...howItEnded(exit, unit.command) }
        yield* Effect.timeoutOption(process.outputClosed, "2 seconds")
        yield* process.abandonOutput
        yield* unit.closeLog
        const after = { ...entry, ended }
        yield* Effect.sync(() => liveUnits.replace(after))
        yield* report(entry, ended)
        yield* clearLeftovers(process.pid, entry.runId)
        yield* Effect.sync(() => {
          watchdog.end(process.pid)
          running.delete(unitKey(entry))
          writePrivate(endedMark(entry.root), "")
        })
        yield* slots.release
        yield* Deferred.succeed(unit.finished, undefined)
        yield* settled(after)
      }).pipe(Effect.catchAllCause((cause) => Effect.logError("the end of a local benchmark could not be handled", cause)))

    /** false when a living server, this one included, has launched the unit already; fails when it was launched and is gone */
    const claim = (unit: Unit, entry: LiveUnits.LiveUnit): Effect.Effect<boolean, LaunchRefused | Unavailable> =>
      Effect.try({
        try: () => {
          if (!liveUnits.claim(entry)) {
            const existing = liveUnits.find(unit)
            if (existing !== undefined && LiveUnits.isOwned(existing)) return "known" as const
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
          const runId = `${nonce}-${unitKey(unit)}`
          const entry: LiveUnits.LiveUnit = { ...idOf(unit), runId, root: unitRoot(instanceDir, unit), server: self }
          if (!(yield* claim(unit, entry))) return "known" as const
          const started = yield* restore(
            Effect.flatMap(unitSecrets.issue(idOf(unit)), (callbackSecret) => prepare(unit, { ...entry, callbackSecret }, options))
          ).pipe(
            Effect.flatMap((prepared) => Effect.map(startPrepared(prepared, options, pipes), (result) => ({ prepared, result }))),
            Effect.onError(() => Effect.sync(() => liveUnits.remove(entry)))
          )
          const { prepared, result } = started
          if ("_tag" in result) {
            liveUnits.remove(entry)
            return yield* Effect.fail(refused("adapter_failed_to_start", `The command of the provider could not be started: ${result.message}.`))
          }
          watchdog.add(result.process.pid)
          const known = { ...entry, leader: markOf(result.process.pid) }
          const unitRunning: Running = { entry: known, ...result, command: prepared.command, finished: yield* Deferred.make<void>() }
          running.set(unitKey(unit), unitRunning)
          liveUnits.replace(known)
          fork(watch(unitRunning))
          yield* Queue.offer(facts, { _tag: "Started", unit: idOf(unit), at: yield* isoNow })
          return "started" as const
        })
      )

    const launch = (unit: Unit) =>
      running.has(unitKey(unit))
        ? Effect.void
        : Effect.acquireUseRelease(
            slots.take,
            () => launchInSlot(unit),
            (_, exit) => (exit._tag === "Success" && exit.value === "started" ? Effect.void : slots.release)
          ).pipe(Effect.asVoid)

    const end = (entry: LiveUnits.LiveUnit): Effect.Effect<void> => {
      const own = running.get(unitKey(entry))
      if (own !== undefined) return Effect.zipRight(terminate(own.process.pid, entry.runId, grace), Deferred.await(own.finished))
      return killLeftover(entry, grace).pipe(Effect.zipRight(Effect.sync(() => (LiveUnits.isOwned(entry) ? undefined : liveUnits.remove(entry)))))
    }
    const entriesOf = (prefix: string) => Effect.sync(() => [...liveUnits.keys()].filter((key) => key.startsWith(prefix)))
    const stopAll = (prefix: string) =>
      Effect.flatMap(entriesOf(prefix), (keys) =>
        Effect.forEach(
          liveUnits.all().filter((entry) => keys.includes(unitKey(entry))),
          end,
          { concurrency: "unbounded", discard: true }
        )
      )
    const discarded = (path: string | undefined) =>
      path === undefined
        ? Effect.void
        : Effect.try({
            try: () => rmSync(path, { recursive: true, force: true, maxRetries: 3 }),
            catch: (cause) => new Unavailable({ peer: "cluster", operation: "remove unit directory", cause })
          })

    yield* Effect.addFinalizer(() =>
      Effect.forEach([...running.values()], ({ entry, process }) => terminate(process.pid, entry.runId, grace), { concurrency: "unbounded", discard: true })
    )

    for (const entry of liveUnits.all()) {
      if (LiveUnits.isOwned(entry)) continue
      // still nobody's process: the task of this launch is claimed again and starts over
      if (entry.leader === undefined && !wasLaunched(entry.root, entry.attempt)) {
        liveUnits.remove(entry)
        continue
      }
      yield* killLeftover(entry, 0)
      const ended = entry.ended ?? { at: yield* isoNow, code: "runtime_object_lost", message: lostWithServer }
      const adopted = { ...entry, server: self, ended }
      liveUnits.replace(adopted)
      yield* report(adopted, ended)
      fork(settled(adopted))
    }
    fork(Retention.run({ baseDir: options.baseDir, instance: options.instance, retainSeconds: options.retainSeconds }))

    return {
      kind: "local" as const,
      check: check(options),
      freeSlots: slots.free,
      awaitSlot: slots.awaitFree,
      launch,
      stop: (unit, { discard }) => Effect.zipRight(stopAll(`${unit.jobId}-${unit.index}-`), discard ? discarded(findUnitRoot(instanceDir, unit)) : Effect.void),
      stopJob: (job, { discard }) => Effect.zipRight(stopAll(`${job.jobId}-`), discard ? discarded(join(instanceDir, job.jobId)) : Effect.void),
      facts: Stream.fromQueue(facts),
      observe: (units) =>
        Effect.sync(() => {
          const keys = liveUnits.keys()
          return units.map((unit) => {
            const entry = keys.has(unitKey(unit)) ? liveUnits.find(unit) : undefined
            return { unit, status: entry !== undefined && LiveUnits.isOwned(entry) ? ("Alive" as const) : ("Gone" as const) }
          })
        }),
      logs: (unit, query) =>
        Effect.gen(function* () {
          const root = findUnitRoot(instanceDir, unit)
          const directory = root === undefined ? undefined : directoryOf(root).log
          if (directory === undefined || !hasLog(directory)) return yield* new NotFound({ kind: "log", id: `${unit.jobId}/${unit.index}` })
          const now = yield* DateTime.now
          const isLive = () => {
            const entry = liveUnits.find(unit)
            return entry !== undefined && entry.ended === undefined
          }
          return readLog(directory, query, now.epochMillis, isLive)
        }),
      ping: Effect.void
    }
  })

/** needs the callback secrets of units and the source of ids; fails when the base directory can not be used */
export const layer = (options: LocalRuntimeOptions): Layer.Layer<Runtime, LocalRuntimeUnusable, UnitSecrets | Identifiers> =>
  Layer.scoped(Runtime, make(options))
