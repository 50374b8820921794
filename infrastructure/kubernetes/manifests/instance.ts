/** Everything that an instance consists of, as plain objects. Pure. Reference: operator.md, "Objects of an instance". */

import type { V1PersistentVolumeClaimSpec } from "@kubernetes/client-node"
import { Either } from "effect"
import type { Instance } from "../../../domain/operator/custom-resource.ts"
import type { OfferedDefinition } from "../../../domain/operator/definitions.ts"
import { defined } from "../../../values/defined.ts"
import type { Manifest } from "../unit/manifest.ts"
import { type Certificates, serviceCa, trackerCa } from "./certificates.ts"
import { configDefinition, definitionMaps, shardMaps } from "./definitions.ts"
import { deployment } from "./deployment.ts"
import {
  apiAccount,
  bindingContent,
  core,
  type InstanceId,
  inside,
  type ManagedObject,
  managed,
  outside,
  own,
  type Place,
  type Platform,
  rbac
} from "./managed.ts"
import { servicePolicy } from "./network-policies.ts"
import { configHash, configProblems, renderAuthRules, renderConfig, tlsModeOf, urlOf } from "./server-config.ts"
import { type OptionalApis, servingObjects } from "./serving.ts"

export interface InstanceInput {
  readonly platform: Platform
  readonly instance: Instance
  /** the packaged table of access rules (`config/auth.yaml`), as text */
  readonly authRules: string
  /** selected definitions of the installation */
  readonly definitions: ReadonlyArray<OfferedDefinition>
  /** definitions of tenants, by shard; empty without `spec.tenantDefinitions` */
  readonly shards: ReadonlyArray<{ readonly [key: string]: string }>
  readonly certificates: Certificates
  readonly apis: OptionalApis
}

/** objects by the step of a pass in which they are applied; a failure of one group does not stop a later one but the Deployment */
export interface DesiredInstance {
  readonly access: ReadonlyArray<ManagedObject>
  readonly config: ReadonlyArray<ManagedObject>
  readonly deployment: ManagedObject
  readonly serving: ReadonlyArray<ManagedObject>
  readonly hash: string
  readonly url: string
}

export const placeOf = (platform: Platform, instance: Instance): Place => ({
  platform,
  id: { name: instance.name, namespace: instance.namespace },
  uid: instance.uid
})

const accessObjects = (instance: Instance, place: Place): ReadonlyArray<ManagedObject> => {
  const { platform, id } = place
  const api: InstanceId = { name: apiAccount(id), namespace: id.namespace }
  const clusterRole = (name: string) => ({ kind: "ClusterRole" as const, name: `${platform.rolePrefix}${name}` })
  const bound = (role: string): ManagedObject =>
    own(
      place,
      rbac("RoleBinding"),
      { name: inside(id, role), component: "access" },
      bindingContent(clusterRole(role), api)
    )
  return [
    own(place, core("ServiceAccount"), { name: api.name, component: "access" }),
    managed(
      place,
      rbac("ClusterRoleBinding"),
      { name: outside(id, "auth-reviewer"), component: "access" },
      bindingContent(clusterRole("auth-reviewer"), api)
    ),
    bound("providers-access"),
    bound("collections-access"),
    managed(
      place,
      rbac("RoleBinding"),
      {
        name: outside(id, "hardware-profiles"),
        namespace: instance.spec.hardwareProfilesNamespace ?? id.namespace,
        component: "hardware-profiles",
        owned: (instance.spec.hardwareProfilesNamespace ?? id.namespace) === id.namespace
      },
      bindingContent(clusterRole("hardware-profiles-reader"), api)
    ),
    ...(tlsModeOf(instance, platform) === "Issued"
      ? [
          own(
            place,
            rbac("RoleBinding"),
            { name: inside(id, "tls-writer"), component: "access" },
            bindingContent(clusterRole("instance-tls"), {
              name: platform.serviceAccount,
              namespace: platform.namespace
            })
          )
        ]
      : [])
  ]
}

/** the claim outlives the resource unless it says otherwise */
const claim = (instance: Instance, place: Place): ReadonlyArray<ManagedObject> => {
  const { type, persistence } = instance.spec.database
  if (type !== "sqlite" || persistence?.enabled === false || persistence?.existingClaim !== undefined) return []
  const spec: Manifest<V1PersistentVolumeClaimSpec> = {
    accessModes: [persistence?.accessMode ?? "ReadWriteOnce"],
    resources: { requests: { storage: persistence?.size ?? "10Gi" } },
    ...defined({ storageClassName: persistence?.storageClassName })
  }
  return [
    own(
      place,
      core("PersistentVolumeClaim"),
      { name: inside(instance, "data"), component: "api", owned: persistence?.reclaim === "Delete" },
      { spec }
    )
  ]
}

/** Left: why `spec.config` can not be used, one sentence for each setting; then nothing may be changed */
export const desiredInstance = ({
  platform,
  instance,
  authRules,
  definitions,
  shards,
  certificates,
  apis
}: InstanceInput): Either.Either<DesiredInstance, ReadonlyArray<string>> => {
  const problems = configProblems(instance)
  if (problems.length > 0) return Either.left(problems)
  const place = placeOf(platform, instance)
  const config = renderConfig(instance, platform)
  const auth = renderAuthRules(authRules, platform)
  const mounted = definitions.map((one) => configDefinition(instance, one))
  const hash = configHash(instance, platform, { config, auth, definitions })
  const meta = (suffix: string) => ({
    name: inside(instance, suffix),
    namespace: instance.namespace,
    component: "config" as const,
    owned: true
  })
  return Either.right({
    access: accessObjects(instance, place),
    config: [
      managed(place, core("ConfigMap"), meta("config"), { data: { "config.yaml": config, "auth.yaml": auth } }),
      ...definitionMaps(place, mounted),
      ...(instance.spec.tenantDefinitions ? shardMaps(place, shards) : []),
      ...(tlsModeOf(instance, platform) === "Disabled"
        ? []
        : [serviceCa(instance, place, meta("service-ca"), certificates)]),
      ...(instance.spec.tracker?.caBundle === undefined ? [] : [trackerCa(place, meta("tracker-ca"), certificates)]),
      ...claim(instance, place)
    ],
    deployment: deployment(instance, place, mounted, hash),
    serving: [
      ...servingObjects(instance, place, apis, certificates.service),
      ...(instance.spec.networkPolicy.enabled ? [servicePolicy(instance, place)] : [])
    ],
    hash,
    url: urlOf(instance, platform)
  })
}
