/**
 * Folders that stand for buckets: test data from this machine instead of object storage, under the same rules for prefixes, names and
 * sizes. Nothing outside the folder is read, whatever links say. For local mode, setting `local.test_data_dir`.
 */
import { constants, type Dirent, lstatSync, readdirSync, realpathSync } from "node:fs"
import { open } from "node:fs/promises"
import { join } from "node:path"
import { Effect, Either } from "effect"
import { TestDataFailed, type TestDataRequest, type TestDataSummary } from "../../application/ports/test-data.ts"
import type { ListedObject } from "./list-page.ts"
import { planObjects } from "./object-paths.ts"
import { openStaging } from "./staging.ts"
import { inTime } from "./time-limit.ts"

export type FolderRequest = Pick<
  TestDataRequest,
  "bucket" | "key" | "target" | "staging" | "maxBytes" | "maxObjects" | "timeoutSeconds"
>

export interface FolderStorage {
  /** whether this bucket is a folder here */
  readonly holds: (bucket: string) => boolean
  /** like the download of a bucket, without credentials */
  readonly copy: (request: FolderRequest) => Effect.Effect<TestDataSummary, TestDataFailed>
}

const failed = (reason: TestDataFailed["reason"], message: string) => new TestDataFailed({ reason, message })

const fromSystem = (error: unknown): TestDataFailed => {
  if (error instanceof TestDataFailed) return error
  const { code } = error as NodeJS.ErrnoException
  return code === "ENOSPC" || code === "EDQUOT"
    ? failed("volume_full", `the disk is full (${code})`)
    : failed("configuration", `the test data cannot be copied (${code ?? "unexpected failure"})`)
}

const notPlain = (key: string) =>
  failed("unsafe_key", `${JSON.stringify(key)} is a link or no regular file; only files and folders are copied`)

const objectAt = (bucket: string, key: string): ListedObject => {
  const { size, mtimeMs } = lstatSync(join(bucket, key))
  return { key, size, etag: `${mtimeMs}-${size}` }
}

/** every file whose path begins with the key, depth first; throws on what is neither file nor folder */
const listed = (bucket: string, key: string, most: number): ReadonlyArray<ListedObject> => {
  const objects: Array<ListedObject> = []
  const visit = (prefix: string, entry: Pick<Dirent, "name" | "isFile" | "isDirectory">) => {
    const found = `${prefix}${entry.name}`
    if (objects.length > most)
      throw failed("too_large", `more than ${most} files begin with ${JSON.stringify(key)}; use a longer key`)
    if (entry.isFile()) objects.push(objectAt(bucket, found))
    else if (entry.isDirectory()) walk(`${found}/`)
    else throw notPlain(found)
  }
  const walk = (prefix: string, beginning = "") => {
    for (const entry of readdirSync(join(bucket, prefix), { withFileTypes: true }))
      if (entry.name.startsWith(beginning)) visit(prefix, entry)
  }
  const beginning = key.slice(key.lastIndexOf("/") + 1)
  const folder = key.slice(0, key.length - beginning.length)
  const segments = folder.split("/").slice(0, -1)
  for (const segment of [...segments, ...(beginning === "" ? [] : [beginning])])
    if (segment === "" || segment === "." || segment === "..")
      throw failed("unsafe_key", `the key ${JSON.stringify(key)} has the segment '${segment}'`)
  // the way to the folder is looked at link by link, since links are followed by everything else
  for (const depth of segments.keys()) {
    const at = segments.slice(0, depth + 1).join("/")
    const entry = lstatSync(join(bucket, at), { throwIfNoEntry: false })
    if (entry === undefined) return []
    if (entry.isSymbolicLink()) throw notPlain(at)
    if (!entry.isDirectory()) return []
  }
  walk(folder, beginning)
  return objects
}

const noFollow = constants.O_RDONLY | constants.O_NOFOLLOW

const run = (bucket: string, request: FolderRequest): Effect.Effect<TestDataSummary, TestDataFailed> =>
  Effect.gen(function* () {
    const { key, target, staging: stagingPath, maxBytes, maxObjects } = request
    const found = yield* Effect.try({ try: () => listed(bucket, key, maxObjects), catch: fromSystem })
    if (found.length === 0)
      return yield* failed(
        "not_found",
        `the folder of bucket '${request.bucket}' below local.test_data_dir has no file whose path begins with '${key}'`
      )
    const planned = planObjects(found, key, { maxBytes, maxObjects, reserved: undefined })
    if (Either.isLeft(planned)) return yield* failed(planned.left.reason, planned.left.message)
    const objects = planned.right
    const staging = yield* Effect.try({ try: () => openStaging(target, stagingPath), catch: fromSystem })
    yield* Effect.forEach(
      objects.filter((object) => !staging.has(object)),
      (object) =>
        Effect.tryPromise({
          try: async () =>
            staging.write(object, (await open(join(bucket, object.key), noFollow)).createReadStream(), () => {}),
          catch: fromSystem
        }),
      { discard: true }
    )
    yield* Effect.try({ try: staging.finish, catch: fromSystem })
    return { objects: objects.length, bytes: objects.reduce((sum, { size }) => sum + size, 0) }
  })

/** `root`: holds one folder per bucket; a bucket's folder may itself not be a link that leads out of it */
export const folderStorage = (root: string): FolderStorage => {
  const folder = (bucket: string): string | undefined => {
    const entry = lstatSync(join(root, bucket), { throwIfNoEntry: false })
    return entry?.isDirectory() === true ? join(realpathSync(root), bucket) : undefined
  }
  return {
    holds: (bucket) => folder(bucket) !== undefined,
    copy: (request) =>
      Effect.suspend(() => {
        const bucket = folder(request.bucket)
        return bucket === undefined
          ? Effect.fail(failed("not_found", `there is no folder for bucket '${request.bucket}'`))
          : run(bucket, request)
      }).pipe(inTime(request))
  }
}
