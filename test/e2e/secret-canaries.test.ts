/**
 * Every secret of a local installation is a canary, one whole evaluation uses all of them, and afterwards nothing that a person, an
 * adapter or another service can read holds one: output of the server, logs, metrics, traces, error bodies, the environment and command
 * line of the adapter, its files, the artifact, the tracker's run, the database.
 */
import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { gunzipSync } from "node:zlib"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { listen, run, until } from "../support/evald-process.ts"
import { fakeRegistry } from "../support/fake-registry.ts"
import { fakeS3, s3Keys } from "../support/fake-s3.ts"
import { fakeTracker } from "../support/fake-tracker.ts"
import { startCollector } from "../support/otlp-collector.ts"
import { tempDir } from "../support/temp-dir.ts"

const canaries = {
  model: "sk-canary-model-41d0",
  storage: s3Keys.secretAccessKey,
  tracker: "canary-tracker-9c2e",
  registry: "canary-registry-77b1",
  database: "canary-database-03fa",
  local: "canary-local-token-5d18"
}

/** in the forms in which a secret travels */
const forms = (secret: string): ReadonlyArray<string> => [
  secret,
  encodeURIComponent(secret),
  Buffer.from(secret).toString("base64").replace(/=+$/, "")
]

/** names of the canaries that a text holds */
const found = (text: string, secrets: { readonly [name: string]: string }): ReadonlyArray<string> =>
  Object.entries(secrets).flatMap(([name, secret]) => (forms(secret).some((form) => text.includes(form)) ? [name] : []))

const evald = (args: ReadonlyArray<string>, env: Readonly<Record<string, string>> = {}) =>
  Effect.acquireRelease(
    Effect.promise(() => listen(args, env)),
    ({ stop }) => Effect.promise(() => stop("SIGKILL"))
  )

const secret = (dir: string, name: string, keys: { readonly [key: string]: string }) => {
  mkdirSync(join(dir, name), { recursive: true, mode: 0o700 })
  chmodSync(dir, 0o700)
  for (const [key, value] of Object.entries(keys)) writeFileSync(join(dir, name, key), value, { mode: 0o600 })
}

/** what the processes of a unit show to the same user: environment and command line, by process */
const shownBy = (jobId: string): ReadonlyArray<string> =>
  readdirSync("/proc").flatMap((pid) => {
    if (!/^\d+$/.test(pid)) return []
    try {
      const environment = readFileSync(`/proc/${pid}/environ`, "utf8")
      return environment.includes(`EVALD_JOB_ID=${jobId}`)
        ? [environment, readFileSync(`/proc/${pid}/cmdline`, "utf8")]
        : []
    } catch {
      return []
    }
  })

const filesBelow = (dir: string): ReadonlyArray<readonly [path: string, text: string]> =>
  readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .map((path) => [path, readFileSync(path, "latin1")])

const unzipped = (blob: Buffer): string =>
  (blob[0] === 0x1f && blob[1] === 0x8b ? gunzipSync(blob) : blob).toString("latin1")

it.scopedLive(
  "of all secrets of an evaluation not one is found where it does not belong",
  () =>
    Effect.gen(function* () {
      const folder = yield* tempDir
      const collector = yield* Effect.acquireRelease(
        Effect.promise(() => startCollector()),
        ({ close }) => Effect.promise(() => close())
      )
      const tracker = yield* fakeTracker({ token: canaries.tracker })
      const registry = yield* fakeRegistry({
        repository: "org/results",
        auth: { scheme: "basic", credentials: `user:${canaries.registry}` }
      })
      const s3 = yield* fakeS3({ bucket: "sets", objects: new Map([["arith/a.jsonl", '{"question":"1+1"}\n']]) })
      const model = yield* evald(["demo-model", "--port", "0", "--ttft-ms", "100", "--require-key", canaries.model])

      const secrets = join(folder, "secrets")
      secret(secrets, "model-key", { "api-key": canaries.model })
      secret(secrets, "storage", {
        AWS_ACCESS_KEY_ID: s3Keys.accessKeyId,
        AWS_SECRET_ACCESS_KEY: canaries.storage,
        AWS_DEFAULT_REGION: s3Keys.region,
        AWS_S3_ENDPOINT: s3.url
      })
      const auth = Buffer.from(`user:${canaries.registry}`).toString("base64")
      secret(secrets, "registry", { ".dockerconfigjson": JSON.stringify({ auths: { [registry.host]: { auth } } }) })
      const config = join(folder, "config")
      mkdirSync(join(config, "providers"), { recursive: true })
      writeFileSync(join(config, "providers", "evald.yaml"), readFileSync("config/providers/evald.yaml", "utf8"))
      const settings = {
        log: { level: "debug", format: "json" },
        local: { secrets_dir: secrets, base_dir: join(folder, "units"), token: canaries.local },
        tracker: { tracking_uri: tracker.url, token: canaries.tracker },
        telemetry: { enabled: true, endpoint: collector.url }
      }
      writeFileSync(join(config, "config.yaml"), JSON.stringify(settings), { mode: 0o600 })
      const server = yield* evald(["server", "-local", "-configdir", config], {
        PORT: "0",
        TMPDIR: folder,
        DB_URL: `file:${join(folder, "evald.db")}`
      })

      const fetched = async (path: string, init: RequestInit = {}): Promise<string> => {
        const headers = { authorization: `Bearer ${canaries.local}`, "content-type": "application/json" }
        return (await fetch(`${server.url}${path}`, { headers, ...init })).text()
      }
      const ask = (path: string, init: RequestInit = {}) => Effect.promise(() => fetched(path, init))
      const submit = (extra: object) => {
        const benchmarks = [{ id: "arith_basic", provider_id: "evald", parameters: { num_examples: 10 }, ...extra }]
        const body = {
          name: "canaries",
          model: { url: model.url, name: "evald-demo", auth: { secret_ref: "model-key" } },
          benchmarks,
          experiment: { name: "canaries" },
          exports: {
            oci: {
              coordinates: { oci_host: registry.host, oci_repository: "org/results" },
              k8s: { connection: "registry" }
            }
          }
        }
        return Effect.map(
          ask("/api/v1/evaluations/jobs", { method: "POST", body: JSON.stringify(body) }),
          (text) => JSON.parse(text).resource.id as string
        )
      }
      const ended = (id: string, watch: (id: string) => void) =>
        Effect.promise(() =>
          until(
            async () => {
              watch(id)
              return fetched(`/api/v1/evaluations/jobs/${id}`)
            },
            (text) => !/"state":"(pending|running)"/.test(text)
          )
        )

      const processes = new Set<string>()
      const id = yield* submit({ test_data_ref: { s3: { bucket: "sets", key: "arith", secret_ref: "storage" } } })
      const record = yield* ended(id, (job) => {
        for (const text of shownBy(job)) processes.add(text)
      })
      assert.include(record, '"state":"completed"')
      assert.isAbove(registry.manifests.size, 0, "the artifact was pushed")
      assert.isAbove(tracker.artifacts.size + tracker.runs.size, 0, "the run was tracked")
      assert.isAbove(s3.gets().length, 0, "the test data was fetched")
      assert.isAbove(processes.size, 1, "the adapter was seen")
      // failures talk more than successes: a wrong bucket, a wrong key, and requests that are refused
      const failed = yield* ended(
        yield* submit({ test_data_ref: { s3: { bucket: "none", key: "x", secret_ref: "storage" } } }),
        () => {}
      )
      const errors = [
        yield* ask("/api/v1/evaluations/jobs", { headers: { authorization: `Bearer ${canaries.local}x` } }),
        yield* ask(`/api/v1/evaluations/jobs/${canaries.local}`),
        yield* ask("/cb/nothing/model/v1")
      ]
      const units = filesBelow(join(folder, "units"))
      const callback = /\/cb\/([\w-]{43})/.exec(units.find(([path]) => path.endsWith("job.json"))?.[1] ?? "")?.[1] ?? ""
      assert.lengthOf(callback, 43)
      const log = yield* ask(`/api/v1/evaluations/jobs/${id}/logs`)
      const metrics = yield* ask("/metrics")
      yield* Effect.promise(() => server.stop())
      assert.isAbove(collector.spans.length, 10)

      const outside: ReadonlyArray<readonly [place: string, text: string]> = [
        ["output of the server", server.output()],
        ["record", record],
        ["record of a failed job", failed],
        ["log", log],
        ["metrics", metrics],
        ["traces", JSON.stringify([collector.spans, [...collector.resource]])],
        ...[...registry.blobs.values()].map((blob) => ["artifact", unzipped(blob)] as const),
        ...[...registry.manifests.values()].map(({ body }) => ["manifest", body.toString("latin1")] as const),
        ...[...tracker.artifacts.values()].map((bytes) => ["tracker's artifact", unzipped(bytes)] as const),
        [
          "tracker's runs",
          JSON.stringify([...tracker.runs.values()].map((one) => [one.name, one.tags, [...one.params]]))
        ],
        ...filesBelow(folder).filter(([path]) => path.includes("evald.db"))
      ]
      for (const [place, text] of outside) assert.deepStrictEqual(found(text, { ...canaries, callback }), [], place)
      // the adapter knows its own callback address, and nothing else
      for (const text of processes) assert.deepStrictEqual(found(text, canaries), [], "a process of the unit")
      for (const [path, text] of units) assert.deepStrictEqual(found(text, canaries), [], path)
      // what the caller itself sends as an id is quoted back to it
      assert.deepStrictEqual(
        [found(errors[0] ?? "", canaries), found(errors[1] ?? "", canaries), found(errors[2] ?? "", canaries)],
        [[], ["local"], []]
      )
    }),
  { concurrent: true }
)

it.live(
  "a database that can not be reached is named without its password",
  () =>
    Effect.gen(function* () {
      const env = {
        PORT: "0",
        DB_URL: `postgres://evald:${canaries.database}@127.0.0.1:1/evald`,
        EVALD_LOG_LEVEL: "debug"
      }
      const folder = yield* tempDir
      const config = join(folder, "config")
      mkdirSync(config)
      writeFileSync(join(config, "config.yaml"), "database: {driver: pgx}\n")
      const { stdout, stderr } = yield* Effect.promise(() =>
        run(["server", "-local", "-configdir", config], { ...env, TMPDIR: folder }, 60_000)
      )
      assert.isNotEmpty(stdout + stderr)
      assert.deepStrictEqual(found(stdout + stderr, canaries), [])
    }).pipe(Effect.scoped),
  { concurrent: true }
)
