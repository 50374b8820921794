/** Waiting for a cluster that is away. Reference: cluster-objects.md, "Launching". */
import { Effect, Random } from "effect"
import type { KubeError } from "./kube-error.ts"

const firstMillis = 500
const longestMillis = 60_000

/** full jitter, doubling to 60 s; what the cluster asked for counts when it is more */
export const backOffMillis = (failures: number, error: KubeError): Effect.Effect<number> =>
  Effect.map(Random.next, (random) =>
    Math.max(
      error.retryAfterMillis ?? 0,
      Math.round(random * Math.min(longestMillis, firstMillis * 2 ** Math.min(failures, 20)))
    )
  )
