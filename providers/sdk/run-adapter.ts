/**
 * Runs an adapter as a process: reads the job file, reports progress, writes the result files, delivers the terminal event and ends with
 * the exit code that says what happened. Reference: adapter-contract.md, "Exit", "Delivery".
 */
import { randomUUID } from "node:crypto"
import { readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { Cause, Clock, Console, DateTime, Duration, Effect, Either, Exit, Fiber, Option, type Scope } from "effect"
import { defined } from "../../values/defined.ts"
import type { JsonObject } from "../../values/json.ts"
import { type JobSpec, readJobSpec } from "../contract/job-spec.ts"
import { type Adapter, AdapterError, type Results } from "./adapter.ts"
import { type EventChannel, makeCallbacks } from "./events/callbacks.ts"
import { completedEvent, type Ending, failedEvent, type Warning } from "./events/event-body.ts"
import { type Delivery, makeDelivery } from "./events/event-delivery.ts"
import { type Exported, exportResults, wantsExport } from "./export/export-results.ts"
import { environmentFile, fitEvent, metricsFile, writeResultFiles } from "./export/result-files.ts"
import { primaryFirst } from "./metric-order.ts"
import { makeSampleUpload, SampleSink, type SampleUpload } from "./sample-upload.ts"

const exitCodes = {
  completed: 0,
  failed: 1,
  jobFileInvalid: 64,
  capabilityMissing: 69,
  notDelivered: 75,
  stopped: 143
} as const
type ExitCode = (typeof exitCodes)[keyof typeof exitCodes]

export type Environment = { readonly [name: string]: string | undefined }

/** the adapter ends by itself this long before its limit, so that it can still say why */
const reserve = Duration.seconds(30)
const defaultCallbackSeconds = 600

/** for sample records without an answer, before the terminal event, and after it as long as they are taken */
const beforeEvent = Duration.seconds(15)
const afterEvent = Duration.seconds(20)
const capabilityCodes = new Set(["framework_missing", "benchmark_not_supported"])

const jobFilePath = (env: Environment) => env["EVALD_JOB_SPEC_PATH"] ?? env["EVALHUB_JOB_SPEC_PATH"] ?? "/meta/job.json"

/** a new number is a new format; absent is another server's file, read as ours without our keys */
const isKnownVersion = (job: JobSpec) => job.spec_version === undefined || job.spec_version === "1"

const readJob = (path: string): Either.Either<JobSpec, string> =>
  Either.try({
    try: () => readFileSync(path, "utf8"),
    catch: (cause) => `The job file ${path} cannot be read: ${cause instanceof Error ? cause.message : cause}`
  }).pipe(
    Either.flatMap((text) =>
      Either.mapLeft(
        readJobSpec(text),
        (problems) =>
          `The job file ${path} is invalid:\n${problems.map(({ path: at, message }) => `  ${at === "" ? "/" : at}: ${message}`).join("\n")}`
      )
    ),
    Either.filterOrLeft(
      isKnownVersion,
      (job) => `The job file ${path} has spec_version ${job.spec_version}; this adapter reads version 1.`
    )
  )

/** locally the job file is `<dir>/meta/job.json` and the spool `<dir>/spool`; in the cluster the sidecar keeps events */
const spoolDirOf = (env: Environment): string | undefined =>
  (env["EVALD_MODE"] ?? env["EVALHUB_MODE"]) === "local" ? join(dirname(dirname(jobFilePath(env))), "spool") : undefined

const resultFolder = (job: JobSpec, env: Environment) => job.output_dir ?? env["EVALD_OUTPUT_DIR"] ?? "/data/results"

/** a limit of a minute or less keeps half of it for the work */
const workTime = (seconds: number) =>
  Duration.max(Duration.subtract(Duration.seconds(seconds), reserve), Duration.seconds(seconds / 2))

/** the stack goes to the log, never onto the wire */
const internal = (cause: Cause.Cause<never>) => {
  const defect = Cause.squash(cause)
  const what = Cause.isInterruptedOnly(cause)
    ? "it interrupted itself"
    : defect instanceof Error
      ? defect.message
      : String(defect)
  return new AdapterError({
    code: "adapter_internal_error",
    message: `The adapter failed unexpectedly: ${what}. Its log has the details.`,
    retryable: false
  })
}

type Outcome =
  | { readonly _tag: "Completed"; readonly results: Results }
  | { readonly _tag: "Failed"; readonly error: AdapterError }
  | { readonly _tag: "Stopped" }

type Ended = Exclude<Outcome, { readonly _tag: "Stopped" }>

/** the evaluation itself: every way it can end becomes an outcome */
const evaluate = (
  adapter: Adapter,
  job: JobSpec,
  channel: EventChannel,
  upload: SampleUpload
): Effect.Effect<Outcome> => {
  const run = Effect.scoped(Effect.suspend(() => adapter.run(job, channel))).pipe(
    Effect.provideService(SampleSink, upload.sink)
  )
  const seconds = job.timeout_seconds
  const limited =
    seconds === undefined
      ? run
      : run.pipe(
          Effect.disconnect,
          Effect.timeoutFail({
            duration: workTime(seconds),
            onTimeout: () =>
              new AdapterError({
                code: "deadline_exceeded",
                message: `Stopped shortly before the time limit of ${seconds} s.`,
                retryable: true
              })
          })
        )
  const finished = limited.pipe(
    Effect.map(
      (results): Outcome => ({
        _tag: "Completed",
        results: { ...results, metrics: primaryFirst(results.metrics, job.primary_score?.metric) }
      })
    ),
    Effect.catchAll((error) => Effect.succeed<Outcome>({ _tag: "Failed", error })),
    // an interruption from outside does not come here: only what the adapter did to itself
    Effect.catchAllCause((cause) =>
      Effect.as(Console.error(Cause.pretty(cause)), { _tag: "Failed", error: internal(cause) } satisfies Outcome)
    )
  )
  return Effect.raceFirst(finished, Effect.as(channel.stopped, { _tag: "Stopped" } satisfies Outcome))
}

const endingWith = (warnings: ReadonlyArray<Warning>): Effect.Effect<Ending> =>
  Effect.map(DateTime.now, (now) => ({ completedAt: DateTime.formatIso(now), eventId: randomUUID(), warnings }))

const say = (outcome: Ended) =>
  outcome._tag === "Completed"
    ? Console.log(`completed: ${outcome.results.metrics.map(({ name, value }) => `${name}=${value}`).join(" ")}`)
    : Console.error(`failed: ${outcome.error.code}: ${outcome.error.message}`)

const eventOf = (
  job: JobSpec,
  outcome: Ended,
  ending: Ending,
  seconds: number,
  exported: Pick<Exported, "artifacts" | "members" | "notes">
): JsonObject => {
  if (outcome._tag === "Failed") return { ...failedEvent(job, outcome.error, ending), ...exported.members }
  const { results } = outcome
  const { artifacts, additionalInfo = {} } = results
  const notes = additionalInfo["notes"]
  const info = {
    duration_seconds: seconds,
    ...additionalInfo,
    ...(exported.notes.length === 0 ? {} : { notes: [...(Array.isArray(notes) ? notes : []), ...exported.notes] })
  }
  const all = { ...artifacts, ...exported.artifacts }
  return {
    ...completedEvent(
      job,
      { ...results, ...(Object.keys(all).length === 0 ? {} : { artifacts: all }), additionalInfo: info },
      ending
    ),
    ...exported.members
  }
}

const notExported: Exported = { artifacts: {}, members: {}, warnings: [], notes: [] }

const report = (
  adapter: Adapter,
  job: JobSpec,
  env: Environment,
  channel: EventChannel,
  delivery: Delivery,
  outcome: Ended,
  started: { readonly at: number; readonly wallMillis: number }
): Effect.Effect<ExitCode> =>
  Effect.gen(function* () {
    yield* say(outcome)
    const seconds = Math.round(performance.now() - started.at) / 1000
    const secondsLeft = () =>
      job.timeout_seconds === undefined
        ? Number.POSITIVE_INFINITY
        : Math.max(1, job.timeout_seconds - (performance.now() - started.at) / 1000)
    const results = outcome._tag === "Completed" ? outcome.results : undefined
    const folder = resultFolder(job, env)
    const write = (event: JsonObject) =>
      Effect.either(
        writeResultFiles(folder, {
          "result.json": { benchmark_status_event: event },
          ...(results === undefined ? {} : { "metrics.json": metricsFile(results) }),
          "environment.json": environmentFile(adapter, job, results)
        })
      )
    const ending = yield* endingWith([])
    const draft = eventOf(job, outcome, ending, seconds, notExported)
    let exported = notExported
    if (wantsExport(job)) {
      yield* channel.status({ phase: "persisting_artifacts" })
      // the exported result.json says nothing about its own export: its digest cannot be known before
      const written = yield* write(draft)
      const work = exportResults(job, {
        env,
        folder,
        completed: results !== undefined,
        completedAt: ending.completedAt,
        startedAtMillis: started.wallMillis,
        event: draft,
        secondsLeft: secondsLeft()
      })
      const finished = Either.isLeft(written)
        ? Option.some(notExported)
        : yield* Effect.raceFirst(Effect.asSome(work), Effect.as(channel.stopped, Option.none()))
      if (Option.isNone(finished)) return exitCodes.stopped
      exported = finished.value
    }
    const warnings = [...(yield* channel.close), ...exported.warnings]
    const event = eventOf(job, outcome, { ...ending, warnings }, seconds, exported)
    const written = yield* write(event)
    const unwritten = Either.isLeft(written)
      ? { code: "artifact_export_failed", message: `The result files cannot be written: ${written.left.message}` }
      : undefined
    if (unwritten !== undefined) yield* Console.error(unwritten.message)
    const sent =
      unwritten === undefined
        ? event
        : { ...event, warning_message: { message: unwritten.message, message_code: unwritten.code } }
    const allowed = Number(env["EVALD_CALLBACK_MAX_SECONDS"] ?? defaultCallbackSeconds)
    const limit = Duration.seconds(
      Math.min(Number.isFinite(allowed) && allowed > 0 ? allowed : defaultCallbackSeconds, secondsLeft())
    )
    const delivered = yield* delivery.deliverTerminal(fitEvent(sent), limit)
    if (delivered === "undelivered") return exitCodes.notDelivered
    if (outcome._tag === "Completed") return exitCodes.completed
    return capabilityCodes.has(outcome.error.code) ? exitCodes.capabilityMissing : exitCodes.failed
  })

const runJob = (adapter: Adapter, job: JobSpec, env: Environment): Effect.Effect<ExitCode, never, Scope.Scope> =>
  Effect.gen(function* () {
    const started = { at: performance.now(), wallMillis: yield* Clock.currentTimeMillis }
    const spoolDir = spoolDirOf(env)
    const delivery = yield* makeDelivery(job, spoolDir === undefined ? {} : { spoolDir })
    const channel = yield* makeCallbacks(job, delivery)
    if (!(yield* delivery.awaitGateway))
      yield* Console.error("The callback address accepts no connections; going on without it.")
    yield* channel.status({ phase: "initializing" })
    const upload = yield* makeSampleUpload(job, {
      results: resultFolder(job, env),
      post: delivery.attemptSamples,
      ...defined({ spoolDir })
    })
    const outcome = yield* evaluate(adapter, job, channel, upload)
    if (outcome._tag === "Stopped") return exitCodes.stopped
    // verdicts are made with the terminal event: what arrives before it counts in them
    const arrived = yield* upload.finish(beforeEvent)
    const code = yield* report(adapter, job, env, channel, delivery, outcome, started)
    if (!arrived) yield* upload.finish(afterEvent)
    return code
  })

/**
 * One run from the job file to the exit code. Interrupted, it cleans up and sends no terminal event. Never fails: a job file that
 * cannot be used is exit code 64 with the reasons on stderr.
 */
export const runAdapter = (adapter: Adapter, env: Environment = process.env): Effect.Effect<ExitCode> =>
  Effect.suspend(() =>
    Either.match(readJob(jobFilePath(env)), {
      onLeft: (problem) => Effect.as(Console.error(problem), exitCodes.jobFileInvalid),
      onRight: (job) => Effect.scoped(runJob(adapter, job, env))
    })
  )

/** clean-up after SIGTERM may take this long */
const graceMs = 9000

/** the whole life of an adapter's process: runs, obeys SIGTERM and SIGINT (exit 143, no terminal event), exits */
export const runAdapterProcess = (adapter: Adapter): void => {
  const fiber = Effect.runFork(runAdapter(adapter))
  const stop = () => {
    setTimeout(() => process.exit(exitCodes.stopped), graceMs).unref()
    Effect.runFork(Fiber.interrupt(fiber))
  }
  process.once("SIGTERM", stop)
  process.once("SIGINT", stop)
  fiber.addObserver((exit) => {
    const code = Exit.isSuccess(exit)
      ? exit.value
      : Cause.isInterruptedOnly(exit.cause)
        ? exitCodes.stopped
        : exitCodes.failed
    process.exit(code)
  })
}
