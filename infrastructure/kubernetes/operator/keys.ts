/** What the operator works on: an instance, or what an instance has in one namespace. */
import type { KubeObject } from "../client/resources.ts"
import type { KeyRules } from "../controller/work-queue.ts"
import type { InstanceId } from "../manifests/managed.ts"

export interface Key {
  readonly instance: InstanceId
  /** absent: the instance itself */
  readonly tenant?: string
}

export const instanceName = ({ namespace, name }: InstanceId): string => `${namespace}/${name}`

export const keyRules: KeyRules<Key> = {
  nameOf: ({ instance, tenant }) => `${instanceName(instance)}${tenant === undefined ? "" : ` in ${tenant}`}`,
  rankOf: ({ tenant }) => (tenant === undefined ? 0 : 1),
  groupOf: ({ instance }) => instanceName(instance)
}

/** the instance that an object says it belongs to */
export const instanceOf = (domain: string, { metadata }: KubeObject): InstanceId | undefined => {
  const { labels = {} } = metadata
  const [name, namespace] = [labels[`${domain}/instance-name`], labels[`${domain}/instance-namespace`]]
  return name === undefined || namespace === undefined ? undefined : { name, namespace }
}

export const sameInstance = (left: InstanceId, right: InstanceId | undefined): boolean =>
  left.name === right?.name && left.namespace === right.namespace

/** lies in a tenant for the jobs there */
export const isTenantObject = ({ metadata }: KubeObject): boolean =>
  metadata.labels?.["app.kubernetes.io/component"] === "tenant"

/** the work that a change of a managed object means */
export const keyOfObject = (domain: string, object: KubeObject): Key | undefined => {
  const instance = instanceOf(domain, object)
  const { namespace } = object.metadata
  if (instance === undefined) return undefined
  return isTenantObject(object) && namespace !== undefined ? { instance, tenant: namespace } : { instance }
}
