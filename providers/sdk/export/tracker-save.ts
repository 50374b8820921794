/**
 * Logs one benchmark as a run of the job's experiment over the tracker's REST interface. Tokens are the gateway's business. A run that
 * was begun is closed whatever happens to the rest. Reference: adapter-contract.md, "Tracking".
 */
import { lstatSync } from "node:fs"
import { Clock, Console, Duration, Effect, type Scope } from "effect"
import { defined } from "../../../values/defined.ts"
import { type JsonObject, member, parseJson, textMember } from "../../../values/json.ts"
import type { JobSpec } from "../../contract/job-spec.ts"
import { makeHttpClient, type Reply } from "../http/http-exchange.ts"
import { ExportFailed, makePersistentClient, type PersistentClient } from "../http/persistent-exchange.ts"
import { artifactFiles } from "./oci-artifact.ts"
import { batches, runMetrics, runParams, runTags } from "./tracker-run.ts"

export interface TrackerOptions {
  /** address below which `/api/2.0/mlflow` lies, without trailing slash */
  readonly base: string
  /** only when the tracker has workspaces on: else it refuses the header */
  readonly workspace: string | undefined
  readonly folder: string
  readonly startedAtMillis: number
  readonly status: "FINISHED" | "FAILED"
  /** the terminal event as it will be sent */
  readonly event: JsonObject
  /** of all calls together */
  readonly limit: Duration.Duration
}

export interface SavedRun {
  readonly runId: string
  /** why something was left out; empty when all is there */
  readonly notes: ReadonlyArray<string>
}

/** `runId` when the run exists although saving failed */
export interface SaveFailure {
  readonly message: string
  readonly runId: string | undefined
}

const tryTimeout = Duration.seconds(30)
/** for closing a run whose content could not be saved */
const closeLimit = Duration.seconds(20)
const maxArtifactBytes = 64 * 1024 * 1024

interface Session {
  readonly client: PersistentClient
  readonly base: string
  readonly headers: { readonly [name: string]: string }
}

const askJson = (
  { client, base, headers }: Session,
  what: string,
  path: string,
  options: { readonly body?: JsonObject; readonly accept?: ReadonlyArray<number> } = {}
): Effect.Effect<Reply, ExportFailed> =>
  client.ask({
    what,
    method: options.body === undefined ? "GET" : "POST",
    url: new URL(`${base}/api/2.0/mlflow/${path}`),
    headers: {
      ...headers,
      accept: "application/json",
      ...(options.body === undefined ? {} : { "content-type": "application/json" })
    },
    ...(options.body === undefined ? {} : { body: JSON.stringify(options.body) }),
    ...defined({ accept: options.accept })
  })

const needed = (value: string | undefined, what: string): Effect.Effect<string, ExportFailed> =>
  value === undefined || value === ""
    ? new ExportFailed({ message: `the tracker's answer to ${what} lacks what is needed` })
    : Effect.succeed(value)

const codeOf = (reply: Reply): string | undefined => textMember(parseJson(reply.text), "error_code")

const findExperiment = (session: Session, name: string): Effect.Effect<string | undefined, ExportFailed> =>
  Effect.gen(function* () {
    const what = "the look for the experiment"
    const found = yield* askJson(session, what, `experiments/get-by-name?experiment_name=${encodeURIComponent(name)}`, {
      accept: [404]
    })
    if (found.status === 404) {
      if (codeOf(found) !== "RESOURCE_DOES_NOT_EXIST")
        return yield* new ExportFailed({ message: `the tracker answered 404 to ${what}; check its address` })
      return undefined
    }
    const experiment = member(parseJson(found.text), "experiment")
    const id = yield* needed(textMember(experiment, "experiment_id"), what)
    // a deleted experiment still answers, and takes no runs
    if (textMember(experiment, "lifecycle_stage") === "deleted")
      yield* askJson(session, "the restoring of the deleted experiment", "experiments/restore", {
        body: { experiment_id: id }
      })
    return id
  })

const experimentId = (session: Session, job: JobSpec, name: string): Effect.Effect<string, ExportFailed> =>
  Effect.gen(function* () {
    const known = yield* findExperiment(session, name)
    if (known !== undefined) return known
    const what = "the making of the experiment"
    const tags = job.tags === undefined ? {} : { tags: job.tags }
    const made = yield* askJson(session, what, "experiments/create", { body: { name, ...tags }, accept: [400] })
    if (made.status !== 400) return yield* needed(textMember(parseJson(made.text), "experiment_id"), what)
    if (codeOf(made) !== "RESOURCE_ALREADY_EXISTS")
      return yield* new ExportFailed({ message: `the tracker refused ${what} (${codeOf(made) ?? "400"})` })
    // somebody else was faster
    return yield* Effect.flatMap(findExperiment(session, name), (id) => needed(id, what))
  })

const begin = (
  session: Session,
  job: JobSpec,
  experiment: string,
  startedAt: number
): Effect.Effect<string, ExportFailed> =>
  Effect.gen(function* () {
    const what = "the start of the run"
    const body = {
      experiment_id: experiment,
      start_time: startedAt,
      run_name: `${job.id}_${job.benchmark_index}`,
      tags: runTags(job)
    }
    const made = yield* askJson(session, what, "runs/create", { body })
    return yield* needed(textMember(member(member(parseJson(made.text), "run"), "info"), "run_id"), what)
  })

/** `1/<run>/artifacts` of `mlflow-artifacts:/1/<run>/artifacts`; undefined for places that only the tracker's own clients reach */
const artifactRoot = (uri: string | undefined): string | undefined =>
  /^mlflow-artifacts:(?:\/\/[^/]*)?\/+(.+?)\/*$/.exec(uri ?? "")?.[1]

const filesToSave = (folder: string) => {
  const { files } = artifactFiles(folder)
  const chosen = files.filter(
    ({ name }) => name === "result.json" || name === "metrics.json" || name.startsWith("samples/")
  )
  return {
    files: chosen.filter(({ bytes }) => bytes <= maxArtifactBytes),
    tooLarge: chosen.filter(({ bytes }) => bytes > maxArtifactBytes)
  }
}

const saveFiles = (
  session: Session,
  runId: string,
  folder: string
): Effect.Effect<ReadonlyArray<string>, ExportFailed> =>
  Effect.gen(function* () {
    const run = yield* askJson(session, "the look at the run", `runs/get?run_id=${encodeURIComponent(runId)}`)
    const root = artifactRoot(textMember(member(member(parseJson(run.text), "run"), "info"), "artifact_uri"))
    if (root === undefined)
      return ["the tracker keeps artifacts where only its own client can write; result files were not uploaded to it"]
    const { files, tooLarge } = yield* Effect.try({
      try: () => filesToSave(folder),
      catch: (error) =>
        new ExportFailed({
          message: `the result files cannot be read: ${error instanceof Error ? error.message : String(error)}`
        })
    })
    for (const { name, path } of files) {
      const place = `${root}/${name}`.split("/").map(encodeURIComponent).join("/")
      yield* session.client.ask({
        what: `the upload of ${name}`,
        method: "PUT",
        url: new URL(`${session.base}/api/2.0/mlflow-artifacts/artifacts/${place}`),
        headers: { ...session.headers, "content-type": "application/octet-stream" },
        body: { path, bytes: lstatSync(path).size }
      })
    }
    return tooLarge.map(({ name, bytes }) => `${name} (${bytes} bytes) was too large for the tracker`)
  })

const close = (session: Session, runId: string, status: TrackerOptions["status"]) =>
  Effect.flatMap(Clock.currentTimeMillis, (now) =>
    askJson(session, "the end of the run", "runs/update", { body: { run_id: runId, status, end_time: now } })
  )

const sessionOf = (options: TrackerOptions, within: Duration.Duration): Effect.Effect<Session, never, Scope.Scope> =>
  Effect.map(makeHttpClient(), (http) => ({
    client: makePersistentClient(http, { peer: "the tracker", tryTimeout, limit: within }),
    base: options.base,
    headers: options.workspace === undefined ? {} : { "x-mlflow-workspace": options.workspace }
  }))

/** saves metrics, parameters and files as a run of `experiment` */
export const saveRun = (
  job: JobSpec,
  experiment: string,
  options: TrackerOptions
): Effect.Effect<SavedRun, SaveFailure> => {
  let runId: string | undefined
  const save = Effect.gen(function* () {
    const session = yield* sessionOf(options, options.limit)
    return yield* session.client.within(
      Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        const id = yield* begin(session, job, yield* experimentId(session, job, experiment), options.startedAtMillis)
        runId = id
        const parts = batches(runMetrics(options.event, now), runParams(job, options.event))
        for (const part of parts)
          yield* askJson(session, "the logging of metrics", "runs/log-batch", { body: { run_id: id, ...part } })
        const notes = yield* saveFiles(session, id, options.folder)
        yield* close(session, id, options.status)
        return { runId: id, notes }
      })
    )
  })
  /** an open run would look as if it were still at work */
  const closeFailed = Effect.gen(function* () {
    if (runId === undefined) return
    const session = yield* sessionOf(options, closeLimit)
    yield* session.client.within(close(session, runId, "FAILED"))
  }).pipe(Effect.catchAll(({ message }) => Console.error(`the run in the tracker stays open: ${message}`)))
  return Effect.scoped(
    Effect.catchAll(save, ({ message }) =>
      Effect.zipRight(
        closeFailed,
        Effect.suspend(() => Effect.fail({ message, runId } satisfies SaveFailure))
      )
    )
  )
}
