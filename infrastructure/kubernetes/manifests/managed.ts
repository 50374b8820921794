/** What every object of the operator has in common: names, labels, the mark of its instance. Reference: operator.md, "Names and labels". */
import { createHash } from "node:crypto"
import { isDnsLabel } from "../../../domain/dns-name.ts"
import { resourceNames } from "../../../domain/operator/custom-resource.ts"
import { defined } from "../../../values/defined.ts"
import type { OwnerReference } from "../client/resources.ts"

export type TlsMode = "Secret" | "ServiceCA" | "Issued" | "Disabled"

/** what the operator knows of itself and of its cluster: plain values of its settings, the same for all instances */
export interface Platform {
  /** prefix of labels and annotations (`domain`) */
  readonly domain: string
  readonly groups: { readonly service: string; readonly platform: string; readonly tracker: string }
  readonly platformDomain: string
  readonly queueDomain: string
  /** image of server, sidecar and init containers where a resource names none */
  readonly image: string
  /** namespace and service account of the operator */
  readonly namespace: string
  readonly serviceAccount: string
  /** first part of the names of the installed cluster roles */
  readonly rolePrefix: string
  readonly defaultTlsMode: TlsMode
  readonly securityProfile: "kubernetes" | "openshift"
}

export interface InstanceId {
  readonly name: string
  readonly namespace: string
}

export type Component = "api" | "config" | "access" | "tenant" | "hardware-profiles"

type Texts = { readonly [name: string]: string }

export interface InstalledObject {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: {
    readonly name: string
    readonly namespace?: string
    readonly labels: Texts
    readonly annotations?: Texts
  }
  readonly [member: string]: unknown
}

export interface ManagedObject extends InstalledObject {
  readonly metadata: InstalledObject["metadata"] & {
    readonly annotations: Texts
    readonly ownerReferences?: ReadonlyArray<OwnerReference>
  }
}

/** ConfigMaps that hold what tenants define */
export const shardCount = 4

export const fieldManager = "evald-operator"

export const finalizerOf = ({ groups }: Platform): string => `${groups.service}/cleanup`

/** an object in the instance's namespace: neither part holds a dot, so no two instances share a name */
export const inside = ({ name }: InstanceId, suffix: string): string => `${name}.${suffix}`

/** an object elsewhere: in a tenant, in the namespace of hardware profiles, or of the cluster */
export const outside = ({ name, namespace }: InstanceId, suffix: string): string => `${name}.${namespace}.${suffix}`

export const apiAccount = ({ name }: InstanceId): string => `${name}-api`
export const tlsSecret = ({ name }: InstanceId): string => `${name}-tls`
export const metricsService = ({ name }: InstanceId): string => `${name}-metrics`

const longestSlug = 40

/** a definition's id as a part of an object's name; a hash tells ids apart that had to be changed */
export const slug = (id: string): string => {
  if (id.length <= longestSlug && isDnsLabel(id)) return id
  const clean = id
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-|-$/g, "")
    .slice(0, longestSlug)
  return `${clean}-${createHash("sha256").update(id).digest("hex").slice(0, 6)}`.replace(/^-/, "")
}

/** selects everything of one instance, wherever it is */
export const instanceLabels = ({ domain }: Pick<Platform, "domain">, { name, namespace }: InstanceId): Texts => ({
  "app.kubernetes.io/managed-by": fieldManager,
  [`${domain}/instance-name`]: name,
  [`${domain}/instance-namespace`]: namespace
})

/** selects the pods of the API; a Deployment's selector can never be changed */
export const podLabels = ({ name }: InstanceId): Texts => ({
  "app.kubernetes.io/name": "evald",
  "app.kubernetes.io/instance": name,
  "app.kubernetes.io/component": "api"
})

const labelsFor = (platform: Pick<Platform, "domain">, id: InstanceId, component: Component): Texts => ({
  "app.kubernetes.io/name": "evald",
  "app.kubernetes.io/instance": id.name,
  "app.kubernetes.io/part-of": "evald",
  "app.kubernetes.io/component": component,
  ...instanceLabels(platform, id)
})

export interface Place {
  readonly platform: Platform
  readonly id: InstanceId
  /** uid of the resource, which owns what lies in its namespace */
  readonly uid: string
}

const ownerOf = ({ platform, id, uid }: Place): OwnerReference => ({
  apiVersion: `${platform.groups.service}/${resourceNames.version}`,
  kind: resourceNames.kind,
  name: id.name,
  uid,
  controller: true,
  blockOwnerDeletion: true
})

export interface Meta {
  readonly name: string
  readonly component: Component
  /** absent for an object of the cluster */
  readonly namespace?: string
  readonly labels?: Texts
  readonly annotations?: Texts
  /** goes when the resource goes; owners do not cross namespaces */
  readonly owned?: boolean
}

export const managed = (
  place: Place,
  [apiVersion, kind]: readonly [apiVersion: string, kind: string],
  { name, component, namespace, labels = {}, annotations = {}, owned = false }: Meta,
  content: { readonly [member: string]: unknown }
): ManagedObject => ({
  apiVersion,
  kind,
  metadata: {
    name,
    ...defined({ namespace }),
    labels: { ...labels, ...labelsFor(place.platform, place.id, component) },
    annotations: {
      ...annotations,
      [`${place.platform.domain}/instance`]: `${place.id.namespace}/${place.id.name}`
    },
    ...(owned ? { ownerReferences: [ownerOf(place)] } : {})
  },
  ...content
})

/** an object in the instance's own namespace */
export const own = (
  place: Place,
  type: readonly [string, string],
  meta: Omit<Meta, "namespace" | "owned"> & { readonly owned?: boolean },
  content: { readonly [member: string]: unknown } = {}
): ManagedObject => managed(place, type, { owned: true, ...meta, namespace: place.id.namespace }, content)

export const core = (kind: string) => ["v1", kind] as const
export const rbac = (kind: string) => ["rbac.authorization.k8s.io/v1", kind] as const

export const rbacGroup = "rbac.authorization.k8s.io"

/** binds a role of the installation, or with `role` one of the same namespace, to a service account */
export const bindingContent = (
  role: { readonly kind: "ClusterRole" | "Role"; readonly name: string },
  account: InstanceId
) => ({
  roleRef: { apiGroup: rbacGroup, kind: role.kind, name: role.name },
  subjects: [{ kind: "ServiceAccount", name: account.name, namespace: account.namespace }]
})
