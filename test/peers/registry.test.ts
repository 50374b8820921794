/** Artifacts in a real registry: pushed, pulled back, compared; with a password, with a wrong one, while it is down. */

import { execFileSync } from "node:child_process"
import { createHash } from "node:crypto"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { gunzipSync } from "node:zlib"
import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Fiber, Layer, Redacted } from "effect"
import { JobStore } from "../../application/ports/stores/job-store.ts"
import { UnitSecrets } from "../../application/ports/stores/unit-secrets.ts"
import { straight } from "../../domain/proxies.ts"
import * as LocalSecrets from "../../infrastructure/local/local-secrets.ts"
import * as ResultTraffic from "../../interfaces/http/gateway/result-traffic.ts"
import type { JobSpec } from "../../providers/contract/job-spec.ts"
import { defaultNames } from "../../providers/sdk/export/oci-artifact.ts"
import { pushArtifact } from "../../providers/sdk/export/oci-push.ts"
import { HttpApp, layer } from "../support/http-app.ts"
import { findProgram, missingPrograms, startPeerProcess } from "../support/peer-process.ts"
import { makeJob } from "../support/stored-jobs.ts"
import { tempDir } from "../support/temp-dir.ts"

const missing = missingPrograms({
  "docker-registry": "apt-get install docker-registry",
  htpasswd: "apt-get install apache2-utils"
})
const repository = "team/results"
const id = "aaaaaaaa-0000-7000-8000-000000000001"

const startRegistry = (dir: string, options: { readonly port?: number; readonly users?: string } = {}) => {
  const users = join(dir, "users")
  const file = join(dir, "registry.yml")
  if (options.users !== undefined) writeFileSync(users, options.users)
  return startPeerProcess("docker-registry", {
    ...(options.port === undefined ? {} : { port: options.port }),
    arguments: (port) => {
      const auth = options.users === undefined ? "" : `auth:\n  htpasswd:\n    realm: test\n    path: ${users}\n`
      writeFileSync(
        file,
        `version: 0.1\nlog:\n  level: error\nstorage:\n  filesystem:\n    rootdirectory: ${join(dir, "store")}\nhttp:\n  addr: 127.0.0.1:${port}\n${auth}`
      )
      return ["serve", file]
    }
  })
}

const contents: Readonly<Record<string, Buffer>> = {
  "metrics.json": Buffer.from('{"acc":0.5}\n'),
  "samples/task.ndjson": Buffer.from(Array.from({ length: 60_000 }, (_, at) => `{"i":${at}}\n`).join("")),
  [`deep/${"long-name-".repeat(15)}/${"x".repeat(90)}.bin`]: createHash("sha512").update("bytes").digest(),
  empty: Buffer.alloc(0)
}

const resultsIn = (dir: string) => {
  const folder = join(dir, "results")
  for (const [name, content] of Object.entries(contents)) {
    mkdirSync(join(folder, name, ".."), { recursive: true })
    writeFileSync(join(folder, name), content)
  }
  return folder
}

const job: JobSpec = {
  id,
  provider_id: "demo",
  benchmark_id: "bench-0",
  benchmark_index: 0,
  model: { url: "http://m/v1", name: "m" },
  parameters: {},
  callback_url: "http://c"
}

type Oci = NonNullable<NonNullable<JobSpec["exports"]>["oci"]>

const pushTo = (folder: string, oci: Oci, limit = Duration.seconds(60)) => {
  const warnings: Array<string> = []
  const warn = ({ code }: { readonly code: string }) => Effect.sync(() => void warnings.push(code))
  return Effect.map(
    pushArtifact(job, oci, { folder, completedAt: "2026-01-02T03:04:05.678Z", names: defaultNames, limit, warn }),
    (pushed) => ({
      ...pushed,
      warnings
    })
  )
}

const direct = (url: string, more: Partial<Oci["coordinates"]> = {}): Oci => ({
  coordinates: { oci_host: new URL(url).host, oci_repository: repository, oci_tag: "v1", ...more },
  push_scheme: "http"
})

const get = (url: string, authorization?: string) =>
  Effect.promise(async () => {
    const accept = "application/vnd.oci.image.manifest.v1+json, application/vnd.oci.image.index.v1+json"
    const answer = await fetch(url, { headers: { accept, ...(authorization === undefined ? {} : { authorization }) } })
    return {
      status: answer.status,
      digest: answer.headers.get("docker-content-digest"),
      bytes: Buffer.from(await answer.arrayBuffer())
    }
  })

interface Pulled {
  readonly subject?: { readonly digest: string }
  readonly layers: ReadonlyArray<{ readonly digest: string; readonly annotations: Readonly<Record<string, string>> }>
}

/** unpacks with the system's own tar */
const unpack = (dir: string, layer: Buffer, name: string): Buffer => {
  const file = join(dir, "layer.tar")
  writeFileSync(file, gunzipSync(layer))
  return execFileSync("tar", ["-xOf", file, name], { maxBuffer: 64 * 1024 * 1024 })
}

const compare = (url: string, dir: string, reference: string, authorization?: string) =>
  Effect.gen(function* () {
    const manifest = yield* get(`${url}/v2/${repository}/manifests/${reference}`, authorization)
    assert.strictEqual(manifest.status, 200)
    const { layers }: Pulled = JSON.parse(manifest.bytes.toString())
    assert.sameMembers(
      layers.map(({ annotations }) => annotations["olot.layer.content.name"]),
      Object.keys(contents)
    )
    for (const { digest, annotations } of layers) {
      const blob = yield* get(`${url}/v2/${repository}/blobs/${digest}`, authorization)
      assert.strictEqual(`sha256:${createHash("sha256").update(blob.bytes).digest("hex")}`, digest)
      const name = annotations["olot.layer.content.name"] ?? ""
      assert.isTrue(unpack(dir, blob.bytes, name).equals(contents[name] ?? Buffer.from("other")), name)
    }
    return manifest
  })

describe.skipIf(missing.length > 0)("a real registry", () => {
  it.scopedLive("pushed, pulled back and unpacked: the same bytes; again: the same digest", () =>
    Effect.gen(function* () {
      const dir = yield* tempDir
      const registry = yield* startRegistry(dir)
      const folder = resultsIn(dir)
      const { digest } = yield* pushTo(folder, direct(registry.url))
      assert.strictEqual((yield* compare(registry.url, dir, "v1")).digest, digest)
      assert.strictEqual((yield* pushTo(folder, direct(registry.url, { oci_tag: "v2" }))).digest, digest)
    })
  )

  it.scopedLive("a subject is named, and listed under its tag because this registry knows no referrers", () =>
    Effect.gen(function* () {
      const dir = yield* tempDir
      const registry = yield* startRegistry(dir)
      const folder = resultsIn(dir)
      const model = yield* pushTo(folder, direct(registry.url, { oci_tag: "model" }))
      const result = yield* pushTo(folder, direct(registry.url, { oci_subject: "model", annotations: { k: "v" } }))
      assert.deepStrictEqual(result.warnings, [])
      const manifest: Pulled = JSON.parse(
        (yield* get(`${registry.url}/v2/${repository}/manifests/v1`)).bytes.toString()
      )
      assert.strictEqual(manifest.subject?.digest, model.digest)
      const index = JSON.parse(
        (yield* get(`${registry.url}/v2/${repository}/manifests/${model.digest.replace(":", "-")}`)).bytes.toString()
      )
      assert.strictEqual(index.manifests[0].digest, result.digest)
      const without = yield* pushTo(folder, direct(registry.url, { oci_tag: "v3", oci_subject: "nobody" }))
      assert.deepStrictEqual(without.warnings, ["artifact_subject_not_found"])
    })
  )

  it.scopedLive("down at first, up later: the push waits for it", () =>
    Effect.gen(function* () {
      const dir = yield* tempDir
      const first = yield* startRegistry(dir)
      yield* first.stop
      const folder = resultsIn(dir)
      const failed = yield* Effect.flip(pushTo(folder, direct(first.url), Duration.seconds(2)))
      assert.match(failed.message, /cannot be reached.*given up after 2 s/)
      const waiting = yield* Effect.fork(pushTo(folder, direct(first.url)))
      yield* Effect.sleep("1 second")
      yield* startRegistry(dir, { port: first.port })
      yield* Fiber.join(waiting)
      yield* compare(first.url, dir, "v1")
    })
  )

  const throughServer = (password: string) =>
    Effect.gen(function* () {
      const dir = yield* tempDir
      const users = execFileSync(findProgram("htpasswd") ?? "htpasswd", ["-Bbn", "me", "right"], { encoding: "utf8" })
      const registry = yield* startRegistry(dir, { users })
      const { host } = new URL(registry.url)
      const login = join(dir, "secrets", "login")
      mkdirSync(login, { recursive: true, mode: 0o700 })
      const auth = Buffer.from(`me:${password}`).toString("base64")
      writeFileSync(join(login, "config.json"), JSON.stringify({ auths: { [host]: { auth } } }), { mode: 0o600 })
      const results = ResultTraffic.layer({
        insecureRegistries: false,
        way: straight,
        tracker: undefined,
        newToken: () => "token"
      }).pipe(Layer.provide(LocalSecrets.layer(join(dir, "secrets"))))
      const pushed = yield* Effect.gen(function* () {
        const { port } = yield* HttpApp
        const request = { exports: { oci: { coordinates: { host, repository }, connection: "login" } } }
        yield* (yield* JobStore).insert(makeJob({ id, tenant: "default", benchmarks: 1, request }), [])
        const secret = Redacted.value(
          yield* (yield* UnitSecrets).issue({ tenant: "default", jobId: id, index: 0, attempt: 1 })
        )
        const oci: Oci = { ...direct(registry.url), push_host: `127.0.0.1:${port}`, push_prefix: `/cb/${secret}` }
        return yield* Effect.either(pushTo(resultsIn(dir), oci))
      }).pipe(Effect.provide(layer({ results })))
      return { pushed, registry, dir }
    })

  it.scopedLive("with a password, through the server: the adapter's side has no credential", () =>
    Effect.gen(function* () {
      const { pushed, registry, dir } = yield* throughServer("right")
      assert.strictEqual(pushed._tag, "Right")
      assert.strictEqual((yield* get(`${registry.url}/v2/${repository}/manifests/v1`)).status, 401)
      yield* compare(registry.url, dir, "v1", `Basic ${Buffer.from("me:right").toString("base64")}`)
    })
  )

  it.scopedLive("with a wrong password: a clear reason, at once", () =>
    Effect.gen(function* () {
      const { pushed } = yield* throughServer("wrong")
      assert.strictEqual(pushed._tag, "Left")
      if (pushed._tag === "Left")
        assert.match(pushed.left.message, /the registry answered 401 \(UNAUTHORIZED.*check the credentials/)
    })
  )
})
