/**
 * Files of a pod that change under us: tokens, CA bundles, secrets. They are small and in memory, so they are read again on use, at most
 * every few seconds; a value that cannot be read leaves the last good one in force. Reference: gateway.md, "Files that change".
 */
import { readdirSync, readFileSync, readlinkSync } from "node:fs"
import { join } from "node:path"
import { Redacted } from "effect"

/** a rotated value is in use at most this much later */
const freshMillis = 5_000
const maxBytes = 1024 * 1024

const readText = (path: string): string | undefined => {
  try {
    const content = readFileSync(path)
    return content.length > maxBytes ? undefined : content.toString("utf8")
  } catch {
    return undefined
  }
}

export interface MountedFile {
  /** undefined until it could be read once */
  readonly current: () => string | undefined
  /** the next `current` reads again */
  readonly expire: () => void
}

/** `clock`: monotonic milliseconds */
export const mountedFile = (path: string, clock: () => number = () => performance.now()): MountedFile => {
  let value: string | undefined
  let readAt = Number.NEGATIVE_INFINITY
  return {
    current: () => {
      if (clock() - readAt >= freshMillis) {
        value = readText(path) ?? value
        // nothing read yet: look again next time, the file may be on its way
        readAt = value === undefined ? Number.NEGATIVE_INFINITY : clock()
      }
      return value
    },
    expire: () => {
      readAt = Number.NEGATIVE_INFINITY
    }
  }
}

/** a mounted secret is switched by one link, so its keys are read between two looks at it */
const version = (directory: string): string => {
  try {
    return readlinkSync(join(directory, "..data"))
  } catch {
    return ""
  }
}

const readKeys = (directory: string): ReadonlyMap<string, string> | undefined => {
  try {
    const names = readdirSync(directory).filter((name) => !name.startsWith("."))
    const entries = names.map((name) => [name, readText(join(directory, name))] as const)
    const readable = entries.flatMap(
      ([name, text]): ReadonlyArray<readonly [string, string]> => (text === undefined ? [] : [[name, text]])
    )
    return readable.length === entries.length ? new Map(readable) : undefined
  } catch {
    return undefined
  }
}

const consistent = (directory: string): ReadonlyMap<string, string> | undefined => {
  for (let attempt = 0; attempt < 3; attempt++) {
    const before = version(directory)
    const keys = readKeys(directory)
    if (keys !== undefined && version(directory) === before) return keys
  }
  return undefined
}

/** all keys of a mounted secret, of one version; undefined while it could never be read */
export const mountedSecret = (
  directory: string,
  clock: () => number = () => performance.now()
): (() => ReadonlyMap<string, Redacted.Redacted> | undefined) => {
  let texts: ReadonlyMap<string, string> | undefined
  let keys: ReadonlyMap<string, Redacted.Redacted> | undefined
  let readAt = Number.NEGATIVE_INFINITY
  const same = (left: ReadonlyMap<string, string>, right: ReadonlyMap<string, string> | undefined) =>
    left.size === right?.size && [...left].every(([name, text]) => right.get(name) === text)
  return () => {
    if (clock() - readAt >= freshMillis) {
      const read = consistent(directory)
      if (read !== undefined && !same(read, texts)) {
        texts = read
        keys = new Map([...read].map(([name, text]) => [name, Redacted.make(text)]))
      }
      readAt = clock()
    }
    return keys
  }
}
