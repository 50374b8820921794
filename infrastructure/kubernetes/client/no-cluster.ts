/**
 * Cluster mode without a cluster: neither a service-account mount nor a kubeconfig. The server still listens; whatever needs the cluster
 * answers that it is not available, a new job too.
 */
import { Effect, Layer, Stream } from "effect"
import { Unavailable } from "../../../application/errors.ts"
import { AccessReview } from "../../../application/ports/access-review.ts"
import { ClusterStatistics } from "../../../application/ports/cluster-statistics.ts"
import { HardwareProfiles } from "../../../application/ports/hardware-profiles.ts"
import { Runtime } from "../../../application/ports/runtime.ts"

const noReview = (operation: string) => Effect.fail(new Unavailable({ peer: "review", operation }))
const noCluster = (operation: string) => Effect.fail(new Unavailable({ peer: "cluster", operation }))

export const layerAccessReview: Layer.Layer<AccessReview> = Layer.succeed(AccessReview, {
  identify: () => noReview("tokenReview"),
  allows: () => noReview("accessReview")
})

export const layerHardwareProfiles: Layer.Layer<HardwareProfiles> = Layer.succeed(HardwareProfiles, {
  find: () => noCluster("hardwareProfile")
})

export const layerStatistics: Layer.Layer<ClusterStatistics> = Layer.succeed(ClusterStatistics, {
  activity: Effect.succeed({ calls: [], waiting: [], unreadableLines: 0 })
})

export const layerRuntime: Layer.Layer<Runtime> = Layer.succeed(Runtime, {
  kind: "cluster",
  // a job that can never run is not accepted
  check: () => noCluster("check"),
  freeSlots: Effect.succeed(0),
  awaitSlot: Effect.never,
  backingName: () => undefined,
  launch: () => noCluster("launch"),
  stop: () => noCluster("stop"),
  stopJob: () => noCluster("stop"),
  facts: Stream.never,
  observe: () => noCluster("observe"),
  logs: () => noCluster("logs"),
  ping: noCluster("ping")
})
