/**
 * Who may reach whom. A policy judges pods: sidecar and adapter share one network namespace, so that only the sidecar's use of the model
 * is nothing a policy can say. Reference: operator.md, "Network policies".
 */
import type {
  V1NetworkPolicyEgressRule,
  V1NetworkPolicyIngressRule,
  V1NetworkPolicySpec
} from "@kubernetes/client-node"
import type { Instance } from "../../../domain/operator/custom-resource.ts"
import type { Manifest } from "../unit/manifest.ts"
import { type ManagedObject, managed, outside, own, type Place, podLabels } from "./managed.ts"
import { apiPort, tlsModeOf } from "./server-config.ts"

type Egress = Manifest<V1NetworkPolicyEgressRule>
type Ingress = Manifest<V1NetworkPolicyIngressRule>

const type = ["networking.k8s.io/v1", "NetworkPolicy"] as const

const tcp = (port: number) => ({ protocol: "TCP", port })

/** any name server: its address differs from cluster to cluster. OpenShift's own listens on 5353. */
const nameResolution = (profile: "kubernetes" | "openshift"): Egress => ({
  ports: (profile === "openshift" ? [53, 5353] : [53]).flatMap((port) => [{ protocol: "UDP", port }, tcp(port)])
})

const isV6 = (cidr: string): boolean => cidr.includes(":")

/** metadata services of clouds, which hand out credentials of the machine */
const metadataServices = ["169.254.0.0/16", "fd00:ec2::254/128"] as const

const anywhereBut = (denied: ReadonlyArray<string>) =>
  (["0.0.0.0/0", "::/0"] as const).map((cidr) => {
    const except = [...new Set(denied)].filter((one) => isV6(one) === isV6(cidr) && one !== cidr)
    return { ipBlock: { cidr, ...(except.length === 0 ? {} : { except }) } }
  })

const blocks = (cidrs: ReadonlyArray<string>) => cidrs.map((cidr) => ({ ipBlock: { cidr } }))

/** ingress and egress of the API's pods */
export const servicePolicy = (instance: Instance, place: Place): ManagedObject => {
  const { metrics, networkPolicy } = instance.spec
  const { domain, securityProfile } = place.platform
  const { clientNamespaces, metricsNamespaces, egress } = networkPolicy
  const api: Ingress = {
    ports: [tcp(apiPort(tlsModeOf(instance, place.platform)).port)],
    ...(clientNamespaces === undefined
      ? {}
      : {
          from: [
            { namespaceSelector: { matchLabels: clientNamespaces.matchLabels } },
            {
              namespaceSelector: {
                matchExpressions: [{ key: `${domain}/tenant`, operator: "In", values: ["", "true"] }]
              }
            }
          ]
        })
  }
  const scrape: Ingress = {
    ports: [tcp(metrics.port)],
    ...(metricsNamespaces === undefined
      ? {}
      : { from: [{ namespaceSelector: { matchLabels: metricsNamespaces.matchLabels } }] })
  }
  const spec: Manifest<V1NetworkPolicySpec> = {
    podSelector: { matchLabels: podLabels(instance) },
    policyTypes: egress === undefined ? ["Ingress"] : ["Ingress", "Egress"],
    ingress: [api, ...(metrics.enabled ? [scrape] : [])],
    ...(egress === undefined
      ? {}
      : { egress: [nameResolution(securityProfile), ...(egress.length === 0 ? [] : [{ to: blocks(egress) }])] })
  }
  return own(place, type, { name: instance.name, component: "api" }, { spec })
}

/** pods of this instance's jobs in one tenant: nobody reaches them, and they reach models but not the machines' metadata */
export const jobPolicy = (instance: Instance, place: Place, tenant: string): ManagedObject => {
  const { ports, allowCidrs, denyCidrs } = instance.spec.networkPolicy.jobs
  const { domain, securityProfile } = place.platform
  const spec: Manifest<V1NetworkPolicySpec> = {
    podSelector: {
      matchLabels: {
        "app.kubernetes.io/managed-by": "evald",
        [`${domain}/instance-name`]: instance.name,
        [`${domain}/instance-namespace`]: instance.namespace
      }
    },
    // without rules nobody comes in; an empty list would not be stored, so that every apply by another process would be a change
    policyTypes: ["Ingress", "Egress"],
    egress: [
      nameResolution(securityProfile),
      {
        to: [
          {
            namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": instance.namespace } },
            podSelector: { matchLabels: podLabels(instance) }
          }
        ],
        ports: [tcp(apiPort(tlsModeOf(instance, place.platform)).port)]
      },
      ...(ports.length === 0
        ? []
        : [
            {
              to: anywhereBut([...metadataServices, ...denyCidrs]),
              ports: [...new Set(ports)].sort((a, b) => a - b).map(tcp)
            }
          ]),
      ...(allowCidrs.length === 0 ? [] : [{ to: blocks(allowCidrs) }])
    ]
  }
  return managed(place, type, { name: outside(instance, "jobs"), namespace: tenant, component: "tenant" }, { spec })
}
