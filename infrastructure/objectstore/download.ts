/**
 * Test data from an S3-compatible storage into a directory: list everything, judge it, then download a few objects at a time. Nothing is
 * written before the whole listing was found safe and small enough. Reference: gateway.md, "Test data".
 */
import type { IncomingMessage } from "node:http"
import { basename, dirname } from "node:path"
import { Effect, Either, type Scope } from "effect"
import {
  type FetchTestData,
  TestDataFailed,
  type TestDataReason,
  type TestDataRequest
} from "../../application/ports/test-data.ts"
import { straight } from "../../domain/proxies.ts"
import { defined } from "../../values/defined.ts"
import { objectStorage } from "./connection.ts"
import { type ListedObject, type ListPage, readListPage } from "./list-page.ts"
import { type PlannedObject, planObjects } from "./object-paths.ts"
import { LengthDiffers, openStaging, type Staging, UnsafePlace } from "./staging.ts"
import { makeStorageClient, readText, type StorageClient, StorageTrouble } from "./storage-client.ts"
import { inTime } from "./time-limit.ts"

const pageSize = 1000
/** a page of a thousand keys of 1,024 bytes, each byte encoded as three, with room for the rest */
const maxPageBytes = 8 * 1024 * 1024
const maxChanges = 5

const failed = (reason: TestDataReason, message: string) => new TestDataFailed({ reason, message })

const asFailure = (error: StorageTrouble): TestDataFailed => {
  const { reason, message } = error
  if (reason === "gone") return failed("not_found", message)
  return failed(reason === "changed" ? "unreachable" : reason, message)
}

const listPage = (
  client: StorageClient,
  prefix: string,
  options: { readonly max: number; readonly token?: string }
): Effect.Effect<ListPage, StorageTrouble> =>
  client.send({
    query: [
      ["list-type", "2"],
      ["encoding-type", "url"],
      ["max-keys", String(options.max)],
      ...(prefix === "" ? [] : [["prefix", prefix] as const]),
      ...(options.token === undefined ? [] : [["continuation-token", options.token] as const])
    ],
    consume: async (answer) => {
      const page = readListPage(await readText(answer, maxPageBytes))
      if (Either.isLeft(page))
        throw new StorageTrouble({
          reason: "unreachable",
          message: `the answer of the object storage ${page.left}`,
          again: true
        })
      return page.right
    }
  })

/** stops one beyond the limit: a bucket may hold more than memory does */
const listAll = (
  client: StorageClient,
  prefix: string,
  most: number
): Effect.Effect<ReadonlyArray<ListedObject>, StorageTrouble | TestDataFailed> =>
  Effect.gen(function* () {
    const objects: Array<ListedObject> = []
    const tokens = new Set<string>()
    let token: string | undefined
    do {
      const page: ListPage = yield* listPage(client, prefix, {
        max: pageSize,
        ...defined({ token })
      })
      for (const object of page.objects) objects.push(object)
      token = page.next
      if (token !== undefined && tokens.has(token))
        return yield* failed(
          "unreachable",
          "the object storage repeats a continuation token; its listing would never end"
        )
      if (token !== undefined) tokens.add(token)
      if (objects.length > 2 * most + pageSize)
        return yield* failed(
          "too_large",
          `more than ${most} objects begin with ${JSON.stringify(prefix)}; use a longer key`
        )
    } while (token !== undefined)
    return objects
  })

const nothingFound = ({ bucket, key }: TestDataRequest): TestDataFailed =>
  failed(
    "not_found",
    `bucket '${bucket}' has no object ${key === "" ? "at all" : `whose key begins with ${JSON.stringify(key)}`}`
  )

const fromSystem = (error: unknown): TestDataFailed | StorageTrouble => {
  if (error instanceof StorageTrouble || error instanceof TestDataFailed) return error
  if (error instanceof UnsafePlace) return failed("unsafe_key", error.message)
  const { code } = error as NodeJS.ErrnoException
  if (code === "ENOSPC" || code === "EDQUOT" || code === "EFBIG")
    return failed("volume_full", `the volume for test data is full (${code})`)
  return failed("configuration", `the test data cannot be written (${code ?? "unexpected failure"})`)
}

const systemCodes = new Set([
  "ENOSPC",
  "EDQUOT",
  "EFBIG",
  "EACCES",
  "EPERM",
  "EROFS",
  "EISDIR",
  "ENOTDIR",
  "ELOOP",
  "EMFILE",
  "ENFILE",
  "EIO",
  "ENAMETOOLONG"
])

/** failures of our own disk must not be taken for those of the network, which are tried again */
const ownFault = (error: unknown): unknown => {
  if (error instanceof LengthDiffers)
    return new StorageTrouble({ reason: "changed", message: error.message, again: false })
  if (error instanceof UnsafePlace)
    return new StorageTrouble({ reason: "unsafe_key", message: error.message, again: false })
  if (!systemCodes.has((error as NodeJS.ErrnoException).code ?? "")) return error
  const failure = fromSystem(error)
  return failure instanceof StorageTrouble
    ? failure
    : new StorageTrouble({ reason: failure.reason, message: failure.message, again: false })
}

const chunks = async function* (answer: IncomingMessage): AsyncGenerator<Buffer> {
  for await (const chunk of answer) yield chunk as Buffer
  if (!answer.complete) throw new Error("the answer was cut")
}

const fetchObject = (
  client: StorageClient,
  staging: Staging,
  listed: PlannedObject,
  count: (length: number) => void,
  changes = 0
): Effect.Effect<void, StorageTrouble> =>
  client
    .send({
      key: listed.key,
      ...(listed.etag === "" ? {} : { headers: { "if-match": listed.etag } }),
      consume: async (answer) => {
        let counted = 0
        const remember = (length: number) => {
          counted += length
          count(length)
        }
        try {
          const length = answer.headers["content-length"]
          if (length !== undefined && Number(length) !== listed.size)
            throw new LengthDiffers({ message: "its length is not the listed one" })
          await staging.write(listed, chunks(answer), remember)
        } catch (error) {
          // what did not stay does not count
          count(-counted)
          answer.destroy()
          throw ownFault(error)
        }
      }
    })
    .pipe(
      Effect.catchIf(
        ({ reason }) => reason === "changed" && changes < maxChanges,
        () =>
          Effect.gen(function* () {
            const { objects } = yield* listPage(client, listed.key, { max: 1 })
            const now = objects.find(({ key }) => key === listed.key)
            if (now === undefined)
              return yield* new StorageTrouble({
                reason: "gone",
                message: `object ${JSON.stringify(listed.key)} was removed during the download`,
                again: false
              })
            return yield* fetchObject(client, staging, { ...now, path: listed.path }, count, changes + 1)
          })
      )
    )

const run = (
  request: TestDataRequest
): Effect.Effect<{ readonly objects: number; readonly bytes: number }, TestDataFailed, Scope.Scope> =>
  Effect.gen(function* () {
    const { bucket, key, target, staging: stagingPath, maxBytes, maxObjects, parallel } = request
    const storage = objectStorage(request.secret, request.requireTls)
    if (Either.isLeft(storage)) return yield* failed("configuration", storage.left)
    const client = yield* makeStorageClient(storage.right, bucket, {
      egress: request.egress,
      way: request.way ?? straight,
      parallel
    })
    const listed = yield* listAll(client, key, maxObjects)
    const reserved = dirname(stagingPath) === target ? basename(stagingPath) : undefined
    const planned = planObjects(listed, key, { maxBytes, maxObjects, reserved })
    if (Either.isLeft(planned)) return yield* failed(planned.left.reason, planned.left.message)
    const objects = planned.right
    if (objects.length === 0) return yield* nothingFound(request)
    const summary = { objects: objects.length, bytes: objects.reduce((sum, { size }) => sum + size, 0) }
    const staging = yield* Effect.try({ try: () => openStaging(target, stagingPath), catch: fromSystem })
    let bytes = objects.filter(staging.has).reduce((sum, { size }) => sum + size, 0)
    const count = (length: number) => {
      bytes += length
      if (length > 0 && bytes > maxBytes)
        throw new StorageTrouble({
          reason: "too_large",
          message: `the objects grew beyond test_data.max_bytes ${maxBytes} during the download`,
          again: false
        })
    }
    yield* Effect.forEach(
      objects.filter((object) => !staging.has(object)),
      (object) => fetchObject(client, staging, object, count),
      { concurrency: parallel, discard: true }
    ).pipe(Effect.mapError((error) => new TestDataFailed({ ...pick(asFailure(error)), listed: summary })))
    yield* Effect.try({ try: staging.finish, catch: fromSystem })
    return summary
  }).pipe(Effect.mapError((error) => (error instanceof StorageTrouble ? asFailure(error) : error)))

const pick = ({ reason, message }: TestDataFailed) => ({ reason, message })

/** the whole run; interruption leaves complete files and what is needed to go on */
export const fetchTestData: FetchTestData = (request) => Effect.scoped(run(request)).pipe(inTime(request))
