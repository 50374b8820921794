/** How the cluster is observed: plain values from the settings. Reference: cluster-objects.md, "Observing". */
import type { ClusterOptions } from "../cluster-options.ts"
import type { Graces } from "./judge/graces.ts"

export interface ObserveOptions
  extends Pick<
    ClusterOptions,
    | "domain"
    | "queueDomain"
    | "instance"
    | "podUid"
    | "onDisruption"
    | "terminationGraceSeconds"
    | "sidecarMode"
    | "lingerSeconds"
    | "timeouts"
    | "namePrefix"
  > {
  readonly graces: Graces
  /** `cluster` needs cluster-wide rights */
  readonly watchScope: "namespaces" | "cluster"
  readonly resyncMillis: number
  /** how often the store is asked which benchmarks are not terminal */
  readonly pollMillis: number
  readonly leaseMillis: number
  readonly renewMillis: number
}

export const standardObserving = {
  watchScope: "namespaces",
  resyncMillis: 600_000,
  pollMillis: 5000,
  leaseMillis: 15_000,
  renewMillis: 5000
} as const
