/** The kinds that the fake serves. */
export interface Kind {
  readonly group: string
  readonly version: string
  readonly plural: string
  readonly kind: string
  readonly namespaced: boolean
}

const kind = (group: string, version: string, plural: string, name: string, namespaced = true): Kind => ({
  group,
  version,
  plural,
  kind: name,
  namespaced
})

export const namespaceKind = kind("", "v1", "namespaces", "Namespace", false)

export const standardKinds: ReadonlyArray<Kind> = [
  namespaceKind,
  kind("", "v1", "pods", "Pod"),
  kind("", "v1", "configmaps", "ConfigMap"),
  kind("", "v1", "secrets", "Secret"),
  kind("", "v1", "events", "Event"),
  kind("", "v1", "serviceaccounts", "ServiceAccount"),
  kind("batch", "v1", "jobs", "Job"),
  kind("infrastructure.opendatahub.io", "v1", "hardwareprofiles", "HardwareProfile"),
  kind("kueue.x-k8s.io", "v1beta1", "workloads", "Workload")
]

/** what is created and answered, and never stored */
export const reviewKinds: ReadonlyArray<Kind> = [
  kind("authentication.k8s.io", "v1", "tokenreviews", "TokenReview", false),
  kind("authorization.k8s.io", "v1", "subjectaccessreviews", "SubjectAccessReview", false)
]

export const apiVersionOf = ({ group, version }: Kind): string => (group === "" ? version : `${group}/${version}`)
