/**
 * Volumes of a pod and what of them each container sees. A credential is mounted in one container only, and never in the adapter's.
 * Reference: cluster-objects.md, "Volumes".
 */
import type { V1Volume, V1VolumeMount } from "@kubernetes/client-node"
import type { Unit } from "../../../application/ports/runtime.ts"
import { type AdapterSecret, needsInternalSecret } from "../../../domain/credentials/placeholders.ts"
import { defined } from "../../../values/defined.ts"
import type { ClusterOptions } from "../cluster-options.ts"
import type { Manifest } from "./manifest.ts"
import { refName, specName } from "./names.ts"

export type ContainerName = "adapter" | "sidecar" | "init"

type Mount = Manifest<V1VolumeMount>
type Volume = Manifest<V1Volume>

interface Placed {
  readonly volume: Volume
  readonly mounts: { readonly [C in ContainerName]?: ReadonlyArray<Omit<Mount, "name">> }
}

export interface VolumesOf {
  readonly unit: Unit
  readonly backing: string
  /** what the adapter may see of the user's model secret; absent without `model.auth` */
  readonly modelSecret?: AdapterSecret
  /** the adapter's root file system is read-only */
  readonly readOnlyRoot: boolean
}

const readOnly = (mountPath: string, subPath?: string) => ({
  mountPath,
  readOnly: true as const,
  ...defined({ subPath })
})
const file = (name: string) => readOnly(`/meta/${name}`, name)

export const secretPaths = {
  model: "/var/run/secrets/model",
  testData: "/var/run/secrets/test-data",
  callbackToken: "/var/run/secrets/evald",
  modelToken: "/var/run/secrets/model-token",
  tracker: "/var/run/secrets/tracker",
  registry: "/var/run/secrets/registry",
  proxy: "/var/run/secrets/proxy",
  requestLog: "/var/run/secrets/request-log"
} as const
export const caFiles = {
  service: "/etc/evald/ca/service-ca.crt",
  tracker: "/etc/evald/tracker-ca/ca-bundle.crt"
} as const

const token = (audience: string | undefined) => ({
  projected: {
    sources: [
      {
        serviceAccountToken: { path: "token", expirationSeconds: 3600, ...defined({ audience }) }
      }
    ]
  }
})
const items = (keys: ReadonlyArray<string>) => keys.map((key) => ({ key, path: key }))
const emptyDir = (sizeLimit: string) => ({ emptyDir: { sizeLimit } })

const modelVolumes = (secretName: string, backing: string, plan: AdapterSecret): ReadonlyArray<Placed> => {
  const hidden = needsInternalSecret(plan)
  const sources = [
    ...(hidden ? [{ secret: { name: refName(backing) } }] : []),
    ...(plan.passthrough.length > 0
      ? [{ secret: { name: secretName, items: items(plan.passthrough), optional: true } }]
      : [])
  ]
  const placed: Array<Placed> = []
  if (plan.gateway.length > 0)
    placed.push({
      volume: { name: "model-auth", secret: { secretName, items: items(plan.gateway), optional: true } },
      mounts: { sidecar: [readOnly(secretPaths.model)] }
    })
  if (sources.length > 0)
    placed.push({
      volume: { name: "model-auth-ref", projected: { sources } },
      mounts: { adapter: [readOnly(secretPaths.model)] }
    })
  return placed
}

const tmp = (container: ContainerName): Placed => ({
  volume: { name: `tmp-${container}`, ...emptyDir("1Gi") },
  mounts: { [container]: [{ mountPath: "/tmp" }] }
})

type TestData = NonNullable<Unit["benchmark"]["entry"]["testData"]>["s3"]

/** what the job is told, and where it writes */
const jobVolumes = (backing: string, s3: TestData | undefined, options: ClusterOptions): ReadonlyArray<Placed> => [
  {
    volume: { name: "job-spec", configMap: { name: specName(backing) } },
    mounts: {
      adapter: [file("job.json")],
      sidecar: [file("job.json"), file("sidecar.json")],
      ...(s3 === undefined ? {} : { init: [file("init.json")] })
    }
  },
  {
    volume: { name: "data", ...emptyDir(options.volumes.dataSize) },
    mounts: { adapter: [{ mountPath: "/data" }], sidecar: [{ mountPath: "/data" }] }
  }
]

const testDataVolumes = ({ secretRef }: TestData, options: ClusterOptions): ReadonlyArray<Placed> => [
  {
    volume: { name: "test-data", ...emptyDir(options.volumes.testDataSize) },
    mounts: { adapter: [readOnly("/test_data")], init: [{ mountPath: "/test_data" }] }
  },
  ...(secretRef === undefined
    ? []
    : [
        {
          volume: { name: "test-data-secret", secret: { secretName: secretRef } },
          mounts: { init: [readOnly(secretPaths.testData)] }
        }
      ]),
  tmp("init")
]

/** who the pod is */
const identityVolumes = ({ tokens }: ClusterOptions): ReadonlyArray<Placed> => [
  {
    volume: {
      name: "namespace",
      projected: {
        sources: [{ downwardAPI: { items: [{ path: "namespace", fieldRef: { fieldPath: "metadata.namespace" } }] } }]
      }
    },
    mounts: { adapter: [readOnly("/var/run/secrets/kubernetes.io/serviceaccount")] }
  },
  {
    volume: { name: "evald-token", ...token(tokens.callback) },
    mounts: { sidecar: [readOnly(secretPaths.callbackToken)] }
  },
  {
    volume: { name: "model-token", ...token(tokens.model) },
    mounts: { sidecar: [readOnly(secretPaths.modelToken)] }
  }
]

const registryVolume = (secretName: string): Placed => ({
  volume: {
    name: "registry",
    secret: { secretName, items: [{ key: ".dockerconfigjson", path: "config.json" }] }
  },
  mounts: { sidecar: [readOnly(secretPaths.registry)] }
})

const trackerVolumes = ({ tokens, trackerCa }: ClusterOptions): ReadonlyArray<Placed> => [
  {
    volume: { name: "tracker-token", ...token(tokens.tracker) },
    mounts: { sidecar: [readOnly(secretPaths.tracker)] }
  },
  {
    volume: { name: "tracker-ca", configMap: { name: trackerCa, optional: true } },
    mounts: { sidecar: [readOnly("/etc/evald/tracker-ca")] }
  }
]

const proxyVolume = (secretName: string, s3: TestData | undefined): Placed => ({
  volume: { name: "proxy", secret: { secretName, optional: true } },
  mounts: {
    sidecar: [readOnly(secretPaths.proxy)],
    ...(s3 === undefined ? {} : { init: [readOnly(secretPaths.proxy)] })
  }
})

/** the folder of all answers that sidecars of the tenant keep */
export const requestLogFolder = "/request-log"

const requestLogVolumes = ({ claim, keySecret }: NonNullable<ClusterOptions["requestLog"]>): ReadonlyArray<Placed> => [
  {
    volume: { name: "request-log", persistentVolumeClaim: { claimName: claim } },
    mounts: { sidecar: [{ mountPath: requestLogFolder }] }
  },
  ...(keySecret === undefined
    ? []
    : [
        {
          volume: { name: "request-log-key", secret: { secretName: keySecret, items: items(["key"]) } },
          mounts: { sidecar: [readOnly(secretPaths.requestLog)] }
        }
      ])
]

const place = (
  { unit, backing, modelSecret, readOnlyRoot }: VolumesOf,
  options: ClusterOptions
): ReadonlyArray<Placed> => {
  const s3 = unit.benchmark.entry.testData?.s3
  const connection = unit.request.exports?.oci.connection
  const auth = unit.request.model.auth
  return [
    ...jobVolumes(backing, s3, options),
    ...(s3 === undefined ? [] : testDataVolumes(s3, options)),
    ...(auth === undefined || modelSecret === undefined ? [] : modelVolumes(auth.secretRef, backing, modelSecret)),
    ...identityVolumes(options),
    ...(connection === undefined ? [] : [registryVolume(connection)]),
    {
      volume: { name: "service-ca", configMap: { name: options.serviceCa, optional: true } },
      mounts: { sidecar: [readOnly("/etc/evald/ca")] }
    },
    ...(options.tracker === undefined ? [] : trackerVolumes(options)),
    ...(options.proxy?.secret === undefined ? [] : [proxyVolume(options.proxy.secret, s3)]),
    ...(unit.request.resume === true && options.requestLog !== undefined ? requestLogVolumes(options.requestLog) : []),
    tmp("sidecar"),
    ...(readOnlyRoot ? [tmp("adapter")] : [])
  ]
}

export interface PodVolumes {
  readonly volumes: ReadonlyArray<Volume>
  readonly mounts: (container: ContainerName) => ReadonlyArray<Mount>
}

export const podVolumes = (of: VolumesOf, options: ClusterOptions): PodVolumes => {
  const placed = place(of, options)
  return {
    volumes: placed.map(({ volume }) => volume),
    mounts: (container) =>
      placed.flatMap(({ volume, mounts }) =>
        (mounts[container] ?? []).map((mount) => ({ name: volume.name, ...mount }))
      )
  }
}
