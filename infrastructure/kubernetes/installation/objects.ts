/** Everything that is installed before the first instance: plain objects from one source. Reference: operator.md, "Installation". */

import type { V1Container, V1Deployment, V1NetworkPolicySpec } from "@kubernetes/client-node"
import { stringify } from "yaml"
import type { DefinitionKind } from "../../../domain/operator/definitions.ts"
import { defined } from "../../../values/defined.ts"
import { customResourceDefinition } from "../manifests/crd.ts"
import { confined, podSecurity } from "../manifests/deployment.ts"
import { bindingContent, type InstalledObject, type Platform, slug } from "../manifests/managed.ts"
import type { Manifest } from "../unit/manifest.ts"
import {
  operandRoles,
  operatorClusterRole,
  operatorName,
  operatorRole,
  type PolicyRule,
  type RoleSource
} from "./roles.ts"

type Texts = { readonly [name: string]: string }

export interface Installation extends Platform {
  /** pods of the operator: one leads, the others wait. A text stands for a number that is filled in later. */
  readonly replicas: number | string
  /** further variables of the operator */
  readonly env?: ReadonlyArray<{ readonly name: string; readonly value?: string }>
  readonly definitions: ReadonlyArray<ShippedDefinition>
}

export interface ShippedDefinition {
  readonly kind: DefinitionKind
  readonly id: string
  readonly text: string
}

const labels = (component: string): Texts => ({
  "app.kubernetes.io/name": "evald",
  "app.kubernetes.io/part-of": "evald",
  "app.kubernetes.io/component": component
})

const operatorPodLabels: Texts = labels("operator")

const ports = { health: 8081, metrics: 8080 } as const

const rbac = "rbac.authorization.k8s.io/v1"

/** a role as it is installed; one of a tenant has no namespace until somebody applies it there */
export const roleObject = (
  { name, kind, rules }: Omit<RoleSource, "reason"> & { readonly rules: ReadonlyArray<PolicyRule> },
  prefix: string
): InstalledObject => ({
  apiVersion: rbac,
  kind,
  metadata: { name: `${prefix}${name}`, labels: labels("roles") },
  rules
})

const namespaceObject = ({ namespace, securityProfile }: Installation): InstalledObject => ({
  apiVersion: "v1",
  kind: "Namespace",
  metadata: {
    name: namespace,
    labels: {
      ...labels("operator"),
      "pod-security.kubernetes.io/enforce": "restricted",
      ...(securityProfile === "openshift" ? { "openshift.io/cluster-monitoring": "true" } : {})
    }
  }
})

const crd = ({ groups }: Installation): InstalledObject => {
  const { metadata, ...rest } = customResourceDefinition(groups.service)
  return { ...rest, metadata: { ...metadata, labels: labels("definition") } }
}

const rbacObjects = (of: Installation): ReadonlyArray<InstalledObject> => {
  const account = { name: of.serviceAccount, namespace: of.namespace }
  const meta = (namespace?: string) => ({
    name: operatorName,
    ...defined({ namespace }),
    labels: labels("operator")
  })
  return [
    { apiVersion: "v1", kind: "ServiceAccount", metadata: { ...account, labels: labels("operator") } },
    { apiVersion: rbac, kind: "ClusterRole", metadata: meta(), rules: operatorClusterRole(of) },
    {
      apiVersion: rbac,
      kind: "ClusterRoleBinding",
      metadata: meta(),
      ...bindingContent({ kind: "ClusterRole", name: operatorName }, account)
    },
    { apiVersion: rbac, kind: "Role", metadata: meta(of.namespace), rules: operatorRole },
    {
      apiVersion: rbac,
      kind: "RoleBinding",
      metadata: meta(of.namespace),
      ...bindingContent({ kind: "Role", name: operatorName }, account)
    }
  ]
}

const configName = "evald-operator-config"

/** the names that server and operator share */
const config = (of: Installation): InstalledObject => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: configName, namespace: of.namespace, labels: labels("operator") },
  data: {
    "config.yaml": stringify({
      domain: of.domain,
      platform_domain: of.platformDomain,
      api_groups: of.groups,
      queue: { domain: of.queueDomain }
    })
  }
})

const container = (of: Installation): Manifest<V1Container> => {
  const own = (fieldPath: string) => ({ valueFrom: { fieldRef: { fieldPath } } })
  return {
    name: "operator",
    image: of.image,
    imagePullPolicy: "IfNotPresent",
    args: ["operator", "--configdir", "/etc/evald/config"],
    env: [
      { name: "EVALD_OPERATOR_IMAGE", value: of.image },
      { name: "EVALD_OPERATOR_NAMESPACE", ...own("metadata.namespace") },
      { name: "EVALD_OPERATOR_SERVICE_ACCOUNT", ...own("spec.serviceAccountName") },
      { name: "EVALD_OPERATOR_CLUSTER_ROLE_PREFIX", value: of.rolePrefix },
      { name: "EVALD_OPERATOR_DEFAULT_TLS_MODE", value: of.defaultTlsMode },
      { name: "EVALD_OPERATOR_SECURITY_PROFILE", value: of.securityProfile },
      { name: "EVALD_OPERATOR_HEALTH_PORT", value: String(ports.health) },
      { name: "EVALD_OPERATOR_METRICS_PORT", value: String(ports.metrics) },
      { name: "EVALD_POD_NAME", ...own("metadata.name") },
      ...(of.env ?? [])
    ],
    ports: [
      { name: "health", containerPort: ports.health },
      { name: "metrics", containerPort: ports.metrics }
    ],
    resources: { requests: { cpu: "50m", memory: "128Mi" }, limits: { cpu: "500m", memory: "256Mi" } },
    securityContext: { ...confined, capabilities: { drop: ["ALL"] } },
    startupProbe: { httpGet: { path: "/healthz", port: "health" }, periodSeconds: 2, failureThreshold: 60 },
    livenessProbe: {
      httpGet: { path: "/healthz", port: "health" },
      periodSeconds: 10,
      timeoutSeconds: 5,
      failureThreshold: 3
    },
    readinessProbe: {
      httpGet: { path: "/readyz", port: "health" },
      periodSeconds: 5,
      timeoutSeconds: 4,
      failureThreshold: 2
    },
    volumeMounts: [
      { name: "config", mountPath: "/etc/evald/config", readOnly: true },
      { name: "tmp", mountPath: "/tmp" }
    ]
  }
}

const deployment = (of: Installation): InstalledObject => {
  const spec: Omit<Manifest<V1Deployment>["spec"] & object, "replicas"> = {
    revisionHistoryLimit: 3,
    selector: { matchLabels: operatorPodLabels },
    template: {
      metadata: { labels: operatorPodLabels },
      spec: {
        serviceAccountName: of.serviceAccount,
        enableServiceLinks: false,
        terminationGracePeriodSeconds: 30,
        securityContext: podSecurity(of.securityProfile),
        topologySpreadConstraints: [
          {
            maxSkew: 1,
            topologyKey: "kubernetes.io/hostname",
            whenUnsatisfiable: "ScheduleAnyway",
            labelSelector: { matchLabels: operatorPodLabels }
          }
        ],
        containers: [container(of)],
        volumes: [
          { name: "config", configMap: { name: configName } },
          { name: "tmp", emptyDir: { sizeLimit: "64Mi" } }
        ]
      }
    }
  }
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: operatorName, namespace: of.namespace, labels: labels("operator") },
    spec: { replicas: of.replicas, ...spec }
  }
}

const beside = (of: Installation): ReadonlyArray<InstalledObject> => {
  const metadata = { name: operatorName, namespace: of.namespace, labels: labels("operator") }
  // what the operator reaches is the cluster's API, whose address is unknown
  const policy: Manifest<V1NetworkPolicySpec> = {
    podSelector: { matchLabels: operatorPodLabels },
    policyTypes: ["Ingress"],
    ingress: [{ ports: [ports.health, ports.metrics].map((port) => ({ protocol: "TCP", port })) }]
  }
  return [
    {
      apiVersion: "policy/v1",
      kind: "PodDisruptionBudget",
      metadata,
      spec: {
        maxUnavailable: 1,
        unhealthyPodEvictionPolicy: "AlwaysAllow",
        selector: { matchLabels: operatorPodLabels }
      }
    },
    {
      apiVersion: "v1",
      kind: "Service",
      metadata,
      spec: {
        clusterIP: "None",
        selector: operatorPodLabels,
        ports: [{ name: "metrics", port: ports.metrics, targetPort: "metrics", protocol: "TCP" }]
      }
    },
    { apiVersion: "networking.k8s.io/v1", kind: "NetworkPolicy", metadata, spec: policy }
  ]
}

const definitionMap = (of: Installation, { kind, id, text }: ShippedDefinition): InstalledObject => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: {
    name: `evald-${kind}-${slug(id)}`,
    namespace: of.namespace,
    labels: { ...labels("definitions"), [`${of.domain}/definition`]: kind }
  },
  data: { [`${id}.yaml`]: text }
})

/** by what a reader looks for; applied in this order */
export const installedObjects = (of: Installation) => ({
  namespace: [namespaceObject(of)],
  crd: [crd(of)],
  "operand-roles": operandRoles(of).map((role) => roleObject(role, of.rolePrefix)),
  "operator-rbac": rbacObjects(of),
  definitions: of.definitions.map((one) => definitionMap(of, one)),
  operator: [config(of), deployment(of), ...beside(of)]
})
export type InstalledGroup = keyof ReturnType<typeof installedObjects>
