/** The part of a pod that the test kubelet reads, as the API server stores it. */
import type { KubeObject, ObjectMeta } from "../../../infrastructure/kubernetes/client/resources.ts"

export interface KeyReference {
  readonly name: string
  readonly key: string
  readonly optional?: boolean
}

export interface Variable {
  readonly name: string
  readonly value?: string
  readonly valueFrom?: {
    readonly secretKeyRef?: KeyReference
    readonly configMapKeyRef?: KeyReference
    readonly fieldRef?: { readonly fieldPath: string }
  }
}

interface Item {
  readonly key: string
  readonly path: string
  readonly mode?: number
}

/** a ConfigMap or Secret as a folder of files */
interface Keys {
  readonly name?: string
  readonly items?: ReadonlyArray<Item>
  readonly optional?: boolean
}

/** of the files of a volume; the API server fills it in */
interface WithMode {
  readonly defaultMode?: number
}

export interface ProjectedSource {
  readonly configMap?: Keys
  readonly secret?: Keys
  readonly downwardAPI?: {
    readonly items: ReadonlyArray<{ readonly path: string; readonly fieldRef?: { readonly fieldPath: string } }>
  }
  readonly serviceAccountToken?: {
    readonly path: string
    readonly audience?: string
    readonly expirationSeconds?: number
  }
}

export interface Volume {
  readonly name: string
  readonly emptyDir?: { readonly sizeLimit?: string }
  readonly configMap?: Keys & WithMode
  readonly secret?: Omit<Keys, "name"> & WithMode & { readonly secretName?: string }
  readonly downwardAPI?: NonNullable<ProjectedSource["downwardAPI"]> & WithMode
  readonly projected?: WithMode & { readonly sources: ReadonlyArray<ProjectedSource> }
}

export interface Probe {
  readonly httpGet?: { readonly path?: string; readonly port: number | string; readonly scheme?: "HTTP" | "HTTPS" }
  readonly initialDelaySeconds?: number
  readonly periodSeconds?: number
  readonly timeoutSeconds?: number
  readonly failureThreshold?: number
}

export interface Container {
  readonly name: string
  readonly image: string
  readonly command?: ReadonlyArray<string>
  readonly args?: ReadonlyArray<string>
  readonly ports?: ReadonlyArray<{ readonly name?: string; readonly containerPort: number }>
  readonly workingDir?: string
  readonly env?: ReadonlyArray<Variable>
  readonly envFrom?: ReadonlyArray<{
    readonly prefix?: string
    readonly secretRef?: Keys
    readonly configMapRef?: Keys
  }>
  readonly restartPolicy?: "Always"
  readonly resources?: { readonly limits?: { readonly [name: string]: string } }
  readonly securityContext?: {
    readonly runAsUser?: number
    readonly runAsGroup?: number
    readonly runAsNonRoot?: boolean
    readonly readOnlyRootFilesystem?: boolean
  }
  readonly startupProbe?: Probe
  readonly readinessProbe?: Probe
  readonly lifecycle?: { readonly postStart?: { readonly exec?: { readonly command: ReadonlyArray<string> } } }
  readonly terminationMessagePath?: string
  readonly terminationMessagePolicy?: "File" | "FallbackToLogsOnError"
  readonly volumeMounts?: ReadonlyArray<{
    readonly name: string
    readonly mountPath: string
    readonly subPath?: string
    readonly readOnly?: boolean
  }>
}

export interface Pod {
  readonly metadata: ObjectMeta & {
    readonly uid: string
    readonly namespace: string
    readonly deletionGracePeriodSeconds?: number
  }
  readonly spec: {
    readonly nodeName?: string
    readonly serviceAccountName?: string
    readonly activeDeadlineSeconds?: number
    readonly terminationGracePeriodSeconds?: number
    readonly securityContext?: {
      readonly runAsUser?: number
      readonly runAsGroup?: number
      readonly runAsNonRoot?: boolean
      readonly fsGroup?: number
    }
    readonly initContainers?: ReadonlyArray<Container>
    readonly containers: ReadonlyArray<Container>
    readonly volumes?: ReadonlyArray<Volume>
  }
  readonly status?: { readonly phase?: string }
}

/** the API server has checked the shape */
export const podOf = (object: KubeObject): Pod => object as KubeObject & Pod

export const isFinished = ({ status }: Pod): boolean => status?.phase === "Succeeded" || status?.phase === "Failed"

/** value of a downward field; "" when there is none */
export const fieldOf = ({ metadata, spec }: Pod, path: string): string => {
  const keyed = /^metadata\.(labels|annotations)\['(.+)'\]$/.exec(path)
  if (keyed !== null) return metadata[keyed[1] as "labels" | "annotations"]?.[keyed[2] ?? ""] ?? ""
  const fields: { readonly [path: string]: string | undefined } = {
    "metadata.name": metadata.name,
    "metadata.namespace": metadata.namespace,
    "metadata.uid": metadata.uid,
    "spec.nodeName": spec.nodeName,
    "spec.serviceAccountName": spec.serviceAccountName
  }
  return fields[path] ?? ""
}

const units: { readonly [suffix: string]: number } = {
  "": 1,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  Ki: 1024,
  Mi: 1024 ** 2,
  Gi: 1024 ** 3,
  Ti: 1024 ** 4
}

/** bytes of a memory quantity as pods carry them */
export const bytesOf = (quantity: string): number => {
  const [, digits = "", suffix = ""] = /^([\d.]+)([a-zA-Z]*)$/.exec(quantity) ?? []
  const unit = units[suffix]
  if (digits === "" || unit === undefined) throw new Error(`no memory quantity of this kubelet: ${quantity}`)
  return Number(digits) * unit
}
