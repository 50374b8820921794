/** The init container from its configuration file to exit code and termination message. Reference: gateway.md, "Test data". */
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Random } from "effect"
import { type FetchTestData, TestDataFailed, type TestDataReason } from "../../../../application/ports/test-data.ts"
import { fetchTestData } from "../../../../infrastructure/objectstore/download.ts"
import { runInit } from "../../../../interfaces/init/run-init.ts"
import type { InitConfig } from "../../../../providers/contract/init-config.ts"
import { fakeS3, s3Keys } from "../../../support/fake-s3.ts"
import { connectProxy } from "../../../support/proxies.ts"
import { tempDir } from "../../../support/temp-dir.ts"

const hasty = Effect.withRandom(Random.fixed([0]))

const pod = (endpoint: string, over: Partial<InitConfig> = {}, keys: Readonly<Record<string, string>> = {}) =>
  Effect.map(tempDir, (root) => {
    const target = join(root, "test_data")
    mkdirSync(target)
    // as a kubelet mounts it: keys are links into a directory that is switched by one link
    mkdirSync(join(root, "secret", "..version"), { recursive: true })
    symlinkSync("..version", join(root, "secret", "..data"))
    const texts = {
      AWS_ACCESS_KEY_ID: s3Keys.accessKeyId,
      AWS_SECRET_ACCESS_KEY: s3Keys.secretAccessKey,
      AWS_DEFAULT_REGION: s3Keys.region,
      AWS_S3_ENDPOINT: endpoint,
      ...keys
    }
    for (const [name, text] of Object.entries(texts)) {
      writeFileSync(join(root, "secret", "..version", name), text)
      symlinkSync(join("..data", name), join(root, "secret", name))
    }
    const config: InitConfig = {
      version: 1,
      s3: { bucket: "b", key: "data" },
      secret_dir: join(root, "secret"),
      target,
      max_bytes: 1000,
      max_objects: 100,
      parallel: 4,
      timeout_seconds: 30,
      egress: { deny_cidrs: [], allow_cidrs: ["127.0.0.0/8"], allow_hosts: [], require_tls_for_credentials: false },
      ...over
    }
    const path = join(root, "init.json")
    writeFileSync(path, JSON.stringify(config))
    return { path, target }
  })

const start = (path: string, fetch: FetchTestData = fetchTestData, apiServer?: string) =>
  hasty(runInit(path, { fetch, apiServer }))

describe("runInit", () => {
  it.scopedLive("fetches the objects and says how many", () =>
    Effect.gen(function* () {
      const fake = yield* fakeS3({ bucket: "b", objects: new Map([["data/x", "12345"]]) })
      const { path, target } = yield* pod(fake.url)
      const { exitCode, message } = yield* start(path)
      assert.strictEqual(exitCode, 0)
      assert.deepInclude(JSON.parse(message), {
        v: 1,
        code: "completed",
        bucket: "b",
        prefix: "data",
        objects: 1,
        bytes: 5
      })
      assert.strictEqual(readFileSync(join(target, "x"), "utf8"), "12345")
    })
  )

  it.scopedLive(
    "fetches through the pod's proxy with the credentials of the mounted secret; a proxy that is none is exit 10",
    () =>
      Effect.gen(function* () {
        const fake = yield* fakeS3({ bucket: "b", objects: new Map([["data/x", "12345"]]) })
        const proxy = yield* connectProxy("me:s3cret")
        const secret_dir = yield* tempDir
        writeFileSync(join(secret_dir, "credentials"), "me:s3cret\n")
        const by = (http: string) =>
          Effect.flatMap(pod(fake.url, { proxy: { http, named: ["127.0.0.1"], secret_dir } }), ({ path }) =>
            start(path)
          )
        assert.strictEqual((yield* by(`http://${proxy.address}`)).exitCode, 0)
        assert.include(proxy.asked, new URL(fake.url).host)
        const refused = yield* by("socks5://proxy.test")
        assert.strictEqual(refused.exitCode, 10)
        assert.match(refused.message, /proxy\.http: expected the address of a proxy/)
      })
  )

  it.scopedLive("nothing to fetch: exit 11, test_data_not_found", () =>
    Effect.gen(function* () {
      const fake = yield* fakeS3({ bucket: "b", objects: new Map([["other", "1"]]) })
      const { exitCode, message } = yield* start((yield* pod(fake.url)).path)
      assert.strictEqual(exitCode, 11)
      assert.strictEqual(JSON.parse(message).code, "test_data_not_found")
    })
  )

  it.scopedLive("refused keys: exit 12, no credential in the message", () =>
    Effect.gen(function* () {
      const fake = yield* fakeS3({ bucket: "b", objects: new Map([["data/x", "1"]]) })
      const { exitCode, message } = yield* start(
        (yield* pod(fake.url, {}, { AWS_SECRET_ACCESS_KEY: "canary-key" })).path
      )
      assert.strictEqual(exitCode, 12)
      assert.strictEqual(JSON.parse(message).code, "init_failed")
      assert.notInclude(message, "canary")
    })
  )

  it.scopedLive("the policy of the pod and the address of the API server hold: exit 13", () =>
    Effect.gen(function* () {
      const fake = yield* fakeS3({ bucket: "b", objects: new Map([["data/x", "1"]]) })
      const egress = { deny_cidrs: [], allow_cidrs: [], allow_hosts: [], require_tls_for_credentials: false }
      assert.strictEqual((yield* start((yield* pod(fake.url, { egress })).path)).exitCode, 13)
      const api = yield* start((yield* pod("http://10.1.2.3:9000")).path, fetchTestData, "10.1.2.3")
      assert.strictEqual(api.exitCode, 13)
      assert.include(api.message, "outbound policy")
    })
  )

  const exits: ReadonlyArray<readonly [TestDataReason, number]> = [
    ["configuration", 10],
    ["too_large", 14],
    ["unsafe_key", 15],
    ["volume_full", 16]
  ]
  for (const [reason, exit] of exits)
    it.scopedLive(`${reason}: exit ${exit}, init_failed, with what was listed`, () =>
      Effect.gen(function* () {
        const fail: FetchTestData = () =>
          Effect.fail(new TestDataFailed({ reason, message: "m".repeat(1500), listed: { objects: 3, bytes: 7 } }))
        const end = yield* start((yield* pod("http://x")).path, fail)
        assert.strictEqual(end.exitCode, exit)
        const document = JSON.parse(end.message)
        assert.deepInclude(document, { code: "init_failed", objects: 3, bytes: 7 })
        assert.lengthOf(document.message, 1024)
      })
    )

  it.scopedLive("a configuration that cannot be used: exit 10, every problem by its path", () =>
    Effect.gen(function* () {
      const { path } = yield* pod("http://x")
      const given = JSON.parse(readFileSync(path, "utf8"))
      writeFileSync(path, JSON.stringify({ ...given, parallel: 0, s3: { bucket: "" }, extra: 1 }))
      const end = yield* start(path)
      assert.strictEqual(end.exitCode, 10)
      for (const member of ["parallel", "s3.bucket", "s3.key", "extra"])
        assert.include(JSON.parse(end.message).message, member)
      writeFileSync(path, "{")
      assert.strictEqual((yield* start(path)).exitCode, 10)
      assert.strictEqual((yield* start(`${path}.missing`)).exitCode, 10)
      const noSecret = yield* pod("http://x", { secret_dir: "/nowhere/at/all" })
      assert.strictEqual((yield* start(noSecret.path)).exitCode, 10)
    })
  )
})
