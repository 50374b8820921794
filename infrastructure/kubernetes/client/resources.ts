/** Kinds of the Kubernetes API that evald reads and writes, their addresses, and the shape that all of their objects share. */
import type { V1ObjectMeta, V1OwnerReference } from "@kubernetes/client-node"
import { isObject } from "../../../values/json.ts"
import type { Manifest } from "../unit/manifest.ts"

export interface Resource {
  /** "" is the core group */
  readonly group: string
  readonly version: string
  readonly plural: string
  readonly kind: string
}

const core = (kind: string, plural: string): Resource => ({ group: "", version: "v1", plural, kind })

export const namespaces = core("Namespace", "namespaces")
export const pods = core("Pod", "pods")
export const configMaps = core("ConfigMap", "configmaps")
export const secrets = core("Secret", "secrets")
export const events = core("Event", "events")
export const serviceAccounts = core("ServiceAccount", "serviceaccounts")
export const jobs: Resource = { group: "batch", version: "v1", plural: "jobs", kind: "Job" }

/** path of the collection, or with `name` of one object; without `namespace` of the whole cluster */
export const pathOf = (resource: Resource, namespace: string | undefined, name?: string): string => {
  const root = resource.group === "" ? `/api/${resource.version}` : `/apis/${resource.group}/${resource.version}`
  const scope = namespace === undefined ? "" : `/namespaces/${encodeURIComponent(namespace)}`
  return `${root}${scope}/${resource.plural}${name === undefined ? "" : `/${encodeURIComponent(name)}`}`
}

export type OwnerReference = Manifest<V1OwnerReference>

/** every object has a name once it is stored */
export type ObjectMeta = Manifest<V1ObjectMeta> & { readonly name: string }

/** any object of the cluster; everything but the metadata is plain JSON that its reader checks */
export interface KubeObject {
  readonly apiVersion?: string
  readonly kind?: string
  readonly metadata: ObjectMeta
  readonly [member: string]: unknown
}

/** an object with a name; the cluster guarantees the types of the other metadata */
export const isKubeObject = (value: unknown): value is KubeObject => {
  const metadata = isObject(value) ? value["metadata"] : undefined
  return isObject(metadata) && typeof metadata["name"] === "string"
}
