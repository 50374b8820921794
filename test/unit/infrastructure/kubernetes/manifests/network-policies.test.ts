/** T0: who may reach whom, judged by an evaluator over a table of pods, addresses and ports. No network plug-in is shown by it. */
import { assert, describe, it } from "vitest"
import type { Platform } from "../../../../../infrastructure/kubernetes/manifests/managed.ts"
import { desiredTenant } from "../../../../../infrastructure/kubernetes/manifests/tenant.ts"
import {
  type Connection,
  type End,
  isLetThrough,
  type Network,
  type PodEnd
} from "../../../../support/network-policy.ts"
import { desiredOf, instanceOf, objectsOf, platform, sqlite } from "../../../../support/operator-inputs.ts"

const named = (name: string, more = {}) => ({ "kubernetes.io/metadata.name": name, ...more })
const namespaces = {
  "team-services": named("team-services"),
  "team-a": named("team-a", { "evald.internal/tenant": "" }),
  "team-b": named("team-b", { "evald.internal/tenant": "true" }),
  "team-no": named("team-no", { "evald.internal/tenant": "false" }),
  apps: named("apps", { clients: "yes" }),
  monitoring: named("monitoring"),
  models: named("models")
}

/** both policies of one instance, with the given `networkPolicy` */
const networkOf = (networkPolicy: unknown, more: object = {}, of: Platform = platform): Network => {
  const instance = instanceOf({ ...sqlite, networkPolicy, ...more })
  const all = [
    ...objectsOf(desiredOf(instance, { platform: of })),
    ...["team-a", "team-b"].flatMap((tenant) => desiredTenant({ platform: of, instance, tenant, certificates: {} }).all)
  ]
  return { policies: all.filter(({ kind }) => kind === "NetworkPolicy"), namespaces }
}

const pod = (namespace: string, labels: PodEnd["labels"] = {}, address = "10.1.0.9"): PodEnd => ({
  namespace,
  labels,
  address
})
const api = pod("team-services", {
  "app.kubernetes.io/name": "evald",
  "app.kubernetes.io/instance": "evald",
  "app.kubernetes.io/component": "api"
})
const jobLabels = {
  "app.kubernetes.io/managed-by": "evald",
  "evald.internal/instance-name": "evald",
  "evald.internal/instance-namespace": "team-services"
}
const job = pod("team-a", jobLabels)
const otherInstancesJob = pod("team-a", { ...jobLabels, "evald.internal/instance-name": "other" })
const at = (address: string): End => ({ address })
const model = pod("models", { app: "model" }, "10.1.0.20")

type Row = readonly [
  what: string,
  expected: boolean,
  from: End,
  to: End,
  port: number,
  protocol?: Connection["protocol"]
]
const judge = (network: Network, rows: ReadonlyArray<Row>) => {
  const wrong = rows.filter(
    ([, expected, from, to, port, protocol = "TCP"]) => isLetThrough(network, { from, to, port, protocol }) !== expected
  )
  assert.deepStrictEqual(
    wrong.map(([what, expected]) => `${what}: should be ${expected ? "let through" : "refused"}`),
    []
  )
}

describe("T0: the policy of the API", () => {
  it("lets anybody reach API and metrics by default, at no other port, and reaches anything itself", () => {
    judge(networkOf({}), [
      ["a tenant's job", true, job, api, 8443],
      ["a pod of any namespace", true, pod("apps"), api, 8443],
      ["somebody outside", true, at("203.0.113.7"), api, 8443],
      ["metrics", true, pod("monitoring"), api, 8081],
      ["the plain port", false, pod("apps"), api, 8080],
      ["another port", false, pod("apps"), api, 22],
      ["its database", true, api, at("10.9.0.5"), 5432],
      ["its tracker", true, api, at("198.51.100.4"), 5000]
    ])
  })

  it("with clientNamespaces lets in those and tenants, nobody else", () => {
    judge(networkOf({ clientNamespaces: { matchLabels: { clients: "yes" } } }), [
      ["a client", true, pod("apps"), api, 8443],
      ["a tenant labelled with nothing", true, pod("team-a"), api, 8443],
      ["a tenant labelled true", true, pod("team-b"), api, 8443],
      ["a namespace labelled false", false, pod("team-no"), api, 8443],
      ["another namespace", false, pod("monitoring"), api, 8443],
      ["somebody outside", false, at("203.0.113.7"), api, 8443],
      ["metrics stay open", true, pod("monitoring"), api, 8081]
    ])
  })

  it("with metricsNamespaces lets in those at the metrics port only; none is there when metrics are off", () => {
    const monitoring = { metricsNamespaces: { matchLabels: { "kubernetes.io/metadata.name": "monitoring" } } }
    judge(networkOf(monitoring), [
      ["monitoring", true, pod("monitoring"), api, 8081],
      ["a tenant", false, pod("team-a"), api, 8081],
      ["a tenant at the API", true, pod("team-a"), api, 8443]
    ])
    judge(networkOf({}, { metrics: { enabled: false } }), [["metrics", false, pod("monitoring"), api, 8081]])
  })

  it("follows the port of the TLS mode and that of metrics", () => {
    judge(networkOf({}, { tls: { mode: "Disabled" }, metrics: { port: 9100 } }), [
      ["plain", true, pod("apps"), api, 8080],
      ["with TLS", false, pod("apps"), api, 8443],
      ["metrics", true, pod("monitoring"), api, 9100],
      ["a job's way back", true, job, api, 8080]
    ])
  })

  it("with egress closes everything but the listed ranges and name resolution", () => {
    judge(networkOf({ egress: ["10.9.0.0/16", "2001:db8::/32"] }), [
      ["the database", true, api, at("10.9.0.5"), 5432],
      ["another of its range", true, api, at("2001:db8::7"), 443],
      ["somewhere else", false, api, at("198.51.100.4"), 443],
      ["name resolution", true, api, pod("kube-system"), 53, "UDP"]
    ])
    judge(networkOf({ egress: [] }), [
      ["anything", false, api, at("10.9.0.5"), 5432],
      ["name resolution", true, api, at("10.0.0.10"), 53]
    ])
  })
})

describe("T0: the policy of job pods", () => {
  it("nobody reaches them; they reach name servers, the API, 443 and 80, and no metadata of the machine", () => {
    judge(networkOf({}), [
      ["its own tenant", false, pod("team-a"), job, 8080],
      ["the API", false, api, job, 18_081],
      ["names over UDP", true, job, pod("kube-system"), 53, "UDP"],
      ["names over TCP", true, job, pod("kube-system"), 53],
      ["a name server on the node", true, job, at("169.254.20.10"), 53, "UDP"],
      ["the way back", true, job, api, 8443],
      ["the metrics of the API", false, job, api, 8081],
      ["a model elsewhere", true, job, at("198.51.100.4"), 443],
      ["a model over IPv6", true, job, at("2001:db8::7"), 443],
      ["plain http", true, job, at("198.51.100.4"), 80],
      ["a model of the cluster at 443", true, job, model, 443],
      ["a model of the cluster at 8000", false, job, model, 8000],
      ["a database", false, job, at("10.9.0.5"), 5432],
      ["metadata of a cloud", false, job, at("169.254.169.254"), 80],
      ["metadata over IPv6", false, job, at("fd00:ec2::254"), 80],
      ["another address of that range", true, job, at("fd00:ec2::253"), 80],
      ["other pods of the tenant are not concerned", true, pod("team-a"), at("10.9.0.5"), 5432],
      ["nor those of another instance's jobs", true, otherInstancesJob, at("10.9.0.5"), 5432]
    ])
  })

  it("ports, allowed and denied ranges widen and narrow it; what is denied stays denied at the ports", () => {
    const jobs = { ports: [443, 8000], allowCidrs: ["10.9.0.0/16"], denyCidrs: ["198.51.100.0/24", "2001:db8:1::/48"] }
    judge(networkOf({ jobs }), [
      ["a model at 8000", true, job, model, 8000],
      ["plain http is closed now", false, job, model, 80],
      ["an allowed range at any port", true, job, at("10.9.1.1"), 5432],
      ["a denied range", false, job, at("198.51.100.4"), 443],
      ["a denied range of IPv6", false, job, at("2001:db8:1::1"), 443],
      ["beside it", true, job, at("2001:db8:2::1"), 443],
      ["metadata stays denied", false, job, at("169.254.169.254"), 443]
    ])
  })

  it("is not there when switched off, with the other or by itself", () => {
    const rows: ReadonlyArray<Row> = [["a database", true, job, at("10.9.0.5"), 5432]]
    judge(networkOf({ jobs: { enabled: false } }), rows)
    judge(networkOf({ enabled: false }), [...rows, ["any port of the API", true, pod("apps"), api, 22]])
  })

  it("knows the port on which OpenShift's name servers listen", () => {
    const row: Row = ["names", true, job, pod("openshift-dns"), 5353, "UDP"]
    judge(networkOf({}, {}, { ...platform, securityProfile: "openshift" }), [row])
    judge(networkOf({}), [["names", false, job, pod("openshift-dns"), 5353, "UDP"]])
  })
})

describe("the evaluator itself", () => {
  const policy = (spec: object) => ({ kind: "NetworkPolicy", metadata: { namespace: "n" }, spec })
  const inNamespace: Network["namespaces"] = { n: {}, m: { a: "1" } }
  const through = (spec: object, from: End, to: End) =>
    isLetThrough({ policies: [policy(spec)], namespaces: inNamespace }, { from, to, port: 1 })

  it("an empty rule allows everything, no rule nothing, an empty selector selects all pods of the namespace", () => {
    assert.isTrue(through({ podSelector: {}, policyTypes: ["Ingress"], ingress: [{}] }, at("1.1.1.1"), pod("n")))
    assert.isFalse(through({ podSelector: {}, policyTypes: ["Ingress"], ingress: [] }, at("1.1.1.1"), pod("n")))
    assert.isTrue(through({ podSelector: {}, policyTypes: ["Ingress"], ingress: [] }, at("1.1.1.1"), pod("m")))
  })

  it("a pod selector alone means the policy's own namespace; with a namespace selector both must hold", () => {
    const own = {
      podSelector: {},
      policyTypes: ["Ingress"],
      ingress: [{ from: [{ podSelector: { matchLabels: { x: "y" } } }] }]
    }
    assert.isTrue(through(own, pod("n", { x: "y" }), pod("n")))
    assert.isFalse(through(own, pod("m", { x: "y" }), pod("n")))
    const both = {
      podSelector: {},
      policyTypes: ["Ingress"],
      ingress: [
        { from: [{ namespaceSelector: { matchLabels: { a: "1" } }, podSelector: { matchLabels: { x: "y" } } }] }
      ]
    }
    assert.isTrue(through(both, pod("m", { x: "y" }), pod("n")))
    assert.isFalse(through(both, pod("m"), pod("n")))
    assert.isFalse(through(both, pod("n", { x: "y" }), pod("n")))
  })
})
