/**
 * Makes a unit ready and starts it: directory, credentials, test data, job file, environment, log, process. Everything up to the start
 * may be interrupted; the start itself is one synchronous step. Reference: adapter-contract.md, "Job file", "Environment", "Local processes".
 */
import { type Clock, Effect, Redacted } from "effect"
import type { Unavailable } from "../../../application/errors.ts"
import type { LaunchRefused, Unit } from "../../../application/ports/runtime.ts"
import { renderJobSpec } from "../../../providers/contract/job-spec.ts"
import { defined } from "../../../values/defined.ts"
import { jobDocument } from "../../unit/job-document.ts"
import { refused } from "../../unit/launch-refused.ts"
import { lineShaper } from "../../unit/log-lines.ts"
import { environmentOf } from "../environment.ts"
import { writePrivate } from "../files/guarded-file.ts"
import { droppedBytes, openLog } from "../files/log-store.ts"
import type { LogWatch } from "../files/log-watch.ts"
import { createUnit, directoryOf, markLaunched, type UnitDirectory, unmarkLaunched } from "../files/unit-directory.ts"
import type { LocalRuntimeOptions } from "../local-options.ts"
import { lineFile, namedPipe, noting } from "../process/lasting-unit.ts"
import type { OutputPipes } from "../process/output-pipe.ts"
import type { ProcessNamespace } from "../process/process-namespace.ts"
import { type StartFailed, start, type UnitProcess } from "../process/unit-process.ts"
import { fromSystem } from "../system-failure.ts"

export interface Prepared {
  readonly unit: Unit
  readonly root: string
  readonly runId: string
  readonly command: string
  readonly environment: { readonly [name: string]: string }
  readonly secrets: ReadonlyArray<string>
  /** bytes that the log of an earlier attempt had left out */
  readonly dropped: number
  readonly namespace: ProcessNamespace | undefined
}

/** the variables that the unit's process starts with */
const variablesOf = (
  unit: Unit,
  { command, env }: NonNullable<Unit["benchmark"]["snapshot"]["runtime"]["local"]>,
  at: { readonly directory: UnitDirectory; readonly runId: string; readonly gateway: string },
  options: LocalRuntimeOptions
) => {
  const { traceparent, trackerWorkspace } = unit.request
  const { entry } = unit.benchmark
  const frameworkCommand = options.frameworks?.commandOf({ id: entry.providerId, command })
  return environmentOf(
    {
      ...at,
      jobId: unit.jobId,
      index: unit.index,
      hasTestData: entry.testData !== undefined,
      ...defined({ traceparent, trackerWorkspace, frameworkCommand }),
      provider: env ?? []
    },
    options.environment
  )
}

/** all that can take time or fail; leaves nothing running */
export const prepare = (
  unit: Unit,
  place: { readonly root: string; readonly runId: string; readonly callbackSecret: Redacted.Redacted },
  options: LocalRuntimeOptions
): Effect.Effect<Prepared, LaunchRefused | Unavailable> =>
  Effect.gen(function* () {
    const { root, runId } = place
    const local = unit.benchmark.snapshot.runtime.local
    if (local === undefined)
      return yield* Effect.fail(
        refused(
          "launch_failed",
          `Provider ${unit.benchmark.entry.providerId} has no command for local mode (runtime.local.command).`
        )
      )
    const base = yield* options.callbackBase
    const callbackSecret = Redacted.value(place.callbackSecret)
    const gateway = `${base}/cb/${callbackSecret}`
    const modelGateway = `${gateway}/model`
    const { auth } = unit.request.model
    const isBudgeted = unit.request.budget !== undefined || unit.benchmark.snapshot.budget !== undefined
    const needed = auth !== undefined || unit.request.resume === true
    // what nobody sees nobody can hold to a budget
    const proxied = isBudgeted || options.modelProxy === "always" || (options.modelProxy === "auto" && needed)
    const hasTestData = unit.benchmark.entry.testData !== undefined
    const directory = yield* Effect.try({ try: () => createUnit(root), catch: fromSystem("create unit directory") })
    const secrets =
      auth === undefined
        ? []
        : yield* options.modelAuth({ secretRef: auth.secretRef, gateway: modelGateway, directory: directory.modelAuth })
    if (hasTestData) {
      if (options.testData === undefined)
        return yield* Effect.fail(refused("launch_failed", "This server can not fetch test data in local mode."))
      yield* options.testData(unit, directory.testData)
    }
    const spec = jobDocument(
      unit,
      {
        callbackUrl: gateway,
        ...(proxied ? { modelGateway } : {}),
        outputDir: directory.results,
        ...(hasTestData ? { testDataDir: directory.testData } : {}),
        secretRef: () => `file://${directory.modelAuth}`,
        moveTestData: true,
        push: { host: new URL(base).host, prefix: `/cb/${callbackSecret}` }
      },
      options.document
    )
    yield* Effect.try({
      try: () => writePrivate(directory.jobFile, renderJobSpec(spec)),
      catch: fromSystem("write job file")
    })
    const hidden = [...secrets, ...options.redact].map(Redacted.value)
    const environment = variablesOf(unit, local, { directory, runId, gateway }, options)
    const namespace = yield* options.namespace ?? Effect.succeed(undefined)
    const dropped = yield* Effect.promise(() => droppedBytes(directory.log))
    return {
      unit,
      root,
      runId,
      command: local.command,
      environment,
      secrets: [callbackSecret, ...hidden],
      dropped,
      namespace
    }
  })

export interface Started {
  readonly process: UnitProcess
  /** writes what is left of the last line and closes the log */
  readonly closeLog: Effect.Effect<void>
}

/** the log of a unit while its output is captured; its secrets do not appear in it, and who follows it is woken */
export const capture = (
  root: string,
  { secrets, dropped }: Pick<Prepared, "secrets" | "dropped">,
  { logMaxBytes }: LocalRuntimeOptions,
  watch: LogWatch,
  clock: Clock.Clock
): { readonly onOutput: (chunk: Buffer) => void; readonly close: () => void } => {
  const directory = directoryOf(root).log
  const log = openLog(directory, logMaxBytes, () => clock.unsafeCurrentTimeMillis(), dropped)
  const shaper = lineShaper(secrets)
  return {
    onOutput: (chunk) => {
      log.write(shaper.push(chunk))
      watch.changed(directory)
    },
    close: () => {
      log.write(shaper.finish())
      log.close()
    }
  }
}

/** the start, in one step; afterwards the process exists and its output is captured */
export const startPrepared = (
  prepared: Prepared,
  options: LocalRuntimeOptions,
  { pipes, logWatch }: { readonly pipes: OutputPipes; readonly logWatch: LogWatch }
): Effect.Effect<Started | StartFailed, LaunchRefused | Unavailable> =>
  Effect.flatMap(Effect.clock, (clock: Clock.Clock) =>
    Effect.try({
      try: () => {
        const { root, command } = prepared
        const { onOutput, close } = capture(root, prepared, options, logWatch, clock)
        const { namespace } = prepared
        const lasts = options.adopt === true
        const pipe = lasts ? namedPipe(root) : pipes.take()
        // before the start: a start that is not remembered could happen twice
        markLaunched(root, prepared.unit.attempt)
        const process = start({
          text: lasts ? noting(command, root) : command,
          env: prepared.environment,
          cwd: directoryOf(root).work,
          limits: options.limits,
          ...defined({ priority: options.priority }),
          runId: prepared.runId,
          pipe,
          ...(namespace === undefined ? {} : { namespace, ...(lasts ? { leaderLine: lineFile(root) } : {}) }),
          onOutput
        })
        if ("_tag" in process) {
          close()
          unmarkLaunched(root, prepared.unit.attempt)
          return process
        }
        return { process, closeLog: Effect.sync(close) }
      },
      catch: fromSystem("start process")
    })
  )
