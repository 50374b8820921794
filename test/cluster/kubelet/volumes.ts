/**
 * The volumes of a pod as folders: files in the layout of a kubelet (`key` → `..data/key`, `..data` → a folder of one moment), with the
 * modes that the pod declares, its group's where it has one, and tokens requested for this pod. Nothing is written until everything that
 * is not optional exists. Contents are not refreshed.
 */
import { chmodSync, chownSync, mkdirSync, realpathSync, symlinkSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { Data, Effect } from "effect"
import type { KubeError } from "../../../infrastructure/kubernetes/client/kube-error.ts"
import type { NodeApi } from "./node-api.ts"
import { type Container, fieldOf, type Pod, type ProjectedSource, type Volume } from "./pod.ts"
import type { Mount } from "./root-file-system.ts"

/** a volume that can not be set up now; a kubelet tries again for ever */
export class VolumeNotReady extends Data.TaggedError("VolumeNotReady")<{
  readonly volume: string
  readonly message: string
}> {}

interface VolumeFile {
  readonly content: Buffer
  readonly mode: number
  /** whose it is; default root's */
  readonly user?: number
}
type Files = ReadonlyMap<string, VolumeFile>

interface FromKeys {
  readonly items?: ReadonlyArray<{ readonly key: string; readonly path: string; readonly mode?: number }>
  readonly optional?: boolean
}

const usualMode = 0o644

/** a token is for the group or the user that the pod names, and for everybody in it when it names neither */
const tokenFile = ({ spec: { securityContext = {} } }: Pod, token: string, mode: number): VolumeFile => {
  const { runAsUser: user, fsGroup } = securityContext
  const content = Buffer.from(token)
  if (fsGroup !== undefined) return { content, mode: 0o600 }
  return user === undefined ? { content, mode } : { content, mode: 0o600, user }
}

const filesOf = (
  pod: Pod,
  volume: Volume,
  api: NodeApi
): Effect.Effect<Files | undefined, VolumeNotReady | KubeError> => {
  const missing = (message: string) => new VolumeNotReady({ volume: volume.name, message })
  const { projected, secret: ownSecret, configMap: ownConfigMap, downwardAPI: ownDownward } = volume
  const defaultMode = (projected ?? ownSecret ?? ownConfigMap ?? ownDownward)?.defaultMode ?? usualMode
  const keyed = (kind: "configmap" | "secret", name: string, { items, optional = false }: FromKeys) =>
    Effect.flatMap(api.keysOf(kind, pod.metadata.namespace, name), (found): Effect.Effect<Files, VolumeNotReady> => {
      if (found === undefined)
        return optional ? Effect.succeed(new Map()) : Effect.fail(missing(`${kind} "${name}" not found`))
      if (items === undefined)
        return Effect.succeed(new Map([...found].map(([key, content]) => [key, { content, mode: defaultMode }])))
      const absent = items.find(({ key }) => !found.has(key))
      if (absent !== undefined && !optional)
        return Effect.fail(missing(`references non-existent ${kind} key: ${absent.key}`))
      return Effect.succeed(
        new Map(
          items.flatMap(({ key, path, mode = defaultMode }) => {
            const content = found.get(key)
            return content === undefined ? [] : [[path, { content, mode }] as const]
          })
        )
      )
    })
  const source = ({
    configMap,
    secret,
    downwardAPI,
    serviceAccountToken
  }: ProjectedSource): Effect.Effect<Files, VolumeNotReady | KubeError> => {
    if (configMap !== undefined) return keyed("configmap", configMap.name ?? "", configMap)
    if (secret !== undefined) return keyed("secret", secret.name ?? "", secret)
    if (downwardAPI !== undefined)
      return Effect.succeed(
        new Map(
          downwardAPI.items.map(({ path, fieldRef }) => [
            path,
            { content: Buffer.from(fieldOf(pod, fieldRef?.fieldPath ?? "")), mode: defaultMode }
          ])
        )
      )
    if (serviceAccountToken !== undefined)
      return Effect.map(
        api.tokenFor(pod, serviceAccountToken),
        (token) => new Map([[serviceAccountToken.path, tokenFile(pod, token, defaultMode)]])
      )
    return Effect.fail(missing("a kind of volume that this kubelet does not have"))
  }
  if (volume.emptyDir !== undefined) return Effect.succeed(undefined)
  if (ownSecret !== undefined) return keyed("secret", ownSecret.secretName ?? "", ownSecret)
  if (projected !== undefined)
    return Effect.map(Effect.forEach(projected.sources, source), (all) => new Map(all.flatMap((files) => [...files])))
  return source({
    ...(ownConfigMap === undefined ? {} : { configMap: ownConfigMap }),
    ...(ownDownward === undefined ? {} : { downwardAPI: ownDownward })
  })
}

const moment = "..1"

/** what may always be done with files that are given to the group of a pod */
const groupReads = 0o440

const writeFiles = (folder: string, files: Files, fsGroup: number | undefined) => {
  mkdirSync(join(folder, moment), { recursive: true })
  symlinkSync(moment, join(folder, "..data"))
  for (const [path, { content, mode, user = 0 }] of files) {
    const file = join(folder, moment, path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, content)
    chownSync(file, user, fsGroup ?? 0)
    // by a call of its own: the mask of this process does not count
    chmodSync(file, fsGroup === undefined ? mode : mode | groupReads)
  }
  for (const top of new Set([...files.keys()].map((path) => path.split("/")[0] ?? "")))
    symlinkSync(join("..data", top), join(folder, top))
}

const writeEmpty = (folder: string, group: number | undefined) => {
  mkdirSync(folder, { recursive: true })
  chmodSync(folder, group === undefined ? 0o777 : 0o2777)
  if (group !== undefined) chownSync(folder, 0, group)
}

/** writes all volumes of the pod below the folder, or none */
export const materialise = (pod: Pod, folder: string, api: NodeApi): Effect.Effect<void, VolumeNotReady | KubeError> =>
  Effect.map(
    Effect.forEach(
      pod.spec.volumes ?? [],
      (volume) => Effect.map(filesOf(pod, volume, api), (files) => [volume.name, files] as const),
      { concurrency: 4 }
    ),
    (volumes) => {
      for (const [name, files] of volumes)
        if (files === undefined) writeEmpty(join(folder, name), pod.spec.securityContext?.fsGroup)
        else writeFiles(join(folder, name), files, pod.spec.securityContext?.fsGroup)
    }
  )

/** the mounts of one container; volumes of files are read-only whatever is declared */
export const mountsOf = (pod: Pod, container: Container, folder: string): ReadonlyArray<Mount> =>
  (container.volumeMounts ?? []).map(({ name, mountPath, subPath, readOnly = false }) => {
    const isEmptyDir = pod.spec.volumes?.find((volume) => volume.name === name)?.emptyDir !== undefined
    const source = subPath === undefined ? join(folder, name) : realpathSync(join(folder, name, subPath))
    return { source, target: mountPath, readOnly: readOnly || !isEmptyDir }
  })
