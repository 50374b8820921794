/** Pods of the API. Reference: operator.md, "Deployment". */
import type { V1Container, V1PodSpec, V1Probe, V1Volume, V1VolumeMount } from "@kubernetes/client-node"
import type { Instance } from "../../../domain/operator/custom-resource.ts"
import { defined } from "../../../values/defined.ts"
import { digestOf } from "../../../values/digest.ts"
import type { Manifest } from "../unit/manifest.ts"
import type { ConfigDefinition } from "./definitions.ts"
import { apiAccount, inside, type ManagedObject, own, type Place, podLabels, shardCount, tlsSecret } from "./managed.ts"
import { apiPort, paths, tlsModeOf } from "./server-config.ts"

type Volume = Manifest<V1Volume>
type Placed = readonly [volume: Volume, mount: Omit<Manifest<V1VolumeMount>, "name">]

/** as the image has it: a number, so that the kubelet can see that it is not root */
const user = { uid: 65_532, gid: 0 } as const

const configVolume = (instance: Instance, definitions: ReadonlyArray<ConfigDefinition>): Placed => [
  {
    name: "config",
    projected: {
      sources: [
        {
          configMap: {
            name: inside(instance, "config"),
            items: ["config.yaml", "auth.yaml"].map((key) => ({ key, path: key }))
          }
        },
        ...definitions.map(({ kind, id, objectName }) => ({
          configMap: { name: objectName, items: [{ key: `${id}.yaml`, path: `${kind}s/${id}.yaml` }] }
        }))
      ]
    }
  },
  { mountPath: paths.config, readOnly: true }
]

/** four sources that need not exist, so that the pods stay the same whatever tenants bring */
const tenantDefinitionsVolume = (instance: Instance): Placed => [
  {
    name: "tenant-definitions",
    projected: {
      sources: Array.from({ length: shardCount }, (_, shard) => ({
        configMap: { name: inside(instance, `tenant-definitions.${shard}`), optional: true }
      }))
    }
  },
  { mountPath: paths.tenantDefinitions, readOnly: true }
]

const databaseVolumes = (instance: Instance): ReadonlyArray<Placed> => {
  const { type, secret = "", secretKey, persistence } = instance.spec.database
  if (type === "postgresql")
    return [
      [
        {
          name: "database",
          projected: {
            defaultMode: 0o444,
            sources: [
              { secret: { name: secret, items: [{ key: secretKey, path: "db-url" }] } },
              { secret: { name: secret, items: [{ key: "ca.crt", path: "ca.crt" }], optional: true } }
            ]
          }
        },
        { mountPath: paths.secrets, readOnly: true }
      ]
    ]
  const source: Omit<Volume, "name"> =
    persistence?.enabled === false
      ? { emptyDir: {} }
      : { persistentVolumeClaim: { claimName: persistence?.existingClaim ?? inside(instance, "data") } }
  return [[{ name: "data", ...source }, { mountPath: paths.data }]]
}

const trackerVolumes = (instance: Instance): ReadonlyArray<Placed> => {
  const { tracker } = instance.spec
  if (tracker === undefined) return []
  const { type, secret = "", secretKey, audience } = tracker.auth
  const token: Volume =
    type === "Secret"
      ? { name: "tracker-token", secret: { secretName: secret, items: [{ key: secretKey, path: "token" }] } }
      : {
          name: "tracker-token",
          projected: {
            sources: [{ serviceAccountToken: { path: "token", expirationSeconds: 3600, ...defined({ audience }) } }]
          }
        }
  return [
    ...(type === "None" ? [] : [[token, { mountPath: paths.tracker, readOnly: true }] as const]),
    ...(tracker.caBundle === undefined
      ? []
      : [
          [
            { name: "tracker-ca", configMap: { name: inside(instance, "tracker-ca"), optional: true } },
            { mountPath: paths.trackerCa, readOnly: true }
          ] as const
        ])
  ]
}

const tlsVolumes = (instance: Instance, { platform }: Place): ReadonlyArray<Placed> => {
  const mode = tlsModeOf(instance, platform)
  if (mode === "Disabled") return []
  const secretName = mode === "Secret" ? (instance.spec.tls?.secretName ?? "") : tlsSecret(instance)
  return [
    [
      { name: "tls", secret: { secretName, defaultMode: 0o444 } },
      { mountPath: paths.tls, readOnly: true }
    ],
    [
      { name: "service-ca", configMap: { name: inside(instance, "service-ca"), optional: true } },
      { mountPath: paths.ca, readOnly: true }
    ]
  ]
}

/** files of the user's own, which `spec.config` and `spec.env` name */
const mountVolumes = ({ spec: { mounts } }: Instance): ReadonlyArray<Placed> =>
  mounts.map(({ path, secret, configMap, optional }) => [
    {
      name: `mount-${digestOf(path).slice(0, 10)}`,
      ...(secret === undefined
        ? { configMap: { name: configMap ?? "", ...defined({ optional }) } }
        : // keys of notifications are refused when anybody but the pod's group may read them
          { secret: { secretName: secret, defaultMode: 0o440, ...defined({ optional }) } })
    },
    { mountPath: `${paths.mounts}/${path}`, readOnly: true }
  ])

const volumesOf = (
  instance: Instance,
  place: Place,
  definitions: ReadonlyArray<ConfigDefinition>
): ReadonlyArray<Placed> => [
  configVolume(instance, definitions),
  ...(instance.spec.tenantDefinitions ? [tenantDefinitionsVolume(instance)] : []),
  ...databaseVolumes(instance),
  ...tlsVolumes(instance, place),
  ...trackerVolumes(instance),
  ...mountVolumes(instance),
  [{ name: "tmp", emptyDir: { sizeLimit: "1Gi" } }, { mountPath: paths.tmp }]
]

const probesOf = (port: "http" | "https") => {
  const get = (path: string): Manifest<V1Probe> => ({
    httpGet: { path, port, scheme: port === "https" ? "HTTPS" : "HTTP" }
  })
  return {
    startupProbe: { ...get("/api/v1/health"), periodSeconds: 5, failureThreshold: 60 },
    livenessProbe: { ...get("/api/v1/health"), periodSeconds: 10, timeoutSeconds: 5, failureThreshold: 6 },
    readinessProbe: { ...get("/api/v1/health/ready"), periodSeconds: 5, timeoutSeconds: 4, failureThreshold: 2 }
  }
}

const env = (instance: Instance): Manifest<V1Container>["env"] => [
  { name: "EVALD_POD_NAME", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } },
  { name: "EVALD_POD_UID", valueFrom: { fieldRef: { fieldPath: "metadata.uid" } } },
  { name: "EVALD_INSTANCE_NAME", value: instance.name },
  { name: "EVALD_INSTANCE_NAMESPACE", value: instance.namespace },
  {
    name: "SERVICE_HARDWARE_PROFILES_NAMESPACE",
    value: instance.spec.hardwareProfilesNamespace ?? instance.namespace
  },
  ...instance.spec.env
]

/** what every container of ours may: nothing */
export const confined = {
  allowPrivilegeEscalation: false,
  readOnlyRootFilesystem: true,
  capabilities: { drop: ["ALL"] }
} as const

/** the platform chooses user and group by itself where its profile is `openshift` */
export const podSecurity = (profile: "kubernetes" | "openshift") => ({
  runAsNonRoot: true,
  seccompProfile: { type: "RuntimeDefault" },
  ...(profile === "openshift"
    ? {}
    : { runAsUser: user.uid, runAsGroup: user.gid, fsGroup: user.uid, fsGroupChangePolicy: "OnRootMismatch" })
})

const quantities = (amounts: { readonly [name: string]: string | number }) =>
  Object.fromEntries(Object.entries(amounts).map(([name, amount]) => [name, String(amount)]))

const containerOf = (instance: Instance, place: Place, volumes: ReadonlyArray<Placed>): Manifest<V1Container> => {
  const { spec } = instance
  const { name: scheme, port } = apiPort(tlsModeOf(instance, place.platform))
  return {
    name: "evald",
    image: spec.image ?? place.platform.image,
    imagePullPolicy: spec.imagePullPolicy,
    args: ["server", "--configdir", paths.config],
    env: env(instance) ?? [],
    ports: [
      { name: scheme, containerPort: port },
      ...(spec.metrics.enabled ? [{ name: "metrics", containerPort: spec.metrics.port }] : [])
    ],
    resources: { requests: quantities(spec.resources.requests), limits: quantities(spec.resources.limits) },
    securityContext: { ...confined, capabilities: { drop: ["ALL"] } },
    ...probesOf(scheme),
    volumeMounts: volumes.map(([{ name }, mount]) => ({ name, ...mount }))
  }
}

const podOf = (instance: Instance, place: Place, definitions: ReadonlyArray<ConfigDefinition>): Manifest<V1PodSpec> => {
  const { spec } = instance
  const volumes = volumesOf(instance, place, definitions)
  return {
    serviceAccountName: apiAccount(instance),
    automountServiceAccountToken: true,
    enableServiceLinks: false,
    terminationGracePeriodSeconds: spec.timeouts.shutdownSeconds,
    securityContext: podSecurity(place.platform.securityProfile),
    ...(spec.imagePullSecrets.length === 0 ? {} : { imagePullSecrets: spec.imagePullSecrets }),
    ...(Object.keys(spec.nodeSelector).length === 0 ? {} : { nodeSelector: spec.nodeSelector }),
    ...(spec.tolerations.length === 0 ? {} : { tolerations: spec.tolerations }),
    ...(spec.replicas === 1
      ? {}
      : {
          topologySpreadConstraints: [
            {
              maxSkew: 1,
              topologyKey: "kubernetes.io/hostname",
              whenUnsatisfiable: "ScheduleAnyway",
              labelSelector: { matchLabels: podLabels(instance) }
            }
          ]
        }),
    containers: [containerOf(instance, place, volumes)],
    volumes: volumes.map(([volume]) => volume)
  }
}

/** `hash`: of the configuration; another one rolls the pods */
export const deployment = (
  instance: Instance,
  place: Place,
  definitions: ReadonlyArray<ConfigDefinition>,
  hash: string
): ManagedObject => {
  const { spec } = instance
  const rolling = { type: "RollingUpdate", rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } }
  return own(
    place,
    ["apps/v1", "Deployment"],
    { name: instance.name, component: "api" },
    {
      spec: {
        replicas: spec.replicas,
        revisionHistoryLimit: 3,
        progressDeadlineSeconds: spec.timeouts.progressSeconds,
        // a database file has one process at a time
        strategy: spec.database.type === "sqlite" ? { type: "Recreate" } : rolling,
        selector: { matchLabels: podLabels(instance) },
        template: {
          metadata: {
            labels: {
              ...podLabels(instance),
              "app.kubernetes.io/part-of": "evald",
              [`${place.platform.domain}/instance-name`]: instance.name,
              [`${place.platform.domain}/instance-namespace`]: instance.namespace
            },
            annotations: { ...spec.podAnnotations, [`${place.platform.domain}/config-hash`]: hash }
          },
          spec: podOf(instance, place, definitions)
        }
      }
    }
  )
}
