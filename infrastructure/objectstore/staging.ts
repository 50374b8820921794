/**
 * Files on their way into the target: written under a temporary name, renamed when complete, never through a link. What is complete is
 * noted with its ETag, so that an interrupted download goes on where it was. Reference: gateway.md, "Test data".
 */
import { appendFileSync, chmodSync, constants, lstatSync, mkdirSync, readFileSync, rmSync } from "node:fs"
import { type FileHandle, open, rename } from "node:fs/promises"
import { join, relative } from "node:path"
import { Data } from "effect"
import { shown } from "../../domain/violation.ts"
import { parseJson } from "../../values/json.ts"
import type { PlannedObject } from "./object-paths.ts"

/** something in the way that this download did not make */
export class UnsafePlace extends Data.TaggedError("UnsafePlace")<{ readonly message: string }> {}

/** the object is larger than listed: it was replaced meanwhile */
export class LengthDiffers extends Data.TaggedError("LengthDiffers")<{ readonly message: string }> {}

export interface Staging {
  /** complete from an earlier run */
  readonly has: (object: PlannedObject) => boolean
  /** streams the bytes into the object's place; `count` sees every chunk and may throw */
  readonly write: (
    object: PlannedObject,
    bytes: AsyncIterable<Buffer>,
    count: (length: number) => void
  ) => Promise<void>
  /** all is there: nothing of ours is left below the target */
  readonly finish: () => void
}

interface Done {
  readonly etag: string
  readonly size: number
}

const readDone = (path: string): Map<string, Done> => {
  const done = new Map<string, Done>()
  let text = ""
  try {
    text = readFileSync(path, "utf8")
  } catch {
    return done
  }
  for (const line of text.split("\n")) {
    // the last line of a killed run is none
    const [at, etag, size]: ReadonlyArray<unknown> = [parseJson(line)].flat()
    if (typeof at === "string" && typeof etag === "string" && typeof size === "number") done.set(at, { etag, size })
  }
  return done
}

const stop = constants.O_CREAT | constants.O_EXCL | constants.O_WRONLY | constants.O_NOFOLLOW

const writeAll = async (
  file: FileHandle,
  object: PlannedObject,
  bytes: AsyncIterable<Buffer>,
  count: (length: number) => void
): Promise<void> => {
  let written = 0
  for await (const chunk of bytes) {
    written += chunk.length
    if (written > object.size) throw new LengthDiffers({ message: "it is longer than listed" })
    count(chunk.length)
    for (let at = 0; at < chunk.length; ) at += (await file.write(chunk, at)).bytesWritten
  }
  if (written !== object.size) throw new LengthDiffers({ message: "it is shorter than listed" })
}

/** throws system errors */
export const openStaging = (target: string, staging: string): Staging => {
  mkdirSync(staging, { recursive: true, mode: 0o755 })
  if (!lstatSync(staging).isDirectory())
    throw new UnsafePlace({ message: "the folder for unfinished downloads is a link" })
  const list = join(staging, "complete.ndjson")
  const done = readDone(list)
  const below = !relative(target, staging).startsWith("..")
  const known = new Set<string>()
  let parts = 0

  const ensureFolder = (segments: ReadonlyArray<string>, object: string): string => {
    let path = target
    for (const segment of segments) {
      path = join(path, segment)
      if (known.has(path)) continue
      try {
        mkdirSync(path)
        chmodSync(path, 0o755)
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error
        if (!lstatSync(path).isDirectory())
          throw new UnsafePlace({
            message: `the path ${shown(object)} cannot be made: a file is in the way of one of its folders`
          })
      }
      known.add(path)
    }
    return path
  }

  return {
    has: ({ path, etag, size }) => {
      const entry = done.get(path)
      if (etag === "" || entry?.etag !== etag || entry.size !== size) return false
      const found = lstatSync(join(target, path), { throwIfNoEntry: false })
      return found?.isFile() === true && found.size === size
    },
    write: async (object, bytes, count) => {
      const segments = object.path.split("/")
      const name = segments.at(-1) ?? ""
      const place = join(ensureFolder(segments.slice(0, -1), object.path), name)
      if (lstatSync(place, { throwIfNoEntry: false })?.isDirectory() === true)
        throw new UnsafePlace({ message: `the path ${shown(object.path)} is a folder already` })
      const part = join(staging, `part-${++parts}`)
      rmSync(part, { force: true })
      try {
        const file = await open(part, stop, 0o644)
        try {
          await writeAll(file, object, bytes, count)
          await file.chmod(0o644)
        } finally {
          await file.close()
        }
        await rename(part, place)
      } catch (error) {
        rmSync(part, { force: true })
        throw error
      }
      appendFileSync(list, `${JSON.stringify([object.path, object.etag, object.size])}\n`)
    },
    finish: () => {
      if (below) rmSync(staging, { recursive: true, force: true })
    }
  }
}
