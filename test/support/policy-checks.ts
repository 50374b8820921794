/** Policies over rendered manifests, P1 to P14: each says, one sentence per object, what is against it. */
import { isObject, listMember, member, textMember } from "../../values/json.ts"

export interface Checked {
  readonly kind: string
  readonly metadata: {
    readonly name: string
    readonly namespace?: string
    readonly labels?: { readonly [name: string]: string }
    readonly [member: string]: unknown
  }
  readonly [member: string]: unknown
}

interface Rule {
  readonly apiGroups: ReadonlyArray<string>
  readonly resources: ReadonlyArray<string>
  readonly verbs: ReadonlyArray<string>
  readonly resourceNames?: ReadonlyArray<string>
  readonly nonResourceURLs?: ReadonlyArray<string>
}

/** one line of the list of rights that are allowed, with subject and reason */
export interface AllowedRight {
  readonly role: string
  readonly group: string
  readonly resource: string
  readonly verbs: ReadonlyArray<string>
  readonly subject: string
  readonly reason: string
}

export interface World {
  readonly objects: ReadonlyArray<Checked>
  /** names of objects that are samples: users change them before they apply them */
  readonly samples?: ReadonlySet<string>
  readonly allowed?: ReadonlyArray<AllowedRight>
  /** a compose file */
  readonly compose?: unknown
}

type Policy = (world: World) => ReadonlyArray<string>

const nameOf = ({ kind, metadata }: Checked): string => `${kind} ${metadata.name}`
const roles = ({ objects }: World) => objects.filter(({ kind }) => kind === "ClusterRole" || kind === "Role")
const rulesOf = (role: Checked): ReadonlyArray<Rule> => listMember(role, "rules") as ReadonlyArray<Rule>
const shortName = ({ kind, metadata }: Checked): string => `${kind} ${metadata.name.replace(/^evald-/, "")}`

const perRule = (world: World, judge: (rule: Rule, role: Checked) => string | undefined): ReadonlyArray<string> =>
  roles(world).flatMap((role) =>
    rulesOf(role).flatMap((rule) => {
      const found = judge(rule, role)
      return found === undefined ? [] : [`${nameOf(role)}: ${found}`]
    })
  )

const wildcards: Policy = (world) =>
  perRule(world, ({ apiGroups, resources, verbs, nonResourceURLs = [] }) =>
    [...apiGroups, ...resources, ...verbs, ...nonResourceURLs].some((text) => text.includes("*"))
      ? "a wildcard"
      : undefined
  )

interface Right {
  readonly role: string
  readonly group: string
  readonly resource: string
  readonly verb: string
}
const text = ({ role, group, resource, verb }: Right): string => `${role}: ${verb} ${resource} of ${group}`

const allowList: Policy = (world) => {
  const { allowed } = world
  if (allowed === undefined) return []
  const known = new Set(
    allowed.flatMap(({ role, group, resource, verbs }) => verbs.map((verb) => text({ role, group, resource, verb })))
  )
  const given = new Set(
    roles(world)
      .filter(({ metadata }) => world.samples?.has(metadata.name) !== true && !metadata.name.includes("."))
      .flatMap((role) =>
        rulesOf(role).flatMap(({ apiGroups, resources, verbs }) =>
          apiGroups.flatMap((group) =>
            resources.flatMap((resource) =>
              verbs.map((verb) => text({ role: shortName(role), group: group === "" ? "core" : group, resource, verb }))
            )
          )
        )
      )
  )
  return [
    ...[...given].filter((one) => !known.has(one)).map((one) => `${one} is not in the list`),
    ...[...known].filter((one) => !given.has(one)).map((one) => `${one} is in the list and nobody has it`),
    ...allowed
      .filter(({ subject, reason }) => subject === "" || reason === "")
      .map(({ role, resource }) => `${role}: ${resource} has no subject or no reason`)
  ]
}

const mayTouchSecrets = ["evald-model-secret", "evald-instance-tls"]
const secrets: Policy = (world) =>
  perRule(world, ({ resources, verbs, resourceNames = [] }, { metadata }) => {
    if (!resources.includes("secrets")) return undefined
    if (verbs.includes("list") || verbs.includes("watch")) return "lists secrets"
    return mayTouchSecrets.includes(metadata.name) || resourceNames.length > 0 ? undefined : "touches any secret"
  })

const escalation: Policy = (world) =>
  perRule(world, ({ verbs, resourceNames = [] }) => {
    const found = verbs.find((verb) => verb === "escalate" || verb === "impersonate")
    if (found !== undefined) return found
    return verbs.includes("bind") && resourceNames.length === 0 ? "binds any role" : undefined
  })

const neverTouched = /^(pods\/(exec|attach|portforward|ephemeralcontainers)|nodes(\/.*)?|serviceaccounts\/token)$/
const powers: Policy = (world) =>
  perRule(world, ({ resources, verbs }) => {
    const found = resources.find((resource) => neverTouched.test(resource))
    if (found !== undefined) return `touches ${found}`
    return resources.includes("pods") && verbs.includes("create") ? "creates pods" : undefined
  })

const experiments = "mlflow.kubeflow.org experiments"
/** as the specification has them */
const specified: { readonly [role: string]: ReadonlyArray<string> } = {
  "evald-auth-reviewer": [
    "authentication.k8s.io tokenreviews create",
    "authorization.k8s.io subjectaccessreviews create"
  ],
  "evald-jobs-writer": ["batch jobs create", "batch jobs delete"],
  "evald-job-config": ["create", "get", "update", "delete"].map((verb) => ` configmaps ${verb}`),
  "evald-providers-access": ["evald.internal providers get"],
  "evald-collections-access": ["evald.internal collections get"],
  "evald-tracker-access": ["create", "get", "list", "update", "delete"].map((verb) => `${experiments} ${verb}`),
  "evald-tracker-jobs-access": ["create", "get", "list"].map((verb) => `${experiments} ${verb}`)
}
const specification: Policy = (world) =>
  roles(world).flatMap((role) => {
    const expected = specified[role.metadata.name]
    if (expected === undefined) return []
    const given = rulesOf(role).flatMap(({ apiGroups, resources, verbs }) =>
      apiGroups.flatMap((group) => resources.flatMap((resource) => verbs.map((verb) => `${group} ${resource} ${verb}`)))
    )
    return JSON.stringify([...given].sort()) === JSON.stringify([...expected].sort())
      ? []
      : [`${nameOf(role)}: its rights are not those of the specification`]
  })

const bindings: Policy = ({ objects }) =>
  objects
    .filter(({ kind }) => kind === "ClusterRoleBinding" || kind === "RoleBinding")
    .flatMap((binding) => {
      const role = textMember(member(binding, "roleRef"), "name") ?? ""
      const groups = listMember(binding, "subjects").filter(
        (subject) =>
          textMember(subject, "kind") === "Group" && textMember(subject, "name")?.startsWith("system:") === true
      )
      return [
        ...(binding.kind === "RoleBinding" || ["evald-operator", "evald-auth-reviewer"].includes(role)
          ? []
          : [`${nameOf(binding)}: binds ${role} in the whole cluster`]),
        ...groups.map(() => `${nameOf(binding)}: gives rights to a group of the system`)
      ]
    })

const podsOf = ({ objects }: World) =>
  objects.flatMap((object) => {
    const template = member(member(object, "spec"), "template")
    const pod = object.kind === "Pod" ? member(object, "spec") : member(template, "spec")
    return isObject(pod) ? [{ object, pod }] : []
  })
const containersOf = (pod: unknown) => [...listMember(pod, "initContainers"), ...listMember(pod, "containers")]

const containerFaults = (container: unknown): ReadonlyArray<string> => {
  const security = member(container, "securityContext")
  const capabilities = listMember(member(security, "capabilities"), "drop")
  const resources = member(container, "resources")
  return [
    ...(member(security, "allowPrivilegeEscalation") === false ? [] : ["may escalate"]),
    ...(member(security, "readOnlyRootFilesystem") === true ? [] : ["has a writable root"]),
    ...(member(security, "privileged") === true ? ["is privileged"] : []),
    ...(capabilities.includes("ALL") ? [] : ["keeps capabilities"]),
    ...(isObject(member(resources, "requests")) && isObject(member(resources, "limits"))
      ? []
      : ["has no requests or limits"]),
    ...(isObject(member(container, "readinessProbe")) && isObject(member(container, "livenessProbe"))
      ? []
      : ["has no probes"])
  ]
}

const pods: Policy = (world) =>
  podsOf(world).flatMap(({ object, pod }) => {
    const security = member(pod, "securityContext")
    const faults = [
      ...(member(security, "runAsNonRoot") === true ? [] : ["may run as root"]),
      ...(textMember(member(security, "seccompProfile"), "type") === "RuntimeDefault"
        ? []
        : ["has no seccomp profile"]),
      ...(["hostNetwork", "hostPID", "hostIPC"].some((name) => member(pod, name) === true)
        ? ["shares the host's namespaces"]
        : []),
      ...(listMember(pod, "volumes").some((volume) => member(volume, "hostPath") !== undefined)
        ? ["mounts the host"]
        : []),
      ...containersOf(pod).flatMap(containerFaults)
    ]
    return faults.map((fault) => `${nameOf(object)}: ${fault}`)
  })

const pinned = [
  ["app.kubernetes.io/component", "app.kubernetes.io/instance", "app.kubernetes.io/name"],
  ["app.kubernetes.io/component", "app.kubernetes.io/name", "app.kubernetes.io/part-of"]
].map((names) => JSON.stringify(names))
const selectors: Policy = ({ objects }) =>
  objects
    .filter(({ kind }) => kind === "Deployment")
    .flatMap((object) => {
      const labels = member(member(member(object, "spec"), "selector"), "matchLabels")
      const names = isObject(labels) ? Object.keys(labels).sort() : []
      return pinned.includes(JSON.stringify(names)) ? [] : [`${nameOf(object)}: selects by ${names.join(", ")}`]
    })

const isPinnedImage = (image: string): boolean =>
  /@sha256:[0-9a-f]{64}$/.test(image) || (/:[^/:]+$/.test(image) && !image.endsWith(":latest"))
const images: Policy = (world) =>
  podsOf(world).flatMap(({ object, pod }) =>
    containersOf(pod).flatMap((container) => {
      const image = textMember(container, "image") ?? ""
      return isPinnedImage(image) ? [] : [`${nameOf(object)}: image '${image}' has no version`]
    })
  )

const credential =
  /-----BEGIN [A-Z ]*PRIVATE KEY-----|\b(hf_[A-Za-z0-9]{20,}|sk-[A-Za-z0-9]{20,}|AKIA[0-9A-Z]{16}|eyJ[\w-]{10,}\.eyJ[\w-]{10,})|:\/\/[^\s/:@]+:(?!PASSWORD@)[^\s/:@]+@/
const secretValues: Policy = ({ objects, samples = new Set<string>() }) =>
  objects.flatMap((object) => [
    ...(object.kind === "Secret" && !samples.has(object.metadata.name) ? [`${nameOf(object)}: a Secret`] : []),
    ...(credential.test(JSON.stringify(object)) ? [`${nameOf(object)}: holds what looks like a credential`] : [])
  ])

const labels: Policy = ({ objects, samples = new Set<string>() }) =>
  objects
    .filter(({ metadata }) => !samples.has(metadata.name))
    .flatMap((object) => {
      const given = object.metadata.labels ?? {}
      const missing = ["name", "part-of", "component"]
        .map((name) => `app.kubernetes.io/${name}`)
        .filter((name) => given[name] === undefined)
      return missing.length === 0 ? [] : [`${nameOf(object)}: lacks ${missing.join(", ")}`]
    })

const aggregation: Policy = (world) =>
  roles(world)
    .filter(({ metadata }) => /tenant-(user|viewer)$/.test(metadata.name))
    .filter(
      (role) =>
        role["aggregationRule"] !== undefined ||
        Object.keys(role.metadata.labels ?? {}).some((name) => name.includes("aggregate-to"))
    )
    .map((role) => `${nameOf(role)}: is part of another role`)

const published: Policy = ({ compose }) => {
  const services = member(compose, "services")
  return Object.entries(isObject(services) ? services : {}).flatMap(([name, service]) =>
    listMember(service, "ports")
      .map((port) => (typeof port === "string" ? port : `${textMember(port, "host_ip") ?? ""}:${JSON.stringify(port)}`))
      .filter((port) => !/^(127\.0\.0\.1|\[::1\]):/.test(port))
      .map((port) => `${name}: publishes ${port} beyond loopback`)
  )
}

export const policies = {
  P1: wildcards,
  P2: allowList,
  P3: secrets,
  P4: escalation,
  P5: powers,
  P6: specification,
  P7: bindings,
  P8: pods,
  P9: selectors,
  P10: images,
  P11: secretValues,
  P12: labels,
  P13: aggregation,
  P14: published
} as const satisfies { readonly [id: string]: Policy }
export type PolicyId = keyof typeof policies

/** ids of the policies that something is against, each with its sentences */
export const violated = (world: World): { readonly [id in PolicyId]?: ReadonlyArray<string> } =>
  Object.fromEntries(
    Object.entries(policies)
      .map(([id, policy]) => [id, policy(world)] as const)
      .filter(([, found]) => found.length > 0)
  )
