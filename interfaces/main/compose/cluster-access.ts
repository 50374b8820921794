/**
 * The cluster as the server uses it: found by the service-account mount of its pod or a kubeconfig, or absent, in which case the server
 * listens all the same and whatever needs the cluster is answered with 503. Reference: api.md, "Authentication".
 */
import { Effect, Layer, Schedule, type Scope } from "effect"
import type { AccessReview } from "../../../application/ports/access-review.ts"
import type { ClusterStatistics } from "../../../application/ports/cluster-statistics.ts"
import type { HardwareProfiles } from "../../../application/ports/hardware-profiles.ts"
import type { Placements } from "../../../application/ports/placements.ts"
import type { Settings } from "../../../config/settings.ts"
import type { PodBinding } from "../../../domain/access/reporting.ts"
import type { WayOut } from "../../../domain/proxies.ts"
import * as KubeAccessReview from "../../../infrastructure/kubernetes/access/access-review.ts"
import * as KubeClient from "../../../infrastructure/kubernetes/client/client.ts"
import type { KubeConnection } from "../../../infrastructure/kubernetes/client/connection.ts"
import * as NoCluster from "../../../infrastructure/kubernetes/client/no-cluster.ts"
import * as KubeStatistics from "../../../infrastructure/kubernetes/cluster-statistics.ts"
import * as KubeHardwareProfiles from "../../../infrastructure/kubernetes/hardware-profiles.ts"
import { findConnection } from "../../../infrastructure/kubernetes/kubeconfig/kubeconfig.ts"
import * as KubePlacements from "../../../infrastructure/kubernetes/placements.ts"
import { backingName, jobServiceAccount } from "../../../infrastructure/kubernetes/unit/names.ts"
import type { AuthMode } from "./caller-authentication.ts"
import { egressPolicy } from "./cluster-options.ts"

export interface ClusterAccess {
  /** undefined: no cluster was found */
  readonly cluster:
    | { readonly connection: KubeConnection; readonly client: Layer.Layer<KubeClient.KubeClient> }
    | undefined
  readonly reviews: Layer.Layer<AccessReview>
  readonly profiles: Layer.Layer<HardwareProfiles>
  /** nothing where there is no cluster */
  readonly placements: Layer.Layer<Placements> | Layer.Layer<never>
  readonly statistics: Layer.Layer<ClusterStatistics>
}

const withCluster = (connection: KubeConnection, settings: Settings): ClusterAccess => {
  // one layer value, hence one client however often it is provided
  const client = KubeClient.layer({
    connection,
    qps: settings["runtime.k8s.client.qps"],
    burst: settings["runtime.k8s.client.burst"]
  })
  const profiles = {
    namespace: settings["hardware_profiles.namespace"],
    group: settings["api_groups.platform"],
    platformDomain: settings.platform_domain
  }
  return {
    cluster: { connection, client },
    reviews: KubeAccessReview.layer({
      audiences: settings["auth.audiences"],
      allowSeconds: settings["auth.cache.allow_seconds"],
      refusedTokens: {
        perSource: settings["auth.refused_tokens.per_source"],
        total: settings["auth.refused_tokens.total"]
      }
    }).pipe(Layer.provide(client)),
    profiles: KubeHardwareProfiles.layer(profiles).pipe(Layer.provide(client)),
    placements: KubePlacements.layer({ ...profiles, queueDomain: settings["queue.domain"] }).pipe(
      Layer.provide(client)
    ),
    statistics: KubeStatistics.layer.pipe(Layer.provide(client))
  }
}

/** nothing of the cluster is there; in local mode nothing asks for it */
export const withoutCluster: ClusterAccess = {
  cluster: undefined,
  reviews: NoCluster.layerAccessReview,
  profiles: NoCluster.layerHardwareProfiles,
  placements: Layer.empty,
  statistics: NoCluster.layerStatistics
}

/** fails when cluster access is described and can not be used as described */
export const clusterAccess = (
  settings: Settings,
  environment: Readonly<Record<string, string | undefined>>,
  way: WayOut
) =>
  Effect.map(findConnection({ environment }), (connection) =>
    connection === undefined ? withoutCluster : withCluster({ ...connection, way }, settings)
  )

const consequence = (mode: AuthMode): string =>
  mode === "cluster"
    ? "guarded routes answer 503 review_unavailable"
    : "records can be read, POST jobs answers 503 cluster_unavailable, and the server is not ready"

/** says now and once an hour, until the scope closes, that neither a cluster was found nor local mode was asked for */
export const noClusterReminder = (mode: AuthMode): Effect.Effect<void, never, Scope.Scope> => {
  const told = Effect.logWarning(
    `no cluster access: ${consequence(mode)}. Set KUBECONFIG, or start with -local to run evaluations as local processes.`
  )
  return Effect.zipRight(told, Effect.asVoid(Effect.forkScoped(Effect.schedule(told, Schedule.spaced("1 hour")))))
}

/** what the cluster means for jobs: whose namespace is no tenant, as whom pods run, and where models may not be */
export const clusterPolicy = (settings: Settings, cluster: ClusterAccess["cluster"]) => {
  const namespace = settings["runtime.k8s.namespace"] ?? cluster?.connection.namespace
  const egress = egressPolicy(settings, cluster?.connection.server)
  if (namespace === undefined) return { egress }
  return {
    egress,
    ownNamespace: namespace,
    serviceAccount: jobServiceAccount({ name: settings["runtime.k8s.instance_name"], namespace })
  }
}

/** how events are held against the pods that send them; undefined: not at all */
export const podBinding = (settings: Settings): PodBinding | undefined => {
  const mode = settings["auth.callbacks.pod_binding"]
  if (mode === "off") return undefined
  return {
    required: mode === "required",
    backingName: (unit) => backingName(settings["runtime.k8s.name_prefix"], unit)
  }
}
