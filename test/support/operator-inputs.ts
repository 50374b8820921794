/** Instances, platforms and definitions as tests of the operator's desired state need them. */
import { readdirSync, readFileSync } from "node:fs"
import { Either } from "effect"
import { decodeInstance, type Instance } from "../../domain/operator/custom-resource.ts"
import type { OfferedDefinition } from "../../domain/operator/definitions.ts"
import { readDefinition } from "../../infrastructure/kubernetes/manifests/definitions.ts"
import {
  type DesiredInstance,
  desiredInstance,
  type InstanceInput
} from "../../infrastructure/kubernetes/manifests/instance.ts"
import type { ManagedObject, Platform } from "../../infrastructure/kubernetes/manifests/managed.ts"

export const platform: Platform = {
  domain: "evald.internal",
  groups: { service: "evald.internal", platform: "infrastructure.opendatahub.io", tracker: "mlflow.kubeflow.org" },
  platformDomain: "opendatahub.io",
  queueDomain: "kueue.x-k8s.io",
  image: "registry.example/evald:0.1.0",
  namespace: "evald-system",
  serviceAccount: "evald-operator",
  rolePrefix: "evald-",
  defaultTlsMode: "Issued",
  securityProfile: "kubernetes"
}

/** a resource as it is stored: `spec` is what the user wrote */
export const customResource = (spec: unknown, { name = "evald", namespace = "team-services", uid = "uid-1" } = {}) => ({
  apiVersion: "evald.internal/v1alpha1",
  kind: "EvaluationService",
  metadata: { name, namespace, uid, generation: 1, creationTimestamp: "2026-11-20T10:00:00Z" },
  spec
})

/** throws what the schema says when it refuses */
export const instanceOf = (spec: unknown, id?: { name?: string; namespace?: string; uid?: string }): Instance =>
  Either.getOrThrowWith(decodeInstance(customResource(spec, id)), (problems) => new Error(problems.join("; ")))

export const sqlite = { database: { type: "sqlite" } } as const
export const postgresql = { database: { type: "postgresql", secret: "evald-db" } } as const

const config = new URL("../../config/", import.meta.url)
export const authRules = readFileSync(new URL("auth.yaml", config), "utf8")

/** the definitions that are shipped, as the operator's namespace offers them */
export const shippedDefinitions: ReadonlyArray<OfferedDefinition> = (["provider", "collection"] as const).flatMap(
  (kind) =>
    readdirSync(new URL(`${kind}s/`, config))
      .filter((file) => file.endsWith(".yaml"))
      .map((file) =>
        readDefinition(kind, readFileSync(new URL(`${kind}s/${file}`, config), "utf8"), {
          namespace: "evald-system",
          configMap: `evald-${kind}-${file}`,
          key: file
        })
      )
)

export const inputOf = (instance: Instance, more: Partial<InstanceInput> = {}): InstanceInput => ({
  platform,
  instance,
  authRules,
  definitions: [],
  shards: [{}, {}, {}, {}],
  certificates: { service: "CERTIFICATE" },
  apis: { serviceMonitor: false, route: false },
  ...more
})

export const desiredOf = (instance: Instance, more: Partial<InstanceInput> = {}): DesiredInstance =>
  Either.getOrThrowWith(desiredInstance(inputOf(instance, more)), (problems) => new Error(problems.join("; ")))

export const objectsOf = ({
  access,
  config: maps,
  deployment,
  serving
}: DesiredInstance): ReadonlyArray<ManagedObject> => [...access, ...maps, deployment, ...serving]

/** `Kind namespace/name`, sorted */
export const namesOf = (objects: ReadonlyArray<ManagedObject>): ReadonlyArray<string> =>
  objects
    .map(
      ({ kind, metadata: { name, namespace } }) => `${kind} ${namespace === undefined ? "" : `${namespace}/`}${name}`
    )
    .sort()
