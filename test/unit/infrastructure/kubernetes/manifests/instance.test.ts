/** T0: the desired state of an instance. */
import { assert, describe, it } from "vitest"
import { textMember } from "../../../../../values/json.ts"
import {
  desiredOf,
  instanceOf,
  namesOf,
  objectsOf,
  platform,
  postgresql,
  shippedDefinitions,
  sqlite
} from "../../../../support/operator-inputs.ts"

/** a member of plain JSON by its path */
const at = (value: unknown, ...path: ReadonlyArray<string | number>): unknown =>
  path.reduce<unknown>(
    (inner, key) => (typeof inner === "object" && inner !== null ? Reflect.get(inner, key) : undefined),
    value
  )

const podOf = (spec: unknown, more = {}) => at(desiredOf(instanceOf(spec), more).deployment, "spec", "template", "spec")
const named = (list: unknown, name: string) =>
  (Array.isArray(list) ? list : []).find((item: unknown) => textMember(item, "name") === name)

describe("T0: the objects of an instance", () => {
  it("case 4: the smallest resource on sqlite gives exactly the objects that apply", () => {
    const desired = desiredOf(instanceOf(sqlite))
    const ns = "team-services"
    assert.deepStrictEqual(
      namesOf(objectsOf(desired)),
      [
        "ClusterRoleBinding evald.team-services.auth-reviewer",
        `ConfigMap ${ns}/evald.config`,
        `ConfigMap ${ns}/evald.service-ca`,
        ...[0, 1, 2, 3].map((shard) => `ConfigMap ${ns}/evald.tenant-definitions.${shard}`),
        `Deployment ${ns}/evald`,
        `NetworkPolicy ${ns}/evald`,
        `PersistentVolumeClaim ${ns}/evald.data`,
        `RoleBinding ${ns}/evald.collections-access`,
        `RoleBinding ${ns}/evald.providers-access`,
        `RoleBinding ${ns}/evald.team-services.hardware-profiles`,
        `RoleBinding ${ns}/evald.tls-writer`,
        `Service ${ns}/evald`,
        `Service ${ns}/evald-metrics`,
        `ServiceAccount ${ns}/evald-api`
      ].sort()
    )
    assert.deepStrictEqual(at(desired.deployment, "spec", "strategy"), { type: "Recreate" })
    const claim = desired.config.find(({ kind }) => kind === "PersistentVolumeClaim")
    assert.isUndefined(claim?.metadata.ownerReferences)
    assert.strictEqual(desired.url, "https://evald.team-services.svc:8443")
  })

  it("case 4: everything in the own namespace but a kept claim belongs to the resource, nothing elsewhere does", () => {
    const desired = desiredOf(instanceOf({ ...sqlite, hardwareProfilesNamespace: "profiles" }))
    for (const { kind, metadata } of objectsOf(desired)) {
      const expected = metadata.namespace === "team-services" && kind !== "PersistentVolumeClaim"
      assert.strictEqual(metadata.ownerReferences !== undefined, expected, `${kind} ${metadata.name}`)
    }
    const claim = desiredOf(
      instanceOf({ database: { type: "sqlite", persistence: { reclaim: "Delete" } } })
    ).config.find(({ kind }) => kind === "PersistentVolumeClaim")
    assert.lengthOf(claim?.metadata.ownerReferences ?? [], 1)
  })

  it("case 5: three replicas on postgresql with an Ingress, a tracker and traces", () => {
    const spec = {
      ...postgresql,
      replicas: 3,
      expose: { type: "Ingress", host: "evald.example" },
      tracker: { uri: "https://tracker.example", caBundle: { name: "tracker-root" } },
      otel: { exporterEndpoint: "collector.observability:4318" }
    }
    const definitions = shippedDefinitions.filter(({ id }) => id === "evald" || id === "lm_evaluation_harness")
    assert.isAtLeast(definitions.length, 2)
    const desired = desiredOf(instanceOf(spec), { definitions, certificates: { service: "A", tracker: "B" } })
    const names = namesOf(objectsOf(desired))
    for (const name of [
      "PodDisruptionBudget team-services/evald",
      "Ingress team-services/evald",
      "ConfigMap team-services/evald.tracker-ca",
      "ConfigMap team-services/evald.provider.evald",
      "ConfigMap team-services/evald.provider.lm-evaluation-harness-81ca3a"
    ])
      assert.include(names, name)
    assert.notInclude(names.join(), "PersistentVolumeClaim")
    const pod = podOf(spec, { definitions })
    assert.strictEqual(at(pod, "topologySpreadConstraints", 0, "whenUnsatisfiable"), "ScheduleAnyway")
    assert.strictEqual(at(named(at(pod, "volumes"), "database"), "projected", "defaultMode"), 0o444)
    const sources = at(named(at(pod, "volumes"), "config"), "projected", "sources")
    assert.deepStrictEqual(
      (Array.isArray(sources) ? sources : []).flatMap((source) => at(source, "configMap", "items", 0, "path")),
      ["config.yaml", "providers/evald.yaml", "providers/lm_evaluation_harness.yaml"]
    )
    // no Secret is made, and none is asked for by value
    assert.notInclude(names.join(), "Secret ")
    const variables = at(pod, "containers", 0, "env")
    assert.notInclude(JSON.stringify(variables), "secretKeyRef")
  })

  it("case 6: each TLS mode has its volumes, annotations, ports and address, and nothing of another", () => {
    const shown = (tls: unknown) => {
      const desired = desiredOf(instanceOf({ ...sqlite, tls }))
      const service = desired.serving.find(({ kind, metadata }) => kind === "Service" && metadata.name === "evald")
      const pod = at(desired.deployment, "spec", "template", "spec")
      const ca = desired.config.find(({ metadata }) => metadata.name === "evald.service-ca")
      return {
        secret: at(named(at(pod, "volumes"), "tls"), "secret", "secretName"),
        scheme: at(pod, "containers", 0, "livenessProbe", "httpGet", "scheme"),
        port: at(pod, "containers", 0, "ports", 0, "containerPort"),
        asked: at(service, "metadata", "annotations", "service.beta.openshift.io/serving-cert-secret-name"),
        ca: ca === undefined ? "none" : at(ca, "data"),
        injected: at(ca, "metadata", "annotations", "service.beta.openshift.io/inject-cabundle"),
        writer: desired.access.some(({ metadata }) => metadata.name === "evald.tls-writer"),
        url: desired.url
      }
    }
    const https = { scheme: "HTTPS", port: 8443, url: "https://evald.team-services.svc:8443" }
    const plain = { asked: undefined, injected: undefined, writer: false }
    const ca = { "service-ca.crt": "CERTIFICATE" }
    assert.deepStrictEqual(shown({ mode: "Secret", secretName: "mine" }), { ...https, ...plain, secret: "mine", ca })
    assert.deepStrictEqual(shown({ mode: "ServiceCA" }), {
      ...https,
      ...plain,
      secret: "evald-tls",
      asked: "evald-tls",
      ca: undefined,
      injected: "true"
    })
    assert.deepStrictEqual(shown({ mode: "Issued" }), { ...https, ...plain, secret: "evald-tls", ca, writer: true })
    assert.deepStrictEqual(shown({ mode: "Disabled" }), {
      ...plain,
      secret: undefined,
      scheme: "HTTP",
      port: 8080,
      ca: "none",
      url: "http://evald.team-services.svc:8080"
    })
  })

  it("the pods pass the restricted level and run as the image's user, or on OpenShift as the platform says", () => {
    const pod = podOf(sqlite)
    assert.deepStrictEqual(at(pod, "securityContext"), {
      runAsNonRoot: true,
      seccompProfile: { type: "RuntimeDefault" },
      runAsUser: 65_532,
      runAsGroup: 0,
      fsGroup: 65_532,
      fsGroupChangePolicy: "OnRootMismatch"
    })
    assert.deepStrictEqual(at(pod, "containers", 0, "securityContext"), {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ["ALL"] }
    })
    const openshift = podOf(sqlite, { platform: { ...platform, securityProfile: "openshift" } })
    assert.deepStrictEqual(at(openshift, "securityContext"), {
      runAsNonRoot: true,
      seccompProfile: { type: "RuntimeDefault" }
    })
  })

  it("the selector of the Deployment is pinned: it can never be changed", () => {
    assert.deepStrictEqual(at(desiredOf(instanceOf(sqlite)).deployment, "spec", "selector"), {
      matchLabels: {
        "app.kubernetes.io/name": "evald",
        "app.kubernetes.io/instance": "evald",
        "app.kubernetes.io/component": "api"
      }
    })
  })

  it("kinds that the cluster does not know are left out, and made where it knows them", () => {
    const spec = { ...sqlite, expose: { type: "Route" } }
    const without = namesOf(objectsOf(desiredOf(instanceOf(spec)))).join()
    assert.notInclude(without, "Route")
    assert.notInclude(without, "ServiceMonitor")
    const desired = desiredOf(instanceOf(spec), { apis: { serviceMonitor: true, route: true } })
    const route = desired.serving.find(({ kind }) => kind === "Route")
    assert.deepStrictEqual(at(route, "spec", "tls"), {
      termination: "reencrypt",
      insecureEdgeTerminationPolicy: "Redirect",
      destinationCACertificate: "CERTIFICATE"
    })
    assert.isDefined(desired.serving.find(({ kind }) => kind === "ServiceMonitor"))
  })
})
