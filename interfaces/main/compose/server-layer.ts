/**
 * The server as one layer from its settings: the only place that chooses implementations. Local mode is the same composition with other
 * layers. Reference: configuration.md, "Settings"; adapter-contract.md, "Local processes".
 */

import { createHash } from "node:crypto"
import { existsSync, readFileSync } from "node:fs"
import { tmpdir, userInfo } from "node:os"
import { delimiter, dirname, join, resolve } from "node:path"
import { fileURLToPath } from "node:url"
import { Deferred, Effect, Either, Fiber, Layer, Redacted } from "effect"
import { parse } from "yaml"
import type { Unavailable } from "../../../application/errors.ts"
import { JobPolicy } from "../../../application/jobs/job-policy.ts"
import type { ChangeFeed } from "../../../application/ports/change-feed.ts"
import type { Identifiers } from "../../../application/ports/identifiers.ts"
import type { Leases } from "../../../application/ports/leases.ts"
import type { Runtime, UnitId } from "../../../application/ports/runtime.ts"
import { SecretReader } from "../../../application/ports/secret-reader.ts"
import { JobStore } from "../../../application/ports/stores/job-store.ts"
import type { UnitRecords } from "../../../application/ports/stores/unit-records.ts"
import type { UnitSecrets } from "../../../application/ports/stores/unit-secrets.ts"
import type { FetchTestData } from "../../../application/ports/test-data.ts"
import * as Workers from "../../../application/runtime/workers.ts"
import { SamplePolicy } from "../../../application/samples/add-samples.ts"
import * as ValidityOf from "../../../application/validity/validity-of.ts"
import { ConfigInvalid } from "../../../config/load.ts"
import type { Settings } from "../../../config/settings.ts"
import { isTerminal } from "../../../domain/job/benchmark-state.ts"
import type { WayOut } from "../../../domain/proxies.ts"
import { changeSignals } from "../../../infrastructure/catalog/change-signals.ts"
import * as FileCatalog from "../../../infrastructure/catalog/file-catalog.ts"
import type { ParsedTexts } from "../../../infrastructure/catalog/yaml-document.ts"
import * as NoCluster from "../../../infrastructure/kubernetes/client/no-cluster.ts"
import { modelAuth } from "../../../infrastructure/local/files/secret-files.ts"
import { stageTestData } from "../../../infrastructure/local/files/stage-test-data.ts"
import * as FrameworkProbe from "../../../infrastructure/local/framework-probe.ts"
import type { LocalRuntimeUnusable } from "../../../infrastructure/local/local-options.ts"
import * as LocalRuntime from "../../../infrastructure/local/local-runtime.ts"
import * as LocalSecrets from "../../../infrastructure/local/local-secrets.ts"
import { lowered } from "../../../infrastructure/local/process/priority.ts"
import * as ProcessNamespace from "../../../infrastructure/local/process/process-namespace.ts"
import { folderStorage } from "../../../infrastructure/objectstore/folder-storage.ts"
import * as Database from "../../../infrastructure/sql/database.ts"
import * as TracedRuntime from "../../../infrastructure/telemetry/traced-runtime.ts"
import { defined } from "../../../values/defined.ts"
import { packagedConfig } from "../../cli/config-directory.ts"
import type { AccessTable } from "../../http/access/access-table.ts"
import { readAccessTable } from "../../http/access/read-table.ts"
import * as ModelTraffic from "../../http/gateway/model-traffic.ts"
import * as UnitWitnesses from "../../http/gateway/unit-witnesses.ts"
import { Metrics } from "../../http/metrics/metrics.ts"
import * as MetricsListener from "../../http/metrics/metrics-listener.ts"
import * as ServerMetrics from "../../http/metrics/server-metrics.ts"
import * as HttpServer from "../../http/server.ts"
import { build } from "../build-info.ts"
import { authentication, authMode, PlanRefused } from "./caller-authentication.ts"
import {
  type ClusterAccess,
  clusterAccess,
  clusterPolicy,
  noClusterReminder,
  podBinding,
  withoutCluster
} from "./cluster-access.ts"
import { clusterRuntime } from "./cluster-runtime.ts"
import { isForgetful, type Serving, serving } from "./serving.ts"
import { telemetry } from "./telemetry.ts"
import { experimentTracker, resultTraffic, trackerReadiness } from "./tracking.ts"
import { validityLimits } from "./validity-limits.ts"
import { podProxy, podsLackCredentials, wayOut } from "./way-out.ts"

export interface ServerPlan {
  readonly settings: Settings
  readonly configDir: string
  readonly local: boolean
  /** the server's own environment; local adapters see an allow-list of it */
  readonly environment: Readonly<Record<string, string | undefined>>
  /** SIGHUP makes the server read its definition files again; by default it ends the process */
  readonly hangUpReloads?: boolean
  /** where benchmarks run, instead of that of the mode */
  readonly runtime?: Layer.Layer<Runtime>
}

const binaryDirectory = dirname(fileURLToPath(import.meta.url))

/** absent when running from sources, or when the build is older */
const parsedTexts = (): ParsedTexts => {
  const file = join(binaryDirectory, "parsed-definitions.json")
  return existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as ParsedTexts) : {}
}

const accessTable = (configDir: string) =>
  Effect.suspend(() => {
    const own = join(configDir, "auth.yaml")
    const file = existsSync(own) ? own : join(binaryDirectory, "..", "config", "auth.yaml")
    const table = Either.try({
      try: (): unknown => parse(readFileSync(file, "utf8")),
      catch: (error) => [`${file}: ${error instanceof Error ? error.message.split("\n", 1)[0] : "cannot be read"}`]
    }).pipe(
      Either.flatMap((value) =>
        Either.mapLeft(readAccessTable(value), (problems) => problems.map((problem) => `${file}: ${problem}`))
      )
    )
    return Either.isRight(table) ? Effect.succeed(table.right) : new ConfigInvalid({ problems: table.left })
  })

const storage = ({ settings }: ServerPlan) => {
  const url = settings["database.url"]
  return Database.layer({
    driver: settings["database.driver"],
    ...(url === undefined ? {} : { url }),
    poolSize: settings["database.pool_size"],
    statementTimeoutMillis: settings["database.statement_timeout_seconds"] * 1000,
    vendorAliases: settings["compat.vendor_aliases"]
  })
}

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

/** a server that never fetches test data does not read what speaks to storages */
const fetchTestDataOnDemand: FetchTestData = (request) =>
  Effect.flatMap(
    Effect.promise(() => import("../../../infrastructure/objectstore/download.ts")),
    ({ fetchTestData }) => fetchTestData(request)
  )

const localRuntime = (plan: ServerPlan, port: Deferred.Deferred<number>, way: WayOut) =>
  Layer.unwrapScoped(
    Effect.gen(function* () {
      const secrets = yield* SecretReader
      const store = yield* JobStore
      const { settings, environment } = plan
      const pathPrepend = [join(binaryDirectory, "bin"), dirname(process.execPath)].join(delimiter)
      const folders = settings["local.test_data_dir"]
      // tried once the start is over; the first launch waits for the answer
      const trying = yield* Effect.forkScoped(
        Effect.zipRight(Deferred.await(port), processNamespace(settings, environment["PATH"] ?? ""))
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
        namespace: Fiber.join(trying),
        ...defined({ priority: lowered(settings["local.nice"], environment["PATH"] ?? "") }),
        limits: {
          ...defined({ processes: settings["local.limits.processes"] }),
          ...defined({ openFiles: settings["local.limits.open_files"] }),
          ...defined({ fileSizeBytes: settings["local.limits.file_size_bytes"] }),
          ...defined({ addressSpaceBytes: settings["local.limits.address_space_bytes"] })
        },
        logMaxBytes: settings["local.log_max_bytes"],
        retainSeconds: settings["local.retain_seconds"],
        redact: [settings["database.url"], settings["tracker.token"], settings["local.token"]].flatMap((secret) =>
          secret === undefined ? [] : [secret]
        )
      })
    })
  )

const runtimeOf = (
  plan: ServerPlan,
  port: Deferred.Deferred<number>,
  cluster: ClusterAccess["cluster"],
  way: WayOut
): Layer.Layer<
  Runtime,
  LocalRuntimeUnusable | ConfigInvalid,
  UnitSecrets | Identifiers | SecretReader | JobStore | ChangeFeed | Leases | UnitRecords
> => {
  if (plan.runtime !== undefined) return plan.runtime
  if (plan.local) return localRuntime(plan, port, way)
  return cluster === undefined
    ? NoCluster.layerRuntime
    : clusterRuntime(plan.settings, cluster, podProxy(plan.settings, plan.environment, way))
}

const localSecrets = ({ settings, configDir }: ServerPlan) =>
  LocalSecrets.layer(resolve(settings["local.secrets_dir"] ?? join(configDir, "secrets")))

const fileCatalog = ({ settings, local, configDir, hangUpReloads }: ServerPlan) =>
  FileCatalog.layer({
    configDir,
    ...defined({ shippedDir: settings["catalog.shipped"] ? packagedConfig : undefined }),
    images: settings["providers.images"],
    ...defined({ embeddedImage: local ? undefined : settings["runtime.k8s.image"] }),
    parsedTexts: parsedTexts(),
    onError: settings["catalog.on_error"],
    ...defined({ tenantDir: settings["catalog.tenant_definitions_dir"] }),
    signals: changeSignals(configDir, {
      hangUp: hangUpReloads === true,
      ...defined({ tenantDir: settings["catalog.tenant_definitions_dir"] })
    })
  })

const jobPolicies = ({ settings, local }: ServerPlan, cluster: ClusterAccess["cluster"]) =>
  Layer.merge(
    Layer.succeed(JobPolicy, {
      trackerConfigured: settings["tracker.tracking_uri"] !== undefined,
      deferTrackerFailure: settings["compat.defer_tracker_failure"],
      ...(local ? {} : clusterPolicy(settings, cluster))
    }),
    Layer.succeed(SamplePolicy, { maxPerJob: settings["samples.max_per_job"], content: settings["samples.content"] })
  )

const workersOf = ({ settings, local }: ServerPlan, isIdle: boolean) => {
  const pendingSeconds = settings["timeouts.pending_seconds"] ?? (local ? 600 : 0)
  return Workers.layer({
    timeouts: {
      ...defined({ pendingSeconds: pendingSeconds > 0 ? pendingSeconds : undefined }),
      ...defined({
        benchmarkSeconds:
          settings["timeouts.benchmark_seconds"] > 0 ? settings["timeouts.benchmark_seconds"] : undefined
      })
    },
    graceMillis: settings["grace.exit_seconds"] * 1000,
    ...defined({ retainJobsDays: settings["retention.jobs_days"] > 0 ? settings["retention.jobs_days"] : undefined }),
    ...defined({
      retainSamplesDays: settings["samples.retention_days"] > 0 ? settings["samples.retention_days"] : undefined
    }),
    deferTrackerFailure: settings["compat.defer_tracker_failure"],
    ...(isIdle ? { runtime: "absent" as const } : {})
  })
}

const httpServer = ({ settings, local }: ServerPlan, host: string | undefined, access: AccessTable, served: Serving) =>
  HttpServer.layer({
    port: settings["service.port"],
    ...defined({ host: host }),
    grace: settings["service.shutdown_grace_seconds"] * 1000,
    maxHeadBytes: settings["service.max_head_bytes"],
    maxConnections: settings["service.max_connections"],
    streams: { all: settings["service.max_streams"], perTenant: settings["service.max_streams_per_tenant"] },
    access,
    local,
    ...served,
    settings: {
      maxBodyBytes: settings["service.max_body_bytes"],
      stallMillis: settings["service.request_timeout_seconds"] * 1000,
      lenient: settings["compat.lenient_unknown_fields"],
      reporting: {
        secretOnly: settings["local.require_callback_secret"],
        ...defined({ podBinding: local ? undefined : podBinding(settings) })
      },
      metricsEnabled: settings["metrics.enabled"],
      build
    }
  })

/** listens and works until its scope closes; provides the address */
export const layer = (plan: ServerPlan) =>
  Layer.unwrapScoped(
    Effect.gen(function* () {
      const { settings, local, configDir, environment } = plan
      const host = settings["service.host"] ?? (local ? "127.0.0.1" : undefined)
      const served = yield* Either.mapLeft(serving(settings, local), (message) => new PlanRefused({ message }))
      const way = yield* Either.mapLeft(
        wayOut(settings, environment),
        (problem) => new ConfigInvalid({ problems: [problem] })
      )
      if (!local && podsLackCredentials(settings, way))
        yield* Effect.logWarning(
          "the proxy has credentials, which pods do not get: name a Secret of theirs in runtime.k8s.proxy_secret"
        )
      const tracing = yield* Either.mapLeft(telemetry(settings, way), (message) => new PlanRefused({ message }))
      const access = yield* accessTable(configDir)
      const { cluster, reviews, profiles, statistics } = yield* local
        ? Effect.succeed(withoutCluster)
        : Effect.mapError(clusterAccess(settings, environment, way), ({ message }) => new PlanRefused({ message }))
      const authenticated = yield* authentication(settings, local, host, reviews)
      const port = yield* Deferred.make<number>()
      const isIdle = !local && cluster === undefined && plan.runtime === undefined
      if (isIdle) yield* noClusterReminder(authMode(settings, local))
      const validity = ValidityOf.layer(validityLimits(settings))
      const metricsPort = settings["metrics.enabled"] ? settings["metrics.port"] : undefined
      const metricsListener =
        metricsPort === undefined ? Layer.empty : Layer.discard(MetricsListener.layer({ port: metricsPort, host }))
      const announce = Layer.effectDiscard(
        Effect.flatMap(HttpServer.HttpAddress, (address) => Deferred.succeed(port, address.port))
      )
      return announce.pipe(
        Layer.provideMerge(httpServer(plan, host, access, served)),
        Layer.provide([metricsListener, ServerMetrics.layer]),
        Layer.provide(workersOf(plan, isIdle)),
        Layer.provide([
          authenticated,
          jobPolicies(plan, cluster),
          validity,
          trackerReadiness,
          ...(local ? [ModelTraffic.layer(way), resultTraffic(settings, way)] : [])
        ]),
        Layer.provide(local ? UnitWitnesses.layer : Layer.empty),
        Layer.provide(experimentTracker(settings, way)),
        Layer.provide(TracedRuntime.layer),
        Layer.provide(runtimeOf(plan, port, cluster, way)),
        Layer.provide(ServerMetrics.layerCountedJobs),
        Layer.provide([fileCatalog(plan), storage(plan), localSecrets(plan), profiles, statistics, Metrics.layer]),
        Layer.provide(tracing),
        Layer.provide(Metrics.layer)
      )
    })
  )
