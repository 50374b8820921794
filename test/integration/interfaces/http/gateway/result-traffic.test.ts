/** Results of a unit through its callback address: a real adapter run, the server between it and a registry and a tracker. */

import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { createServer as createSecureServer } from "node:https"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Random, Redacted } from "effect"
import { JobStore } from "../../../../../application/ports/stores/job-store.ts"
import { UnitSecrets } from "../../../../../application/ports/stores/unit-secrets.ts"
import type { Benchmark, JobRequest } from "../../../../../domain/job/job.ts"
import { straight } from "../../../../../domain/proxies.ts"
import * as LocalSecrets from "../../../../../infrastructure/local/local-secrets.ts"
import * as ResultTraffic from "../../../../../interfaces/http/gateway/result-traffic.ts"
import { type JobSpec, renderJobSpec } from "../../../../../providers/contract/job-spec.ts"
import { runAdapter } from "../../../../../providers/sdk/run-adapter.ts"
import { makeAuthority } from "../../../../support/certificate.ts"
import { type FakeRegistry, fakeRegistry, type RegistryOptions } from "../../../../support/fake-registry.ts"
import { type FakeTracker, fakeTracker } from "../../../../support/fake-tracker.ts"
import { HttpApp, layer } from "../../../../support/http-app.ts"
import { listening } from "../../../../support/loopback-server.ts"
import { makeJob } from "../../../../support/stored-jobs.ts"
import { tempDir } from "../../../../support/temp-dir.ts"

const hasty = Effect.withRandom(Random.fixed([0]))
const id = "aaaaaaaa-0000-7000-8000-000000000001"
const repository = "team/results"
const adapter = { name: "test", run: () => Effect.succeed({ metrics: [{ name: "acc", value: 0.5 }] }) }

const secretsIn = (dir: string, host: string, credentials: string) => {
  mkdirSync(join(dir, "registry-login"), { mode: 0o700, recursive: true })
  const config = { auths: { [host]: { auth: Buffer.from(credentials).toString("base64") } } }
  writeFileSync(join(dir, "registry-login", ".dockerconfigjson"), JSON.stringify(config), { mode: 0o600 })
}

interface Scene {
  readonly registry: Partial<RegistryOptions>
  /** what the local secret says */
  readonly credentials: string
  readonly connection?: string
  /** instead of the fake tracker's */
  readonly trackerUri?: string
}

const login = "me:pass:word"

interface Seen {
  readonly registry: FakeRegistry
  readonly tracker: FakeTracker
  readonly dir: string
  readonly exit: number
  readonly benchmark: Benchmark
  /** a request below the callback address */
  readonly ask: (
    method: string,
    path: string
  ) => Effect.Effect<{ readonly status: number; readonly headers: Headers; readonly text: string }>
  readonly secret: string
}

/** the whole way: stored job, issued secret, adapter run, server, peers */
const run = (
  { registry: options, credentials, connection = "registry-login", trackerUri }: Scene,
  look: (seen: Seen) => Effect.Effect<void>
) =>
  Effect.gen(function* () {
    const registry = yield* fakeRegistry({ repository, ...options })
    const tracker = yield* fakeTracker({ token: "tracker-token", experiments: { exp: "active" } })
    const dir = yield* tempDir
    secretsIn(dir, registry.host, credentials)
    let tokens = 0
    const results = ResultTraffic.layer({
      insecureRegistries: false,
      way: straight,
      newToken: () => `upload-${++tokens}`,
      tracker: {
        uri: trackerUri ?? tracker.url,
        token: { current: () => "tracker-token", expire: () => {} },
        ca: () => undefined,
        unverified: false,
        workspace: (tenant) => Effect.succeed(tenant)
      }
    }).pipe(Layer.provide(LocalSecrets.layer(dir)))
    const work = Effect.gen(function* () {
      const { port } = yield* HttpApp
      const request: Partial<JobRequest> = {
        exports: { oci: { coordinates: { host: registry.host, repository, tag: "v1" }, connection } },
        experiment: { name: "exp" }
      }
      yield* (yield* JobStore).insert(
        makeJob({ id, tenant: "default", benchmarks: 1, request, trackerExperimentId: "1" }),
        []
      )
      const secret = Redacted.value(
        yield* (yield* UnitSecrets).issue({ tenant: "default", jobId: id, index: 0, attempt: 1 })
      )
      const base = `/cb/${secret}`
      const spec: JobSpec = {
        id,
        provider_id: "demo",
        benchmark_id: "bench-0",
        benchmark_index: 0,
        model: { url: "http://127.0.0.1:9/v1", name: "m" },
        parameters: {},
        callback_url: `http://127.0.0.1:${port}${base}`,
        output_dir: join(dir, "results"),
        experiment_name: "exp",
        exports: {
          oci: {
            coordinates: { oci_host: registry.host, oci_repository: repository, oci_tag: "v1" },
            push_scheme: "http",
            push_host: `127.0.0.1:${port}`,
            push_prefix: base
          }
        }
      }
      mkdirSync(join(dir, "meta"))
      writeFileSync(join(dir, "meta", "job.json"), renderJobSpec(spec))
      const exit = yield* hasty(
        runAdapter(adapter, { EVALD_MODE: "local", EVALD_JOB_SPEC_PATH: join(dir, "meta", "job.json") })
      )
      const { benchmark } = yield* (yield* JobStore).loadBenchmark(id, 0)
      const ask = (method: string, path: string) =>
        Effect.promise(async () => {
          const answer = await fetch(`http://127.0.0.1:${port}${base}${path}`, { method })
          return { status: answer.status, headers: answer.headers, text: await answer.text() }
        })
      yield* look({ registry, tracker, dir, exit, benchmark, ask, secret })
    })
    // the server needs the peers' addresses
    yield* Effect.provide(work, layer({ results }))
  })

const stored = (benchmark: Benchmark) => ({
  artifacts: benchmark.result?.artifacts,
  run: benchmark.result?.trackerRunId,
  warning: benchmark.warning?.code
})

describe("results through the callback address", () => {
  for (const scheme of ["basic", "bearer"] as const)
    it.scopedLive(`${scheme} challenge: the artifact and the run are there, the adapter saw no credential`, () =>
      run(
        { registry: { auth: { scheme, credentials: login } }, credentials: login },
        ({ registry, tracker, dir, exit, benchmark, secret }) =>
          Effect.sync(() => {
            assert.strictEqual(exit, 0)
            const digest = String(stored(benchmark).artifacts?.["oci_digest"])
            assert.deepStrictEqual(stored(benchmark), {
              artifacts: { oci_reference: `${registry.host}/${repository}:v1@${digest}`, oci_digest: digest },
              run: "run1",
              warning: undefined
            })
            assert.isTrue(registry.manifests.has(digest))
            if (scheme === "bearer") assert.strictEqual(registry.tokens(), 1)
            const tracked = tracker.runs.get("run1")
            assert.deepInclude(tracked, { status: "FINISHED", experiment: "1" })
            assert.strictEqual(tracked?.metrics.get("acc"), 0.5)
            assert.isTrue(tracker.headers.every((headers) => headers["x-mlflow-workspace"] === "default"))
            // what left is free of the secret of the callback address
            for (const content of [...registry.blobs.values(), ...tracker.artifacts.values()])
              assert.notInclude(content.toString("latin1"), secret)
            assert.notInclude(readFileSync(join(dir, "results", "environment.json"), "utf8"), secret)
          })
      )
    )

  it.scopedLive("a token that ends during the push is renewed without the adapter noticing", () => {
    let done = false
    return run(
      {
        registry: {
          auth: { scheme: "bearer", credentials: login },
          intercept: (_, __, step, expireTokens) => {
            if (step === "PUT upload" && !done) {
              done = true
              expireTokens()
            }
            return false
          }
        },
        credentials: login
      },
      ({ benchmark, registry }) =>
        Effect.sync(() => {
          assert.isUndefined(stored(benchmark).warning)
          assert.isTrue(registry.manifests.has("v1"))
          assert.isAtLeast(registry.tokens(), 2)
        })
    )
  })

  for (const [what, scene, reason] of [
    [
      "wrong Basic credentials",
      { registry: { auth: { scheme: "basic", credentials: login } }, credentials: "me:wrong" },
      /registry answered 401 .*check the credentials/
    ],
    [
      "wrong credentials for a token",
      { registry: { auth: { scheme: "bearer", credentials: login } }, credentials: "me:wrong" },
      /credentials were refused/
    ],
    [
      "a secret that does not exist",
      { registry: {}, credentials: login, connection: "nowhere" },
      /credential_unavailable: secret 'nowhere' does not exist/
    ]
  ] as const)
    it.scopedLive(`${what}: the benchmark completes with a warning that says why`, () =>
      run(scene, ({ benchmark, exit, registry }) =>
        Effect.sync(() => {
          assert.strictEqual(exit, 0)
          assert.strictEqual(benchmark.state, "completed")
          assert.deepStrictEqual(benchmark.result?.metrics, { acc: 0.5 })
          assert.strictEqual(benchmark.warning?.code, "artifact_export_failed")
          assert.match(benchmark.warning?.message ?? "", reason)
          assert.strictEqual(benchmark.result?.trackerRunId, "run1")
          assert.strictEqual(registry.manifests.size, 0)
        })
      )
    )

  it.scopedLive(
    "a tracking server whose CA is not known: the warning names its setting, and not the model's secret",
    () =>
      Effect.gen(function* () {
        const { server } = makeAuthority()
        const secure = yield* Effect.acquireRelease(
          Effect.promise(() => listening(createSecureServer({ cert: server.certificate, key: server.key }), "https")),
          ({ close }) => Effect.promise(close)
        )
        yield* run({ registry: {}, credentials: login, trackerUri: secure.url }, ({ benchmark }) =>
          Effect.sync(() => {
            assert.strictEqual(benchmark.state, "completed")
            assert.strictEqual(benchmark.warning?.code, "tracker_save_failed")
            assert.match(
              benchmark.warning?.message ?? "",
              /TLS to the tracking server .* failed: .*tracker\.ca_cert_path/
            )
            assert.notMatch(benchmark.warning?.message ?? "", /model/)
          })
        )
      })
  )

  it.scopedLive("only the job's own repository and the tracker's routes are there", () =>
    run({ registry: {}, credentials: login }, ({ ask, registry }) =>
      Effect.gen(function* () {
        const before = registry.steps.length
        for (const path of [
          "/v2/other/manifests/v1",
          `/v2/${repository}-x/manifests/v1`,
          "/v2/_catalog",
          "/api/2.0/other",
          "/_evald/upload/a/b"
        ])
          assert.strictEqual((yield* ask("GET", path)).status, 404, path)
        assert.strictEqual((yield* ask("GET", `/v2/${repository}/%2e%2e/other/manifests/v1`)).status, 404)
        assert.lengthOf(registry.steps, before)
        const manifest = yield* ask("GET", `/v2/${repository}/manifests/v1`)
        assert.strictEqual(manifest.status, 200)
        const upload = yield* ask("POST", `/v2/${repository}/blobs/uploads/`)
        assert.match(
          upload.headers.get("location") ?? "",
          /^http:\/\/127\.0\.0\.1:\d+\/cb\/[\w-]{43}\/v2\/team\/results\/blobs\/uploads\/u\d+\?_state=a%2Fb$/
        )
        assert.strictEqual((yield* ask("GET", "/_evald/upload/unknown")).status, 404)
      })
    )
  )
})
