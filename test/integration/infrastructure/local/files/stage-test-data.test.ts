/** Test data of local units: local secret, same downloader as in a pod, read-only afterwards. Reference: gateway.md, "Test data". */

import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Random } from "effect"

import { SecretReader } from "../../../../../application/ports/secret-reader.ts"
import type { S3Reference } from "../../../../../domain/job/job.ts"
import { straight } from "../../../../../domain/proxies.ts"
import { stageTestData } from "../../../../../infrastructure/local/files/stage-test-data.ts"
import { unlockTestData } from "../../../../../infrastructure/local/files/unit-directory.ts"
import * as LocalSecrets from "../../../../../infrastructure/local/local-secrets.ts"
import { fetchTestData } from "../../../../../infrastructure/objectstore/download.ts"
import { folderStorage } from "../../../../../infrastructure/objectstore/folder-storage.ts"
import { fakeS3, s3Keys } from "../../../../support/fake-s3.ts"
import { unitOf } from "../../../../support/local-units.ts"
import { makeJob } from "../../../../support/stored-jobs.ts"
import { tempDir } from "../../../../support/temp-dir.ts"

const hasty = Effect.withRandom(Random.fixed([0]))

const scene = (
  keys: Readonly<Record<string, string>> = {},
  objects: ReadonlyMap<string, string> = new Map([["set/a/x.jsonl", "1"]])
) =>
  Effect.gen(function* () {
    const dir = yield* tempDir
    const fake = yield* fakeS3({ bucket: "bucket", objects })
    const secret = join(dir, "secrets", "s3-keys")
    mkdirSync(secret, { recursive: true, mode: 0o700 })
    const texts = {
      AWS_ACCESS_KEY_ID: s3Keys.accessKeyId,
      AWS_SECRET_ACCESS_KEY: s3Keys.secretAccessKey,
      AWS_DEFAULT_REGION: s3Keys.region,
      AWS_S3_ENDPOINT: fake.url,
      ...keys
    }
    for (const [name, text] of Object.entries(texts)) writeFileSync(join(secret, name), text, { mode: 0o600 })
    const target = join(dir, "unit", "test_data")
    mkdirSync(join(dir, "unit"))
    const stage = (over: Partial<S3Reference> = {}) =>
      Effect.gen(function* () {
        const secrets = yield* SecretReader
        const s3 = { bucket: "bucket", key: "set/a", secretRef: "s3-keys", ...over }
        const unit = unitOf(makeJob({ id: "j", tenant: "default", benchmarks: 1, entry: () => ({ testData: { s3 } }) }))
        yield* stageTestData(
          { fetch: fetchTestData, way: straight, secrets, folders: folderStorage(join(dir, "buckets")) },
          { maxBytes: 1000, timeoutSeconds: 20 }
        )(unit, target)
      }).pipe(Effect.provide(LocalSecrets.layer(join(dir, "secrets"))), hasty)
    return { stage, target, fake, dir }
  })

describe("stageTestData", () => {
  it.scopedLive("fetches, leaves the directory read-only with nothing of ours in it, and can do so again", () =>
    Effect.gen(function* () {
      const { stage, target, fake } = yield* scene()
      yield* stage()
      assert.deepStrictEqual(readdirSync(target), ["x.jsonl"])
      assert.strictEqual(statSync(target).mode & 0o777, 0o555)
      const gets = fake.gets().length
      assert.isAbove(gets, 0)
      yield* stage()
      assert.strictEqual(fake.gets().length, gets)
      assert.strictEqual(readFileSync(join(target, "x.jsonl"), "utf8"), "1")
    })
  )

  it.scopedLive("what is read-only can be removed with the unit again, from the unit, its job or its instance", () =>
    Effect.gen(function* () {
      const root = yield* tempDir
      const data = join(root, "job", "0-unit", "test_data")
      mkdirSync(data, { recursive: true })
      for (const path of [join(root, "job", "0-unit"), join(root, "job"), root]) {
        chmodSync(data, 0o555)
        unlockTestData(path)
        assert.strictEqual(statSync(data).mode & 0o777, 0o755)
      }
    })
  )

  const withFolder = Effect.gen(function* () {
    const { stage, target, fake, dir } = yield* scene()
    const bucket = join(dir, "buckets", "mine")
    mkdirSync(join(bucket, "set", "a", "deep"), { recursive: true })
    for (const [path, text] of Object.entries({
      "set/a/x.jsonl": "local",
      "set/a/deep/y": "y",
      "set/ab": "beside",
      "set/one": "1"
    }))
      writeFileSync(join(bucket, path), text)
    const staged = () => readdirSync(target, { recursive: true }).map(String).sort()
    const fromFolder = (key: string) => stage({ bucket: "mine", key, secretRef: "nobody-has-it" })
    return { stage, fromFolder, staged, target, fake, bucket, dir }
  })

  it.scopedLive("a folder stands for the bucket: its files are copied, no secret and no network is used", () =>
    Effect.gen(function* () {
      const { fromFolder, staged, target, fake, bucket } = yield* withFolder
      yield* fromFolder("set/a")
      assert.deepStrictEqual(staged(), ["ab", "deep", "deep/y", "x.jsonl"])
      assert.strictEqual(readFileSync(join(target, "x.jsonl"), "utf8"), "local")
      assert.strictEqual(statSync(target).mode & 0o777, 0o555)
      assert.deepStrictEqual(fake.requests, [])
      writeFileSync(join(bucket, "set", "a", "x.jsonl"), "changed")
      yield* fromFolder("set/a/")
      assert.strictEqual(readFileSync(join(target, "x.jsonl"), "utf8"), "changed")
    })
  )

  it.scopedLive("a key may name one file, and the whole bucket", () =>
    Effect.gen(function* () {
      const { fromFolder, staged, target } = yield* withFolder
      yield* fromFolder("set/one")
      assert.deepStrictEqual(staged(), ["one"])
      chmodSync(target, 0o755)
      yield* fromFolder("set/on")
      assert.deepStrictEqual(staged(), ["one"])
      chmodSync(target, 0o755)
      yield* fromFolder("")
      assert.includeMembers(staged(), ["set/a/deep/y", "set/ab", "set/one"])
    })
  )

  it.scopedLive(
    "nothing outside the folder is read: dot segments, links to files and to folders, a bucket that is a link",
    () =>
      Effect.gen(function* () {
        const { stage, fromFolder, target, fake, bucket, dir } = yield* withFolder
        const outside = join(dir, "outside")
        mkdirSync(outside)
        writeFileSync(join(outside, "secret"), "secret")
        symlinkSync(outside, join(bucket, "away"))
        mkdirSync(join(bucket, "linked"))
        symlinkSync(join(outside, "secret"), join(bucket, "linked", "file"))
        for (const key of ["../../outside", "set/../../../outside", "/outside", "away", "away/secret", "linked", ""]) {
          const refusal = yield* Effect.flip(fromFolder(key))
          assert.strictEqual(refusal.code, "init_failed", key)
          assert.match(refusal.message, /link|segment/, key)
          assert.isFalse(existsSync(join(target, "secret")), key)
        }
        symlinkSync(outside, join(dir, "buckets", "elsewhere"))
        assert.strictEqual(
          (yield* Effect.flip(stage({ bucket: "elsewhere", secretRef: "none" }))).code,
          "secret_not_found"
        )
        assert.deepStrictEqual(fake.requests, [])
      })
  )

  it.scopedLive("limits hold for copied files too, and an empty folder is told", () =>
    Effect.gen(function* () {
      const { fromFolder, bucket } = yield* withFolder
      assert.strictEqual((yield* Effect.flip(fromFolder("nothing"))).code, "test_data_not_found")
      writeFileSync(join(bucket, "set", "big"), "x".repeat(2000))
      assert.match((yield* Effect.flip(fromFolder("set"))).message, /test_data\.max_bytes 1000/)
    })
  )

  for (const [what, over, keys, code, message] of [
    ["an empty folder", { key: "nothing" }, {}, "test_data_not_found", /no object whose key begins with "nothing"/],
    ["a missing secret", { secretRef: "other" }, {}, "secret_not_found", /local\.secrets_dir/],
    ["a missing key", {}, { AWS_DEFAULT_REGION: "" }, "init_failed", /AWS_DEFAULT_REGION/],
    ["a refused key", {}, { AWS_SECRET_ACCESS_KEY: "wrong" }, "init_failed", /AWS_SECRET_ACCESS_KEY/]
  ] as const)
    it.scopedLive(`${what}: the launch is refused with ${code}`, () =>
      Effect.gen(function* () {
        const { stage, target } = yield* scene(keys)
        const refusal = yield* Effect.flip(stage(over))
        assert.strictEqual(refusal.code, code)
        assert.match(refusal.message, message)
        assert.isFalse(existsSync(join(target, "x.jsonl")))
      })
    )
})
