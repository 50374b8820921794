/** The result folder in a registry, and every way the registry can fail. Reference: adapter-contract.md, "Artifacts". */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import type { ServerResponse } from "node:http"
import { join } from "node:path"
import { gunzipSync } from "node:zlib"
import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Random } from "effect"
import type { JobSpec } from "../../../../../providers/contract/job-spec.ts"
import { defaultNames } from "../../../../../providers/sdk/export/oci-artifact.ts"
import { type PushOptions, pushArtifact } from "../../../../../providers/sdk/export/oci-push.ts"
import { digestOf, type FakeRegistry, fakeRegistry, type RegistryOptions } from "../../../../support/fake-registry.ts"
import { frameworkJob } from "../../../../support/framework-request.ts"
import { closedPort } from "../../../../support/http-peer.ts"
import { tempDir } from "../../../../support/temp-dir.ts"

const hasty = Effect.withRandom(Random.fixed([0]))
const repository = "team/results"

const job = frameworkJob({ id: "j" })

type Coordinates = NonNullable<NonNullable<JobSpec["exports"]>["oci"]>["coordinates"]

const folderWith = (files: Readonly<Record<string, string>>) =>
  Effect.map(tempDir, (dir) => {
    const folder = join(dir, "results")
    for (const [name, content] of Object.entries(files)) {
      mkdirSync(join(folder, name, ".."), { recursive: true })
      writeFileSync(join(folder, name), content)
    }
    return folder
  })

const contents = {
  "result.json": "{}\n",
  "metrics.json": '{"acc":1}\n',
  "samples/task.ndjson": "line\n".repeat(50_000),
  empty: ""
}

const withRegistry = (options: Partial<RegistryOptions> = {}) =>
  Effect.gen(function* () {
    const registry = yield* fakeRegistry({ repository, ...options })
    const folder = yield* folderWith(contents)
    const warnings: Array<string> = []
    const push = (coordinates: Partial<Coordinates> = {}, over: Partial<PushOptions> = {}) =>
      pushArtifact(
        job,
        {
          coordinates: { oci_host: registry.host, oci_repository: repository, oci_tag: "v1", ...coordinates },
          push_scheme: "http"
        },
        {
          folder,
          completedAt: "2026-01-02T03:04:05.678Z",
          names: defaultNames,
          limit: Duration.seconds(20),
          warn: ({ code }) => Effect.sync(() => void warnings.push(code)),
          ...over
        }
      ).pipe(hasty)
    return { registry, folder, push, warnings }
  })

const manifestAt = (registry: FakeRegistry, reference: string) =>
  JSON.parse(registry.manifests.get(reference)?.body.toString() ?? "{}")

/** name and content of the files as somebody who pulls them sees them */
const pulled = (registry: FakeRegistry, reference: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    manifestAt(registry, reference).layers.map(
      (layer: { readonly digest: string; readonly annotations: Readonly<Record<string, string>> }) => {
        const tar = gunzipSync(registry.blobs.get(layer.digest) ?? "")
        const size = Number.parseInt(tar.subarray(124, 135).toString(), 8)
        return [layer.annotations["olot.layer.content.name"], tar.subarray(512, 512 + size).toString()]
      }
    )
  )

describe("pushArtifact", () => {
  it.scopedLive("pushes each file as a layer; the digest is the registry's; nothing of ours stays behind", () =>
    Effect.gen(function* () {
      const { registry, push, folder } = yield* withRegistry()
      const { digest, reference } = yield* push()
      assert.strictEqual(reference, `${registry.host}/${repository}:v1@${digest}`)
      assert.strictEqual(digestOf(registry.manifests.get("v1")?.body ?? ""), digest)
      assert.deepStrictEqual(pulled(registry, "v1"), contents)
      const { config, layers } = manifestAt(registry, "v1")
      const diffIds = JSON.parse(registry.blobs.get(config.digest)?.toString() ?? "{}").rootfs.diff_ids
      assert.deepStrictEqual(
        diffIds,
        layers.map((layer: { readonly digest: string }) => digestOf(gunzipSync(registry.blobs.get(layer.digest) ?? "")))
      )
      assert.deepStrictEqual(readdirSync(join(folder, "..")), ["results"])
    })
  )

  it.scopedLive("again: the same digest, no blob sent twice", () =>
    Effect.gen(function* () {
      const { registry, push } = yield* withRegistry({ relativeUploads: true })
      const first = yield* push()
      const before = registry.steps.length
      assert.deepStrictEqual(yield* push(), first)
      assert.notInclude(registry.steps.slice(before), "POST upload")
    })
  )

  it.scopedLive("without a tag the identity of the benchmark makes one", () =>
    Effect.gen(function* () {
      const { registry, folder } = yield* withRegistry()
      const oci = { coordinates: { oci_host: registry.host, oci_repository: repository }, push_scheme: "http" } as const
      const { reference } = yield* pushArtifact(job, oci, {
        folder,
        completedAt: "",
        names: defaultNames,
        limit: Duration.seconds(5),
        warn: () => Effect.void
      })
      assert.include(reference, `:evalhub-${digestOf("j:p:b:0").slice(7)}@`)
    })
  )

  const subjectManifest = JSON.stringify({
    schemaVersion: 2,
    mediaType: "application/vnd.oci.image.manifest.v1+json",
    layers: []
  })
  for (const referrers of [true, false])
    it.scopedLive(
      `names its subject; ${referrers ? "the registry lists referrers" : "the list of referrers is kept under a tag"}`,
      () =>
        Effect.gen(function* () {
          const { registry, push, warnings } = yield* withRegistry({ referrers })
          const type = "application/vnd.oci.image.manifest.v1+json"
          const digest = registry.putManifest("model", type, subjectManifest)
          for (const subject of [
            "model",
            digest,
            `${registry.host}/${repository}:model`,
            `${registry.host}/${repository}@${digest}`
          ]) {
            const pushed = yield* push({ oci_subject: subject })
            assert.deepStrictEqual(manifestAt(registry, pushed.digest).subject, {
              mediaType: type,
              digest,
              size: subjectManifest.length
            })
          }
          const other = yield* push({ oci_subject: "model", annotations: { k: "v" } })
          const index = registry.manifests.get(digest.replace(":", "-"))
          if (referrers) assert.isUndefined(index)
          else {
            const entries: ReadonlyArray<{ readonly digest: string; readonly artifactType: string }> = manifestAt(
              registry,
              digest.replace(":", "-")
            ).manifests
            assert.lengthOf(entries, 2)
            assert.deepInclude(entries.at(-1), { digest: other.digest, artifactType: defaultNames.artifactType })
          }
          assert.deepStrictEqual(warnings, [])
        })
    )

  it.scopedLive("an unknown subject is a warning; the artifact comes without it", () =>
    Effect.gen(function* () {
      const { registry, push, warnings } = yield* withRegistry()
      yield* push({ oci_subject: "nobody" })
      assert.deepStrictEqual(warnings, ["artifact_subject_not_found"])
      assert.notProperty(manifestAt(registry, "v1"), "subject")
    })
  )

  const steps = ["GET base", "HEAD blob", "POST upload", "PUT upload", "PUT manifest"]
  const faults: ReadonlyArray<readonly [what: string, fault: (response: ServerResponse) => void]> = [
    ["503", (response) => void response.writeHead(503).end()],
    ["429", (response) => void response.writeHead(429, { "retry-after": "0" }).end()],
    ["a reset connection", (response) => void response.destroy()]
  ]
  for (const step of steps)
    for (const [what, fault] of faults)
      it.scopedLive(`${step}: ${what} twice, then as usual`, () =>
        Effect.gen(function* () {
          let left = 2
          const { registry, push } = yield* withRegistry({
            intercept: (_, response, at) => {
              if (at !== step || left === 0) return false
              left--
              fault(response)
              return true
            }
          })
          yield* push()
          assert.strictEqual(left, 0)
          assert.deepStrictEqual(pulled(registry, "v1"), contents)
        })
      )

  for (const step of steps)
    it.scopedLive(`${step} refused: fails at once with the registry's word`, () =>
      Effect.gen(function* () {
        const { push, registry } = yield* withRegistry({
          intercept: (_, response, at) => {
            if (at !== step) return false
            response
              .writeHead(403, { "content-type": "application/json" })
              .end('{"errors":[{"code":"DENIED","message":"no write"}]}')
            return true
          }
        })
        const { message } = yield* Effect.flip(push())
        // an answer to HEAD has no body to read the word from
        assert.match(
          message,
          step === "HEAD blob" ? /registry answered 403 to/ : /registry answered 403 \(DENIED: no write\) to/
        )
        assert.include(message, "check the credentials")
        assert.isBelow(registry.steps.filter((taken) => taken === step).length, 6)
      })
    )

  it.scopedLive("a registry that is down is asked until the limit, which the message names", () =>
    Effect.gen(function* () {
      const { push } = yield* withRegistry()
      const host = `127.0.0.1:${yield* closedPort}`
      const { message } = yield* Effect.flip(push({ oci_host: host }, { limit: Duration.millis(300) }))
      assert.match(message, /the registry cannot be reached for .*ECONNREFUSED.*; given up after/)
    })
  )

  it.scopedLive("a registry that stores other bytes is noticed", () =>
    Effect.gen(function* () {
      const { push } = yield* withRegistry({
        intercept: (_, response, step) => {
          if (step !== "PUT manifest") return false
          response.writeHead(201, { "docker-content-digest": `sha256:${"0".repeat(64)}` }).end()
          return true
        }
      })
      assert.include((yield* Effect.flip(push())).message, "the registry stored sha256:000")
    })
  )

  it.scopedLive("goes below the prefix of a gateway, whatever form the upload address has", () =>
    Effect.gen(function* () {
      const paths: Array<string> = []
      const { registry } = yield* withRegistry({
        intercept: (request, response, step) => {
          paths.push(request.url ?? "")
          if (step === "HEAD blob") response.writeHead(404).end()
          else if (step === "POST upload")
            response.writeHead(202, { location: `/v2/${repository}/blobs/uploads/u1` }).end()
          else response.writeHead(201).end()
          return true
        }
      })
      const folder = yield* folderWith({ a: "1" })
      yield* pushArtifact(
        job,
        {
          coordinates: { oci_host: "registry.example", oci_repository: repository, oci_tag: "v1" },
          push_scheme: "http",
          push_host: registry.host,
          push_prefix: "/cb/secret"
        },
        { folder, completedAt: "", names: defaultNames, limit: Duration.seconds(5), warn: () => Effect.void }
      ).pipe(
        Effect.tap(({ reference }) =>
          Effect.sync(() => assert.match(reference, /^registry\.example\/team\/results:v1@sha256:/))
        )
      )
      assert.strictEqual(paths[0], "/cb/secret/v2/")
      assert.isTrue(
        paths.slice(1).every((path) => path.startsWith(`/cb/secret/v2/${repository}/`)),
        paths.join("\n")
      )
      assert.strictEqual(readFileSync(join(folder, "a"), "utf8"), "1")
    })
  )
})
