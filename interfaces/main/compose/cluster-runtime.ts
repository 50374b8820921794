/** The runtime of cluster mode from the settings, with its sweep. Reference: cluster-objects.md, "Job and pod", "Launching". */
import { Effect, Layer } from "effect"
import type { ChangeFeed } from "../../../application/ports/change-feed.ts"
import type { Identifiers } from "../../../application/ports/identifiers.ts"
import type { Leases } from "../../../application/ports/leases.ts"
import type { Runtime } from "../../../application/ports/runtime.ts"
import type { JobStore } from "../../../application/ports/stores/job-store.ts"
import type { UnitRecords } from "../../../application/ports/stores/unit-records.ts"
import { ConfigInvalid } from "../../../config/load.ts"
import type { Settings } from "../../../config/settings.ts"
import { KubeClient } from "../../../infrastructure/kubernetes/client/client.ts"
import type { PodProxy } from "../../../infrastructure/kubernetes/cluster-options.ts"
import * as ClusterRuntime from "../../../infrastructure/kubernetes/cluster-runtime.ts"
import * as ObserveByWatch from "../../../infrastructure/kubernetes/observe/observe-by-watch.ts"
import { standardObserving } from "../../../infrastructure/kubernetes/observe/observe-options.ts"
import { sidecarMode } from "../../../infrastructure/kubernetes/sidecar-mode.ts"
import * as Sweeper from "../../../infrastructure/kubernetes/unit/sweeper.ts"
import type { ClusterAccess } from "./cluster-access.ts"
import { clusterGraces, clusterOptions, clusterProblems } from "./cluster-options.ts"

/** refuses settings that no benchmark could run with */
export const clusterRuntime = (
  settings: Settings,
  { connection, client }: NonNullable<ClusterAccess["cluster"]>,
  proxy: PodProxy | undefined
): Layer.Layer<Runtime, ConfigInvalid, JobStore | ChangeFeed | Identifiers | Leases | UnitRecords> =>
  Layer.unwrapEffect(
    Effect.gen(function* () {
      const namespace = settings["runtime.k8s.namespace"] ?? connection.namespace
      const problems = clusterProblems(settings, namespace)
      if (problems.length > 0 || namespace === undefined) return yield* new ConfigInvalid({ problems: [...problems] })
      const mode = yield* Effect.catchAll(
        sidecarMode(yield* KubeClient, settings["runtime.k8s.sidecar_mode"]),
        (error) =>
          Effect.as(
            Effect.logWarning(`the version of the cluster is not known, native sidecars are assumed: ${error.message}`),
            "native" as const
          )
      )
      const options = clusterOptions(settings, namespace, mode, proxy)
      const observing = {
        ...standardObserving,
        ...options,
        graces: clusterGraces(settings),
        watchScope: settings["runtime.k8s.watch_scope"],
        resyncMillis: settings["runtime.k8s.resync_seconds"] * 1000
      }
      const runtime = ClusterRuntime.layer(options).pipe(Layer.provide(ObserveByWatch.layer(observing)))
      return Layer.merge(runtime, Sweeper.layer(options))
    })
  ).pipe(Layer.provide(client))
