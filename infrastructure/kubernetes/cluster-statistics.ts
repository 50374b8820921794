/** The figures of the cluster's client for whoever collects metrics. */
import { Effect, Layer } from "effect"
import { ClusterStatistics } from "../../application/ports/cluster-statistics.ts"
import { KubeClient } from "./client/client.ts"

export const layer: Layer.Layer<ClusterStatistics, never, KubeClient> = Layer.effect(
  ClusterStatistics,
  Effect.map(KubeClient, ({ activity }) => ({ activity }))
)
