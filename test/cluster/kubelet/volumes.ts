/**
 * The volumes of a pod as folders: files in the layout of a kubelet (`key` → `..data/key`, `..data` → a folder of one moment), with
 * tokens requested for this pod. Nothing is written until everything that is not optional exists. Contents are not refreshed.
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

type Files = ReadonlyMap<string, Buffer>

interface FromKeys {
  readonly items?: ReadonlyArray<{ readonly key: string; readonly path: string }>
  readonly optional?: boolean
}

const filesOf = (
  pod: Pod,
  volume: Volume,
  api: NodeApi
): Effect.Effect<Files | undefined, VolumeNotReady | KubeError> => {
  const missing = (message: string) => new VolumeNotReady({ volume: volume.name, message })
  const keyed = (kind: "configmap" | "secret", name: string, { items, optional = false }: FromKeys) =>
    Effect.flatMap(api.keysOf(kind, pod.metadata.namespace, name), (found): Effect.Effect<Files, VolumeNotReady> => {
      if (found === undefined)
        return optional ? Effect.succeed(new Map()) : Effect.fail(missing(`${kind} "${name}" not found`))
      if (items === undefined) return Effect.succeed(found)
      const absent = items.find(({ key }) => !found.has(key))
      if (absent !== undefined && !optional)
        return Effect.fail(missing(`references non-existent ${kind} key: ${absent.key}`))
      return Effect.succeed(
        new Map(
          items.flatMap(({ key, path }) => (found.has(key) ? [[path, found.get(key) ?? Buffer.alloc(0)] as const] : []))
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
          downwardAPI.items.map(({ path, fieldRef }) => [path, Buffer.from(fieldOf(pod, fieldRef?.fieldPath ?? ""))])
        )
      )
    if (serviceAccountToken !== undefined)
      return Effect.map(
        api.tokenFor(pod, serviceAccountToken),
        (token) => new Map([[serviceAccountToken.path, Buffer.from(token)]])
      )
    return Effect.fail(missing("a kind of volume that this kubelet does not have"))
  }
  if (volume.emptyDir !== undefined) return Effect.succeed(undefined)
  if (volume.secret !== undefined) return keyed("secret", volume.secret.secretName ?? "", volume.secret)
  if (volume.projected !== undefined)
    return Effect.map(
      Effect.forEach(volume.projected.sources, source),
      (all) => new Map(all.flatMap((files) => [...files]))
    )
  return source({
    ...(volume.configMap === undefined ? {} : { configMap: volume.configMap }),
    ...(volume.downwardAPI === undefined ? {} : { downwardAPI: volume.downwardAPI })
  })
}

const moment = "..1"

const writeFiles = (folder: string, files: Files) => {
  mkdirSync(join(folder, moment), { recursive: true })
  symlinkSync(moment, join(folder, "..data"))
  for (const [path, content] of files) {
    const file = join(folder, moment, path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, content, { mode: 0o644 })
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
        else writeFiles(join(folder, name), files)
    }
  )

/** the mounts of one container; volumes of files are read-only whatever is declared */
export const mountsOf = (pod: Pod, container: Container, folder: string): ReadonlyArray<Mount> =>
  (container.volumeMounts ?? []).map(({ name, mountPath, subPath, readOnly = false }) => {
    const isEmptyDir = pod.spec.volumes?.find((volume) => volume.name === name)?.emptyDir !== undefined
    const source = subPath === undefined ? join(folder, name) : realpathSync(join(folder, name, subPath))
    return { source, target: mountPath, readOnly: readOnly || !isEmptyDir }
  })
