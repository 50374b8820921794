/**
 * The runtime port for local processes: every unit is one process group in a directory of its own, at most five at once, and none of
 * them outlives the server unless it is told so. What happened is told as facts; nothing here knows the state of a benchmark.
 * Reference: adapter-contract.md, "Addresses", "Environment", "Exit", "Local processes".
 */
import { rm } from "node:fs/promises"
import { join } from "node:path"
import { DateTime, Effect, FiberSet, Layer, Queue, type Scope, Stream } from "effect"
import { NotFound, type Unavailable } from "../../application/errors.ts"
import { Identifiers } from "../../application/ports/identifiers.ts"
import { Runtime, type UnitFact } from "../../application/ports/runtime.ts"
import { UnitSecrets } from "../../application/ports/stores/unit-secrets.ts"
import type { Path } from "../../domain/path.ts"
import { say, unquoted } from "../../domain/sentence.ts"
import { shown, type Violation, violation } from "../../domain/violation.ts"
import { defined } from "../../values/defined.ts"
import { unitKey } from "../unit/names.ts"
import { fromFiles, hasLog, readLog } from "./files/log-reader.ts"
import * as LogWatch from "./files/log-watch.ts"
import * as Retention from "./files/retention.ts"
import { directoryOf, findUnitRoot, prepareInstance, unlockTestData } from "./files/unit-directory.ts"
import { type LocalRuntimeOptions, LocalRuntimeUnusable } from "./local-options.ts"
import * as OutputPipes from "./process/output-pipe.ts"
import { markOf } from "./process/process-table.ts"
import * as Watchdog from "./process/watchdog.ts"
import { unusableMachine } from "./system-failure.ts"
import * as Linger from "./unit/linger.ts"
import * as LiveUnits from "./unit/live-units.ts"
import * as Slots from "./unit/slots.ts"
import * as UnitTable from "./unit/unit-table.ts"

/** units at once, whatever is configured. Reference: adapter-contract.md, "Local processes". */
const most = 5

/** how soon the units of another server that died are taken over */
const lookEvery = "5 seconds"

const check =
  (options: LocalRuntimeOptions): Runtime["Type"]["check"] =>
  (benchmarks) =>
    Effect.succeed(
      benchmarks.flatMap(({ index, entry, snapshot }): ReadonlyArray<Violation> => {
        const path: Path = ["benchmarks", index]
        if (snapshot.runtime.local === undefined) {
          const message = `provider ${shown(entry.providerId)} has no local runtime: give it runtime.local.command, or use a cluster`
          return [violation(path, message, "local_runtime_unavailable")]
        }
        const { command, env } = snapshot.runtime.local
        const missing = options.frameworks?.problemOf({
          id: entry.providerId,
          command,
          ...defined({ env })
        })
        if (missing !== undefined) return [violation([...path, "providerId"], missing, "local_runtime_unavailable")]
        return entry.testData !== undefined && options.testData === undefined
          ? [violation([...path, "testData"], say`${unquoted(["testData"])} is not supported in local mode`)]
          : []
      })
    )

const removed = (path: string | undefined): Effect.Effect<void, Unavailable> =>
  path === undefined
    ? Effect.void
    : Effect.tryPromise({
        try: () => {
          unlockTestData(path)
          return rm(path, { recursive: true, force: true, maxRetries: 3 })
        },
        catch: unusableMachine("remove the files of a local benchmark")
      })

const prepareBase = ({ baseDir, instance }: LocalRuntimeOptions) =>
  Effect.try({
    try: () => prepareInstance(baseDir, instance),
    catch: (cause) => {
      const reason = cause instanceof Error ? cause.message : String(cause)
      return new LocalRuntimeUnusable({
        message: `${baseDir} can not hold the files of local benchmarks: ${reason}. Set local.base_dir to a directory that only you can write to.`
      })
    }
  })

const logsIn =
  (instanceDir: string, liveUnits: LiveUnits.LiveUnits, watch: LogWatch.LogWatch): Runtime["Type"]["logs"] =>
  (unit, query) =>
    Effect.gen(function* () {
      const root = findUnitRoot(instanceDir, unit)
      const directory = root === undefined ? undefined : directoryOf(root).log
      const found = directory !== undefined && (yield* fromFiles(() => hasLog(directory)))
      if (directory === undefined || !found)
        return yield* new NotFound({ kind: "log", id: `${unit.jobId}/${unit.index}` })
      const now = yield* DateTime.now
      const isLive = () => {
        const entry = liveUnits.find(unitKey(unit))
        return entry !== undefined && entry.ended === undefined
      }
      return {
        source: isLive() ? ("live" as const) : ("captured" as const),
        text: readLog({ directory, isLive, watch }, query, now.epochMillis)
      }
    })

const make = (
  options: LocalRuntimeOptions
): Effect.Effect<Runtime["Type"], LocalRuntimeUnusable, UnitSecrets | Identifiers | Scope.Scope> =>
  Effect.gen(function* () {
    const { issue } = yield* UnitSecrets
    const identifiers = yield* Identifiers
    const nonce = (yield* identifiers.next).replaceAll("-", "")
    const instanceDir = yield* prepareBase(options)
    const workers = Math.min(most, Math.max(1, options.workers))
    const liveUnits = LiveUnits.make(instanceDir)
    const slots = yield* Slots.make(workers)
    const facts = yield* Queue.unbounded<UnitFact>()
    const watchdog = options.adopt === true ? Watchdog.none : yield* Watchdog.make(nonce)
    const pipes = yield* OutputPipes.make(instanceDir, workers, nonce)
    const logWatch = LogWatch.make()
    const server = markOf(process.pid)
    const table = yield* UnitTable.make({
      options,
      instanceDir,
      nonce,
      server,
      liveUnits,
      slots,
      watchdog,
      pipes,
      logWatch,
      facts,
      issue
    })
    // registered last, so that it runs first: units are ended while they are still watched
    yield* Effect.addFinalizer(() => table.endAll)
    // at start, and for servers that share the directory and die later
    yield* table.takeOver
    const background = yield* FiberSet.makeRuntime<never>()
    const look = Effect.catchAllCause(table.takeOver, (cause) =>
      Effect.logError("units of another server could not be taken over", cause)
    )
    background(Effect.forever(Effect.delay(look, lookEvery)))
    background(Retention.run(options))
    if (options.linger !== undefined) background(Linger.run(options.linger, table))

    /** every unit whose key begins like this */
    const endLike = (prefix: string) =>
      Effect.suspend(() => {
        const keys = [...liveUnits.keys()].filter((key) => key.startsWith(prefix))
        const entries = keys.flatMap((key) => liveUnits.find(key) ?? [])
        return Effect.forEach(entries, table.end, { concurrency: "unbounded", discard: true })
      })

    return {
      kind: "local" as const,
      check: check(options),
      freeSlots: slots.free,
      awaitSlot: slots.awaitFree,
      backingName: () => undefined,
      launch: (unit) => Effect.as(table.launch(unit), undefined),
      stop: (unit, { discard }) =>
        Effect.zipRight(
          endLike(`${unit.jobId}-${unit.index}-`),
          Effect.suspend(() => removed(discard ? findUnitRoot(instanceDir, unit) : undefined))
        ),
      stopJob: ({ jobId }, { discard }) =>
        Effect.zipRight(endLike(`${jobId}-`), removed(discard ? join(instanceDir, jobId) : undefined)),
      facts: Stream.fromQueue(facts),
      observe: (units) =>
        Effect.sync(() => {
          // an entry whose server is gone counts too: its end is told as soon as it is taken over
          const keys = liveUnits.keys()
          return units.map((unit) => ({
            unit,
            status: keys.has(unitKey(unit)) ? ("Alive" as const) : ("Gone" as const)
          }))
        }),
      logs: logsIn(instanceDir, liveUnits, logWatch),
      ping: Effect.void
    }
  })

/** needs the callback secrets of units and the source of ids; fails when the base directory can not be used */
export const layer = (
  options: LocalRuntimeOptions
): Layer.Layer<Runtime, LocalRuntimeUnusable, UnitSecrets | Identifiers> => Layer.scoped(Runtime, make(options))
