/** Labels and annotations of the objects of a benchmark, and whose objects they say they are. Reference: cluster-objects.md, "Labels and annotations". */
import type { Unit, UnitId } from "../../../application/ports/runtime.ts"
import type { KubeObject } from "../client/resources.ts"
import type { ClusterOptions } from "../cluster-options.ts"
import { sanitise } from "./names.ts"

type Texts = { readonly [name: string]: string }
type Owner = Pick<ClusterOptions, "domain" | "instance">

const managedBy = { "app.kubernetes.io/managed-by": "evald", "app.kubernetes.io/component": "benchmark" }

const instanceLabels = ({ domain, instance }: Owner): Texts => ({
  "app.kubernetes.io/managed-by": "evald",
  [`${domain}/instance-name`]: sanitise(instance.name),
  [`${domain}/instance-namespace`]: sanitise(instance.namespace)
})

/** selects everything of this instance */
export const instanceSelector = (owner: Owner): string =>
  Object.entries(instanceLabels(owner))
    .map(([name, value]) => `${name}=${value}`)
    .join(",")

export const labelsOf = (unit: Unit, owner: Owner): Texts => ({
  ...managedBy,
  ...instanceLabels(owner),
  [`${owner.domain}/job-id`]: sanitise(unit.jobId),
  [`${owner.domain}/benchmark-index`]: String(unit.index),
  [`${owner.domain}/attempt`]: String(unit.attempt),
  [`${owner.domain}/provider-id`]: sanitise(unit.benchmark.entry.providerId),
  [`${owner.domain}/benchmark-id`]: sanitise(unit.benchmark.entry.id)
})

export const annotationsOf = (unit: Unit, { domain, instance }: Owner): Texts => ({
  [`${domain}/job-id`]: unit.jobId,
  [`${domain}/provider-id`]: unit.benchmark.entry.providerId,
  [`${domain}/benchmark-id`]: unit.benchmark.entry.id,
  [`${domain}/tenant`]: unit.tenant,
  [`${domain}/instance`]: `${instance.namespace}/${instance.name}`
})

/** queue labels stand on the Job and on its pods */
export const queueLabels = (unit: Unit, queueDomain: string): Texts => {
  const { queue } = unit.benchmark.snapshot
  if (queue === undefined) return {}
  return {
    [`${queueDomain}/queue-name`]: queue.name,
    ...(queue.priorityClass === undefined ? {} : { [`${queueDomain}/priority-class`]: queue.priorityClass })
  }
}

/** made by this very instance? */
export const isOurs = ({ metadata }: KubeObject, owner: Owner): boolean =>
  Object.entries(instanceLabels(owner)).every(([name, value]) => metadata.labels?.[name] === value)

const count = (text: string | undefined): number | undefined =>
  text !== undefined && /^\d{1,6}$/.test(text) ? Number(text) : undefined

/** the unit an object was made for: ids from annotations, numbers from labels; undefined when it does not say */
export const unitOfObject = ({ metadata }: KubeObject, domain: string): UnitId | undefined => {
  const { labels = {}, annotations = {} } = metadata
  const [jobId, tenant] = [annotations[`${domain}/job-id`], annotations[`${domain}/tenant`] ?? metadata.namespace]
  const [index, attempt] = [count(labels[`${domain}/benchmark-index`]), count(labels[`${domain}/attempt`])]
  return jobId === undefined || tenant === undefined || index === undefined || attempt === undefined
    ? undefined
    : { tenant, jobId, index, attempt }
}
