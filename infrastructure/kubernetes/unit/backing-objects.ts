/**
 * Everything that a benchmark needs in the cluster, as documents, from its stored snapshot: the backing Job, its ConfigMap, and the
 * reference secret when there is something to hide. Pure: the same unit gives the same objects. Reference: cluster-objects.md, "Job and pod".
 */
import { createHash } from "node:crypto"
import type { V1JobSpec } from "@kubernetes/client-node"
import type { Unit } from "../../../application/ports/runtime.ts"
import { type AdapterSecret, needsInternalSecret } from "../../../domain/credentials/placeholders.ts"
import { canonicalJson } from "../../../values/canonical-json.ts"
import { defined } from "../../../values/defined.ts"
import { type PodDocuments, podDocuments } from "../client/documents.ts"
import type { KubeObject } from "../client/resources.ts"
import type { ClusterOptions } from "../cluster-options.ts"
import { annotationsOf, labelsOf, queueLabels } from "./identity.ts"
import type { Manifest } from "./manifest.ts"
import { backingName, refName, specName } from "./names.ts"
import { podSpec } from "./pod-spec.ts"

type Named = KubeObject & { readonly [member: string]: unknown }

export interface BackingObjects {
  readonly name: string
  readonly hash: string
  readonly job: Named
  readonly documents: PodDocuments
  /** created after the Job, owned by it */
  readonly dependants: (jobUid: string) => { readonly configMap: Named; readonly refSecret?: Named }
}

const jobDeadline = ({ timeouts, deadlineSlackSeconds }: ClusterOptions) =>
  timeouts.pendingSeconds === undefined || timeouts.benchmarkSeconds === undefined
    ? {}
    : { activeDeadlineSeconds: timeouts.pendingSeconds + timeouts.benchmarkSeconds + deadlineSlackSeconds }

const jobSpec = (
  unit: Unit,
  backing: string,
  options: ClusterOptions,
  modelSecret: AdapterSecret | undefined
): Manifest<V1JobSpec> => ({
  parallelism: 1,
  completions: 1,
  completionMode: "NonIndexed",
  backoffLimit: 0,
  ...jobDeadline(options),
  ...defined({ ttlSecondsAfterFinished: options.ttlSeconds }),
  podReplacementPolicy: "Failed",
  podFailurePolicy: {
    rules: [
      {
        action: options.onDisruption === "fail" ? "FailJob" : "Ignore",
        onPodConditions: [{ type: "DisruptionTarget", status: "True" }]
      }
    ]
  },
  template: {
    metadata: {
      labels: { ...labelsOf(unit, options), ...queueLabels(unit, options.queueDomain) },
      annotations: annotationsOf(unit, options)
    },
    spec: podSpec(unit, backing, options, modelSecret)
  }
})

/** `modelSecret`: the plan for the keys found in the user's model secret; undefined without `model.auth` */
export const backingObjects = (
  unit: Unit,
  options: ClusterOptions,
  modelSecret: AdapterSecret | undefined
): BackingObjects => {
  const name = unit.benchmark.backing?.name ?? backingName(options.namePrefix, unit)
  const documents = podDocuments(unit, options, modelSecret)
  const spec = jobSpec(unit, name, options, modelSecret)
  const references = modelSecret !== undefined && needsInternalSecret(modelSecret) ? modelSecret.references : undefined
  const hash = createHash("sha256")
    .update(canonicalJson({ job: spec, data: documents, keys: Object.keys(references ?? {}).sort() }))
    .digest("hex")
  const labels = labelsOf(unit, options)
  const annotations = { ...annotationsOf(unit, options), [`${options.domain}/spec-hash`]: hash }
  const owned = (own: string, uid: string) => ({
    name: own,
    namespace: unit.tenant,
    labels,
    annotations,
    ownerReferences: [{ apiVersion: "batch/v1", kind: "Job", name, uid }]
  })
  return {
    name,
    hash,
    documents,
    job: {
      apiVersion: "batch/v1",
      kind: "Job",
      metadata: {
        name,
        namespace: unit.tenant,
        labels: { ...labels, ...queueLabels(unit, options.queueDomain) },
        annotations
      },
      spec
    },
    dependants: (uid) => ({
      configMap: {
        apiVersion: "v1",
        kind: "ConfigMap",
        metadata: owned(specName(name), uid),
        immutable: true,
        data: documents
      },
      ...(references === undefined
        ? {}
        : {
            refSecret: {
              apiVersion: "v1",
              kind: "Secret",
              metadata: owned(refName(name), uid),
              type: "Opaque",
              immutable: true,
              stringData: references
            }
          })
    })
  }
}
