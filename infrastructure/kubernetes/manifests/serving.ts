/** How the API and its metrics are reached, and kept reachable. Reference: operator.md, "Objects of an instance". */
import type { V1IngressSpec, V1PodDisruptionBudgetSpec, V1ServiceSpec } from "@kubernetes/client-node"
import type { Instance } from "../../../domain/operator/custom-resource.ts"
import { defined } from "../../../values/defined.ts"
import type { Manifest } from "../unit/manifest.ts"
import { core, type ManagedObject, metricsService, own, type Place, podLabels, tlsSecret } from "./managed.ts"
import { apiPort, tlsModeOf } from "./server-config.ts"

const servingCertAnnotation = "service.beta.openshift.io/serving-cert-secret-name"

const apiService = (instance: Instance, place: Place): ManagedObject => {
  const mode = tlsModeOf(instance, place.platform)
  const { name, port } = apiPort(mode)
  const spec: Manifest<V1ServiceSpec> = {
    type: "ClusterIP",
    selector: podLabels(instance),
    ports: [{ name, port, targetPort: name, protocol: "TCP" }]
  }
  return own(
    place,
    core("Service"),
    {
      name: instance.name,
      component: "api",
      annotations: mode === "ServiceCA" ? { [servingCertAnnotation]: tlsSecret(instance) } : {}
    },
    { spec }
  )
}

const metricsLabel = ({ platform }: Place): string => `${platform.domain}/metrics`

const metrics = (instance: Instance, place: Place): ManagedObject => {
  const spec: Manifest<V1ServiceSpec> = {
    clusterIP: "None",
    selector: podLabels(instance),
    ports: [{ name: "metrics", port: instance.spec.metrics.port, targetPort: "metrics", protocol: "TCP" }]
  }
  return own(
    place,
    core("Service"),
    { name: metricsService(instance), component: "api", labels: { [metricsLabel(place)]: "true" } },
    { spec }
  )
}

const serviceMonitor = (instance: Instance, place: Place): ManagedObject => {
  const { intervalSeconds, labels } = instance.spec.metrics.serviceMonitor
  return own(
    place,
    ["monitoring.coreos.com/v1", "ServiceMonitor"],
    { name: instance.name, component: "api", labels },
    {
      spec: {
        selector: {
          matchLabels: {
            [metricsLabel(place)]: "true",
            [`${place.platform.domain}/instance-name`]: instance.name,
            [`${place.platform.domain}/instance-namespace`]: instance.namespace
          }
        },
        namespaceSelector: { matchNames: [instance.namespace] },
        endpoints: [{ port: "metrics", interval: `${intervalSeconds}s` }]
      }
    }
  )
}

const disruptionBudget = (instance: Instance, place: Place): ManagedObject => {
  const spec: Manifest<V1PodDisruptionBudgetSpec> = {
    maxUnavailable: 1,
    unhealthyPodEvictionPolicy: "AlwaysAllow",
    selector: { matchLabels: podLabels(instance) }
  }
  return own(place, ["policy/v1", "PodDisruptionBudget"], { name: instance.name, component: "api" }, { spec })
}

const ingress = (instance: Instance, place: Place): ManagedObject => {
  const { host = "", ingressClassName, tlsSecretName, annotations } = instance.spec.expose
  const { name } = apiPort(tlsModeOf(instance, place.platform))
  const spec: Manifest<V1IngressSpec> = {
    ...defined({ ingressClassName }),
    ...(tlsSecretName === undefined ? {} : { tls: [{ hosts: [host], secretName: tlsSecretName }] }),
    rules: [
      {
        host,
        http: {
          paths: [{ path: "/", pathType: "Prefix", backend: { service: { name: instance.name, port: { name } } } }]
        }
      }
    ]
  }
  return own(
    place,
    ["networking.k8s.io/v1", "Ingress"],
    { name: instance.name, component: "api", annotations },
    { spec }
  )
}

const route = (instance: Instance, place: Place, ca: string | undefined): ManagedObject => {
  const mode = tlsModeOf(instance, place.platform)
  const { host, annotations } = instance.spec.expose
  const { name } = apiPort(mode)
  // the router knows the platform's own authority by itself
  const destination = (mode === "Issued" || mode === "Secret") && ca !== undefined
  return own(
    place,
    ["route.openshift.io/v1", "Route"],
    { name: instance.name, component: "api", annotations },
    {
      spec: {
        ...defined({ host }),
        to: { kind: "Service", name: instance.name, weight: 100 },
        port: { targetPort: name },
        tls: {
          termination: mode === "Disabled" ? "edge" : "reencrypt",
          insecureEdgeTerminationPolicy: "Redirect",
          ...(destination ? { destinationCACertificate: ca } : {})
        }
      }
    }
  )
}

/** kinds that not every cluster has */
export interface OptionalApis {
  readonly serviceMonitor: boolean
  readonly route: boolean
}

/** `ca`: certificates that the API is checked with, PEM */
export const servingObjects = (
  instance: Instance,
  place: Place,
  apis: OptionalApis,
  ca: string | undefined
): ReadonlyArray<ManagedObject> => {
  const { spec } = instance
  const monitored = spec.metrics.enabled && spec.metrics.serviceMonitor.enabled && apis.serviceMonitor
  return [
    apiService(instance, place),
    ...(spec.metrics.enabled ? [metrics(instance, place)] : []),
    ...(monitored ? [serviceMonitor(instance, place)] : []),
    ...(spec.replicas > 1 ? [disruptionBudget(instance, place)] : []),
    ...(spec.expose.type === "Ingress" ? [ingress(instance, place)] : []),
    ...(spec.expose.type === "Route" && apis.route ? [route(instance, place, ca)] : [])
  ]
}
