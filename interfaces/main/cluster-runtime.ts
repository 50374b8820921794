/** The runtime of cluster mode from the settings, with its sweep. Contract: cluster 1, 2. */
import { Effect, Layer } from "effect"
import type { JobStore } from "../../application/ports/job-store.ts"
import type { Runtime } from "../../application/ports/runtime.ts"
import { ConfigInvalid } from "../../config/load.ts"
import type { Settings } from "../../config/settings.ts"
import { KubeClient } from "../../infrastructure/kubernetes/client.ts"
import * as ClusterRuntime from "../../infrastructure/kubernetes/cluster-runtime.ts"
import * as ObserveByList from "../../infrastructure/kubernetes/observe-by-list.ts"
import { sidecarMode } from "../../infrastructure/kubernetes/sidecar-mode.ts"
import * as Sweeper from "../../infrastructure/kubernetes/sweeper.ts"
import type { ClusterAccess } from "./cluster-access.ts"
import { clusterOptions, clusterProblems } from "./cluster-options.ts"

const observeEveryMillis = 2000

/** refuses settings that no benchmark could run with */
export const clusterRuntime = (
  settings: Settings,
  { connection, client }: NonNullable<ClusterAccess["cluster"]>
): Layer.Layer<Runtime, ConfigInvalid, JobStore> =>
  Layer.unwrapEffect(
    Effect.gen(function* () {
      const namespace = settings["runtime.k8s.namespace"] ?? connection.namespace
      const problems = clusterProblems(settings, namespace)
      if (problems.length > 0 || namespace === undefined) return yield* new ConfigInvalid({ problems: [...problems] })
      const mode = yield* Effect.catchAll(sidecarMode(yield* KubeClient, settings["runtime.k8s.sidecar_mode"]), (error) =>
        Effect.as(Effect.logWarning(`the version of the cluster is not known, native sidecars are assumed: ${error.message}`), "native" as const)
      )
      const options = clusterOptions(settings, namespace, mode)
      const runtime = ClusterRuntime.layer(options).pipe(Layer.provide(ObserveByList.layer({ ...options, everyMillis: observeEveryMillis })))
      return Layer.merge(runtime, Sweeper.layer(options))
    })
  ).pipe(Layer.provide(client))
