/**
 * The server as one layer from its settings: the only place that chooses implementations. Local mode is the same composition with other
 * layers. Reference: configuration.md, "Settings"; adapter-contract.md, "Local processes".
 */

import { existsSync, readFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { Deferred, Effect, Either, Layer, Option, Redacted } from "effect"
import { parse } from "yaml"
import { JobPolicy } from "../../../application/jobs/job-policy.ts"
import * as TenantRoom from "../../../application/jobs/tenant-room.ts"
import type { ChangeFeed } from "../../../application/ports/change-feed.ts"
import type { Identifiers } from "../../../application/ports/identifiers.ts"
import type { Leases } from "../../../application/ports/leases.ts"
import type { Runtime } from "../../../application/ports/runtime.ts"
import type { SecretReader } from "../../../application/ports/secret-reader.ts"
import { Signer } from "../../../application/ports/signer.ts"
import type { JobStore } from "../../../application/ports/stores/job-store.ts"
import type { UnitRecords } from "../../../application/ports/stores/unit-records.ts"
import type { UnitSecrets } from "../../../application/ports/stores/unit-secrets.ts"
import * as Workers from "../../../application/runtime/workers.ts"
import { SamplePolicy } from "../../../application/samples/add-samples.ts"
import * as ValidityOf from "../../../application/validity/validity-of.ts"
import { ConfigInvalid, readSecret } from "../../../config/load.ts"
import type { WayOut } from "../../../domain/proxies.ts"
import type { TenantLimits } from "../../../domain/tenant/limits.ts"
import { changeSignals } from "../../../infrastructure/catalog/change-signals.ts"
import * as FileCatalog from "../../../infrastructure/catalog/file-catalog.ts"
import { type ParsedTexts, textDigest } from "../../../infrastructure/catalog/yaml-document.ts"
import * as NoCluster from "../../../infrastructure/kubernetes/client/no-cluster.ts"
import type { LocalRuntimeUnusable } from "../../../infrastructure/local/local-options.ts"
import * as LocalSecrets from "../../../infrastructure/local/local-secrets.ts"
import { signingWith } from "../../../infrastructure/signing/signing.ts"
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
import { localRuntime, requestLogs } from "./local-runtime.ts"
import { notifications } from "./notifications.ts"
import { binaryDirectory, type ServerPlan } from "./server-plan.ts"
import { type Serving, serving } from "./serving.ts"
import { telemetry } from "./telemetry.ts"
import { experimentTracker, resultTraffic, trackerReadiness } from "./tracking.ts"
import { validityLimits } from "./validity-limits.ts"
import { podProxy, podsLackCredentials, wayOut } from "./way-out.ts"

/** absent when running from sources, or when the build is older */
const parsedTexts = (): ParsedTexts => {
  const file = join(binaryDirectory, "parsed-definitions.json")
  return existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as ParsedTexts) : {}
}

const accessTable = (configDir: string, known: ParsedTexts) =>
  Effect.suspend(() => {
    const own = join(configDir, "auth.yaml")
    const file = existsSync(own) ? own : join(binaryDirectory, "..", "config", "auth.yaml")
    const table = Either.try({
      try: (): unknown => {
        const text = readFileSync(file, "utf8")
        return (known[textDigest(text)] ?? { value: parse(text) }).value
      },
      catch: (error) => [`${file}: ${error instanceof Error ? error.message.split("\n", 1)[0] : "cannot be read"}`]
    }).pipe(
      Either.flatMap((value) =>
        Either.mapLeft(readAccessTable(value), (problems) => problems.map((problem) => `${file}: ${problem}`))
      )
    )
    return Either.isRight(table) ? Effect.succeed(table.right) : new ConfigInvalid({ problems: table.left })
  })

/** the file of a mounted secret as it is now */
const rereadUrl = (file: string) =>
  Effect.sync(() => Option.map(Either.getRight(readSecret(file)), (text) => Redacted.make(text)))

const storage = ({ settings }: ServerPlan) => {
  const [url, file] = [settings["database.url"], settings.files["database.url"]]
  return Database.layer({
    driver: settings["database.driver"],
    ...defined({ url, reread: file === undefined ? undefined : rereadUrl(file) }),
    poolSize: settings["database.pool_size"],
    statementTimeoutMillis: settings["database.statement_timeout_seconds"] * 1000,
    vendorAliases: settings["compat.vendor_aliases"]
  })
}

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
  if (cluster === undefined) return NoCluster.layerRuntime
  // a server without a cluster does not load what runs pods
  return Layer.unwrapEffect(
    Effect.map(
      Effect.promise(() => import("./cluster-runtime.ts")),
      ({ clusterRuntime }) => clusterRuntime(plan.settings, cluster, podProxy(plan.settings, plan.environment, way))
    )
  )
}

const localSecrets = ({ settings, configDir }: ServerPlan) =>
  LocalSecrets.layer(resolve(settings["local.secrets_dir"] ?? join(configDir, "secrets")))

const fileCatalog = ({ settings, local, configDir, hangUpReloads }: ServerPlan, known: ParsedTexts) =>
  FileCatalog.layer({
    configDir,
    ...defined({ shippedDir: settings["catalog.shipped"] ? packagedConfig : undefined }),
    images: settings["providers.images"],
    ...defined({ embeddedImage: local ? undefined : settings["runtime.k8s.image"] }),
    parsedTexts: known,
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
      validityLimits: (tenant) => settings["validity.tenants"][tenant],
      budgets: (tenant) => {
        const of = (map: ServerPlan["settings"]["budgets.caps"]) => map[tenant] ?? map["*"]
        return defined({ defaults: of(settings["budgets.defaults"]), caps: of(settings["budgets.caps"]) })
      },
      price: (model) => settings.prices[model],
      requestLogVolume: settings["request_log.volume_claim"] !== undefined,
      ...(local ? {} : clusterPolicy(settings, cluster))
    }),
    Layer.succeed(SamplePolicy, { maxPerJob: settings["samples.max_per_job"], content: settings["samples.content"] })
  )

const tenantLimits = ({ settings }: ServerPlan): TenantLimits =>
  defined({
    maxRunning: settings["tenants.max_running"],
    maxQueued: settings["tenants.max_queued"],
    maxStoredBytes: settings["tenants.max_stored_bytes"]
  })

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
    maxRunningOfTenant: settings["tenants.max_running"],
    ...defined({ retainJobsDays: settings["retention.jobs_days"] > 0 ? settings["retention.jobs_days"] : undefined }),
    ...defined({
      retainSamplesDays: settings["samples.retention_days"] > 0 ? settings["samples.retention_days"] : undefined
    }),
    deferTrackerFailure: settings["compat.defer_tracker_failure"],
    ...(isIdle ? { runtime: "absent" as const } : {})
  })
}

const agentsMay = (settings: ServerPlan["settings"]) => {
  const tools = settings["mcp.allow_write"]
  const modelHosts = settings["mcp.model_hosts"]
  const writing =
    tools.length === 0
      ? undefined
      : { tools, modelHosts, ...defined({ unattended: settings["mcp.unattended_budget"] }) }
  return { content: settings["mcp.content"], ...defined({ writing }) }
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
    audit: settings["audit.enabled"],
    ...defined({ pages: settings["ui.enabled"] ? join(binaryDirectory, "ui") : undefined }),
    origins: settings["ui.origins"],
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
      ...(settings["mcp.enabled"] ? { mcp: agentsMay(settings) } : {}),
      build,
      about: {
        mode: local ? "local" : "cluster",
        ...defined({
          maxRunning: settings["tenants.max_running"],
          maxQueued: settings["tenants.max_queued"],
          maxStoredBytes: settings["tenants.max_stored_bytes"]
        })
      }
    }
  })

/** listens and works until its scope closes; provides the address */
export const layer = (plan: ServerPlan) =>
  Layer.unwrapScoped(
    Effect.gen(function* () {
      const { settings, local, configDir, environment } = plan
      const host = settings["service.host"] ?? (local ? "127.0.0.1" : undefined)
      const served = yield* Either.mapLeft(serving(settings, local), (message) => new PlanRefused({ message }))
      const signing = yield* Either.mapLeft(
        signingWith(settings["signing.key"]),
        (problem) => new ConfigInvalid({ problems: [problem] })
      )
      const way = yield* Either.mapLeft(
        wayOut(settings, environment),
        (problem) => new ConfigInvalid({ problems: [problem] })
      )
      if (!local && podsLackCredentials(settings, way))
        yield* Effect.logWarning(
          "the proxy has credentials, which pods do not get: name a Secret of theirs in runtime.k8s.proxy_secret"
        )
      const tracing = yield* Either.mapLeft(telemetry(settings, way), (message) => new PlanRefused({ message }))
      const known = parsedTexts()
      const access = yield* accessTable(configDir, known)
      const { cluster, reviews, profiles, placements, statistics } = yield* local
        ? Effect.succeed(withoutCluster)
        : Effect.mapError(clusterAccess(settings, environment, way), ({ message }) => new PlanRefused({ message }))
      const authenticated = yield* authentication(
        settings,
        local,
        host,
        reviews,
        clusterPolicy(settings, cluster).serviceAccount
      )
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
          TenantRoom.layer(tenantLimits(plan)),
          Layer.succeed(Signer, signing),
          validity,
          trackerReadiness,
          ...(local ? [ModelTraffic.layer(way), resultTraffic(settings, way)] : [])
        ]),
        Layer.provide(local ? Layer.merge(UnitWitnesses.layer, requestLogs(plan)) : Layer.empty),
        Layer.provide(experimentTracker(settings, way)),
        Layer.provide(notifications(settings, local, local ? undefined : clusterPolicy(settings, cluster).egress, way)),
        Layer.provide(TracedRuntime.layer),
        Layer.provide(runtimeOf(plan, port, cluster, way)),
        Layer.provide(ServerMetrics.layerCountedJobs),
        Layer.provide([
          fileCatalog(plan, known),
          storage(plan),
          localSecrets(plan),
          profiles,
          placements,
          statistics,
          Metrics.layer
        ]),
        Layer.provide(tracing),
        Layer.provide(Metrics.layer)
      )
    })
  )
