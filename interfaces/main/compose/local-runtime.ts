/** The local runtime from the settings: where its units lie, what adapters get, what holds them together. Reference: adapter-contract.md, "Local processes". */
import { createHash } from "node:crypto"
import { tmpdir, userInfo } from "node:os"
import { delimiter, dirname, join, resolve } from "node:path"
import { Deferred, Effect, Either, Fiber, Layer, Redacted } from "effect"
import type { Unavailable } from "../../../application/errors.ts"
import type { UnitId } from "../../../application/ports/runtime.ts"
import { SecretReader } from "../../../application/ports/secret-reader.ts"
import { JobStore } from "../../../application/ports/stores/job-store.ts"
import type { FetchTestData } from "../../../application/ports/test-data.ts"
import type { Settings } from "../../../config/settings.ts"
import { isTerminal } from "../../../domain/job/benchmark-state.ts"
import type { WayOut } from "../../../domain/proxies.ts"
import { modelAuth } from "../../../infrastructure/local/files/secret-files.ts"
import { stageTestData } from "../../../infrastructure/local/files/stage-test-data.ts"
import { prepareInstance } from "../../../infrastructure/local/files/unit-directory.ts"
import * as FrameworkProbe from "../../../infrastructure/local/framework-probe.ts"
import * as LocalRuntime from "../../../infrastructure/local/local-runtime.ts"
import { lowered } from "../../../infrastructure/local/process/priority.ts"
import * as ProcessNamespace from "../../../infrastructure/local/process/process-namespace.ts"
import { folderStorage } from "../../../infrastructure/objectstore/folder-storage.ts"
import { defined } from "../../../values/defined.ts"
import * as UnitRequestLogs from "../../http/gateway/unit-request-logs.ts"
import { binaryDirectory, type ServerPlan } from "./server-plan.ts"
import { isForgetful } from "./serving.ts"

/** servers on the same database file share unit directories, so that a restart finds what its predecessor left */
const instanceOf = ({ settings }: ServerPlan): string => {
  const url = settings["database.url"]
  return url === undefined || isForgetful(settings)
    ? `pid-${process.pid}`
    : createHash("sha256").update(Redacted.value(url)).digest("hex").slice(0, 16)
}

const baseDirectory = ({ settings }: ServerPlan): string =>
  resolve(settings["local.base_dir"] ?? join(tmpdir(), `evald-${userInfo().uid}`))

/** where the local runtime keeps one folder per job */
export const unitsFolder = (plan: ServerPlan): string => join(baseDirectory(plan), instanceOf(plan))

/** beside the units' folders, which are removed with their jobs */
const requestLogBase = (plan: ServerPlan): string =>
  resolve(plan.settings["request_log.dir"] ?? `${baseDirectory(plan)}-request-log`)

/** answers of models for jobs that may be resumed; nothing is kept where the folder can not be the server's own */
export const requestLogs = (plan: ServerPlan): Layer.Layer<never> => {
  const { settings } = plan
  const base = requestLogBase(plan)
  return Effect.try(() => prepareInstance(base, "answers")).pipe(
    Effect.map((directory) =>
      UnitRequestLogs.layer({
        directory,
        maxBytes: settings["request_log.max_bytes"],
        maxAgeMillis: settings["request_log.retention_days"] * 86_400_000,
        secret: settings["request_log.key"]
      })
    ),
    Effect.catchAll(({ error }) =>
      Effect.as(
        Effect.logError(`no answers of models are kept for jobs with 'resume': ${base} can not hold them`, error),
        Layer.empty
      )
    ),
    Layer.unwrapEffect
  )
}

/** a job that was removed is over as well */
const isOver =
  (store: JobStore["Type"]) =>
  ({ jobId, index }: UnitId): Effect.Effect<boolean, Unavailable> =>
    store.loadBenchmark(jobId, index).pipe(
      Effect.map(({ benchmark }) => isTerminal(benchmark.state)),
      Effect.catchTag("NotFound", () => Effect.succeed(true))
    )

/** what keeps the processes of local benchmarks together, or a word in the log that nothing does */
const processNamespace = (
  settings: Settings,
  path: string
): Effect.Effect<ProcessNamespace.ProcessNamespace | undefined> =>
  settings["local.process_namespace"] === "off"
    ? Effect.succeed(undefined)
    : Effect.flatMap(
        ProcessNamespace.find(path),
        Either.match({
          onRight: (found) => Effect.succeed<ProcessNamespace.ProcessNamespace | undefined>(found),
          onLeft: (reason) =>
            Effect.as(
              Effect.logInfo(
                `local benchmarks have no process namespace here (${reason}): one that hides a process may leave it behind`
              ),
              undefined
            )
        })
      )

const afterStartMillis = 1000

const retainedSeconds = (settings: Settings): number => {
  const days = settings["local.retention_days"]
  return days === undefined ? settings["local.retain_seconds"] : days * 86_400
}

/** a server that never fetches test data does not read what speaks to storages */
const fetchTestDataOnDemand: FetchTestData = (request) =>
  Effect.flatMap(
    Effect.promise(() => import("../../../infrastructure/objectstore/download.ts")),
    ({ fetchTestData }) => fetchTestData(request)
  )

export const localRuntime = (plan: ServerPlan, port: Deferred.Deferred<number>, way: WayOut) =>
  Layer.unwrapScoped(
    Effect.gen(function* () {
      const secrets = yield* SecretReader
      const store = yield* JobStore
      const { settings, environment } = plan
      const pathPrepend = [join(binaryDirectory, "bin"), dirname(process.execPath)].join(delimiter)
      const folders = settings["local.test_data_dir"]
      // tried when the first unit is launched, which waits for the answer, or a while after the start, which would share its processor with it
      const launched = yield* Deferred.make<void>()
      const trying = yield* Deferred.await(port).pipe(
        Effect.zipRight(Effect.race(Deferred.await(launched), Effect.sleep(afterStartMillis))),
        Effect.zipRight(processNamespace(settings, environment["PATH"] ?? "")),
        Effect.forkScoped
      )
      const frameworks = yield* FrameworkProbe.make({ commands: settings.frameworks, environment, pathPrepend })
      return LocalRuntime.layer({
        frameworks,
        baseDir: baseDirectory(plan),
        instance: instanceOf(plan),
        workers: settings["local.workers"],
        callbackBase: Effect.map(Deferred.await(port), (number) => `http://127.0.0.1:${number}`),
        modelAuth: modelAuth(secrets),
        testData: stageTestData(
          {
            fetch: fetchTestDataOnDemand,
            secrets,
            folders: folders === undefined ? undefined : folderStorage(resolve(folders)),
            way
          },
          { maxBytes: settings["test_data.max_bytes"], timeoutSeconds: settings["test_data.timeout_seconds"] }
        ),
        modelProxy: settings["local.model_proxy"],
        adopt: settings["local.adopt"],
        document: {
          ...defined({
            timeoutSeconds:
              settings["timeouts.benchmark_seconds"] > 0 ? settings["timeouts.benchmark_seconds"] : undefined
          }),
          samples: {
            write: settings["samples.write"],
            includeText: settings["samples.include_text"],
            upload: settings["samples.upload"]
          },
          legacyJobKeys: settings["compat.legacy_job_keys"]
        },
        environment: {
          inherited: environment,
          allow: settings["local.env_allow"],
          pathPrepend,
          adapterEnv: settings["compat.adapter_env"],
          tracked: settings["tracker.tracking_uri"] !== undefined,
          ociInsecure: settings["oci.insecure"],
          artifactNames: {
            ...defined({ artifactType: settings["oci.artifact_type"] }),
            ...defined({ annotationPrefix: settings["oci.annotation_prefix"] })
          }
        },
        linger: { millis: settings["local.linger_seconds"] * 1000, isOver: isOver(store) },
        namespace: Effect.zipRight(Deferred.succeed(launched, undefined), Fiber.join(trying)),
        ...defined({ priority: lowered(settings["local.nice"], environment["PATH"] ?? "") }),
        limits: {
          ...defined({ processes: settings["local.limits.processes"] }),
          ...defined({ openFiles: settings["local.limits.open_files"] }),
          ...defined({ fileSizeBytes: settings["local.limits.file_size_bytes"] }),
          ...defined({ addressSpaceBytes: settings["local.limits.address_space_bytes"] })
        },
        logMaxBytes: settings["local.log_max_bytes"],
        retainSeconds: retainedSeconds(settings),
        ...defined({ maxBytes: settings["local.max_bytes"] }),
        redact: [settings["database.url"], settings["tracker.token"], settings["local.token"]].flatMap((secret) =>
          secret === undefined ? [] : [secret]
        )
      })
    })
  )
