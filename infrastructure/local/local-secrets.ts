/**
 * Secrets of local mode: files `<directory>/<secret_ref>/<key>`, kept by the user who runs the server. A file that others may read is
 * refused rather than used. Reference: adapter-contract.md, "Credential helpers".
 */
import { constants } from "node:fs"
import { open, readdir } from "node:fs/promises"
import { join } from "node:path"
import { Cache, Effect, Layer, Redacted } from "effect"
import { SecretReader, SecretUnusable } from "../../application/ports/secret-reader.ts"
import { dnsSubdomainProblem } from "../../domain/dns-name.ts"

const maxBytes = 1024 * 1024
/** `.dockerconfigjson` is the one key of registry secrets that begins with a dot */
const keyName = /^(\.dockerconfigjson|[A-Za-z0-9_-][A-Za-z0-9._-]*)$/

/** a directory of secrets */
export interface SecretPlace {
  readonly directory: string
  /** the setting that names it, for messages */
  readonly setting: string
  /** mode bits that must not be set: where a cluster mounts secrets for a group, its members may read */
  readonly others: number
}

const unusable = (reason: SecretUnusable["reason"], message: string) => new SecretUnusable({ reason, message })
const asUnusable =
  (name: string, what: string) =>
  (cause: unknown): SecretUnusable => {
    if (cause instanceof SecretUnusable) return cause
    const { code } = cause as NodeJS.ErrnoException
    return code === "ENOENT" || code === "ENOTDIR"
      ? unusable("absent", `secret '${name}' does not exist: ${what} is missing`)
      : unusable("unreadable", `secret '${name}' cannot be read: ${what}: ${code ?? "failed"}`)
  }

/** one handle for checking and reading, so that the file judged is the file read */
const readKey = async (
  name: string,
  key: string,
  path: string,
  ownUser: number | undefined,
  { setting, others }: SecretPlace
): Promise<string | undefined> => {
  const handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK)
  try {
    const status = await handle.stat()
    const { mode, size, uid } = status
    if (!status.isFile()) return undefined
    const file = `secret '${name}': its file '${key}' below ${setting}`
    if ((mode & others) !== 0)
      throw unusable("unsafe", `${file} can be read or changed by other users; give it mode 600 (chmod 600)`)
    if (ownUser !== undefined && uid !== ownUser && uid !== 0)
      throw unusable("unsafe", `${file} belongs to another user`)
    if (size > maxBytes) throw unusable("unreadable", `${file} is larger than ${maxBytes} bytes`)
    return await handle.readFile("utf8")
  } finally {
    await handle.close()
  }
}

const readSecret = async (place: SecretPlace, name: string): Promise<ReadonlyMap<string, Redacted.Redacted>> => {
  const problem = dnsSubdomainProblem(name)
  if (problem !== undefined) throw unusable("absent", `secret name '${name}' ${problem}`)
  const root = join(place.directory, name)
  const ownUser = process.getuid?.()
  const names = await readdir(root).catch((cause: unknown) =>
    Promise.reject(asUnusable(name, `its directory below ${place.setting}`)(cause))
  )
  const entries = await Promise.all(
    names
      .filter((key) => keyName.test(key))
      .map(async (key): Promise<ReadonlyArray<readonly [string, Redacted.Redacted]>> => {
        const path = join(root, key)
        const value = await readKey(name, key, path, ownUser, place).catch((cause: unknown) =>
          Promise.reject(asUnusable(name, `its file '${key}'`)(cause))
        )
        return value === undefined ? [] : [[key, Redacted.make(value)]]
      })
  )
  return new Map(entries.flat())
}

/** how long an answer is reused: the gateway asks once per model request, and a rotated key shows after at most this time */
const freshness = "1 second"

/** one secret as it is now */
export const secretIn = (
  place: SecretPlace,
  name: string
): Effect.Effect<ReadonlyMap<string, Redacted.Redacted>, SecretUnusable> =>
  Effect.tryPromise({ try: () => readSecret(place, name), catch: asUnusable(name, place.setting) })

/** `directory`: setting `local.secrets_dir` */
export const layer = (directory: string): Layer.Layer<SecretReader> =>
  Layer.effect(
    SecretReader,
    Effect.gen(function* () {
      const cache = yield* Cache.make({
        capacity: 256,
        timeToLive: freshness,
        lookup: (name: string) => secretIn({ directory, setting: "local.secrets_dir", others: 0o077 }, name)
      })
      return { read: (name) => cache.get(name) }
    })
  )
