/** T0: the configuration that the operator writes is the one that the server reads. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { Effect, Either, Redacted } from "effect"
import { afterAll, assert, describe, it } from "vitest"
import { parse } from "yaml"
import { load } from "../../../../../config/load.ts"
import { selectDefinitions } from "../../../../../domain/operator/definitions.ts"
import { loadCatalog } from "../../../../../infrastructure/catalog/load-catalog.ts"
import { desiredInstance, type InstanceInput } from "../../../../../infrastructure/kubernetes/manifests/instance.ts"
import type { Platform } from "../../../../../infrastructure/kubernetes/manifests/managed.ts"
import { readAccessTable } from "../../../../../interfaces/http/access/read-table.ts"
import { listMember, member, textMember } from "../../../../../values/json.ts"
import {
  authRules,
  desiredOf,
  inputOf,
  instanceOf,
  platform,
  postgresql,
  shippedDefinitions,
  sqlite
} from "../../../../support/operator-inputs.ts"

const folders: Array<string> = []
const tempDir = (): string => {
  const folder = mkdtempSync(join(tmpdir(), "evald-test-"))
  folders.push(folder)
  return folder
}
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

const everything = {
  ...postgresql,
  replicas: 2,
  tracker: {
    uri: "https://tracker.example",
    workspace: "w",
    caBundle: { name: "roots" },
    auth: { audience: "tracker" }
  },
  otel: { exporterEndpoint: "collector:4318", samplingRatio: 0.25 },
  timeouts: { benchmarkSeconds: 60, pendingSeconds: 30, shutdownSeconds: 90 },
  jobs: { image: "registry.example/evald:jobs", imagePullSecrets: ["pull-a", "pull-b"] },
  config: { samples: { content: "hash" }, "log.level": "debug" }
}

const configData = (spec: unknown, of: Platform = platform): { readonly [key: string]: string } => {
  const map = desiredOf(instanceOf(spec), { platform: of }).config.find(
    ({ metadata }) => metadata.name === "evald.config"
  )
  return (map?.["data"] ?? {}) as { readonly [key: string]: string }
}

/** the folder as a pod mounts it */
const mounted = (spec: unknown, of?: Platform): string => {
  const folder = tempDir()
  for (const [key, text] of Object.entries(configData(spec, of))) writeFileSync(join(folder, key), text)
  return folder
}

describe("T0: the configuration of an instance's server", () => {
  it("case 7: the smallest one loads through the server's loader", async () => {
    const settings = await Effect.runPromise(load(mounted(sqlite), {}))
    assert.strictEqual(settings["service.port"], 8443)
    assert.strictEqual(settings["auth.mode"], "cluster")
    assert.strictEqual(settings["runtime.k8s.instance_name"], "evald")
    assert.strictEqual(settings["runtime.k8s.namespace"], "team-services")
    assert.strictEqual(settings["runtime.k8s.callback_url"], "https://evald.team-services.svc:8443")
    assert.strictEqual(settings["runtime.k8s.service_ca"], "evald.team-services.service-ca")
    assert.strictEqual(settings["catalog.on_error"], "skip")
    const url = settings["database.url"]
    assert.strictEqual(url && Redacted.value(url), "file:/var/lib/evald/evald.db")
  })

  it("case 7: one with every part loads, and follows changed groups and domains", async () => {
    const secrets = tempDir()
    writeFileSync(join(secrets, "db-url"), "postgres://db/evald\n")
    const other: Platform = {
      ...platform,
      domain: "evals.example",
      groups: { service: "evals.example", platform: "p.example", tracker: "t.example" }
    }
    const folder = mounted(everything, other)
    // the mount of the pod stands somewhere else here
    const text = configData(everything, other)["config.yaml"] ?? ""
    writeFileSync(join(folder, "config.yaml"), text.replace("/etc/evald/secrets", secrets))
    const settings = await Effect.runPromise(load(folder, {}))
    assert.strictEqual(settings.domain, "evals.example")
    assert.strictEqual(settings["api_groups.tracker"], "t.example")
    assert.strictEqual(settings["database.pool_size"], 25)
    assert.strictEqual(settings["samples.content"], "hash")
    assert.strictEqual(settings["log.level"], "debug")
    assert.strictEqual(settings["telemetry.endpoint"], "https://collector:4318")
    assert.strictEqual(settings["telemetry.sampler_arg"], "0.25")
    assert.strictEqual(settings["service.shutdown_grace_seconds"], 85)
    assert.deepStrictEqual(settings["runtime.k8s.image_pull_secrets"], ["pull-a", "pull-b"])
    const url = settings["database.url"]
    assert.strictEqual(url && Redacted.value(url), "postgres://db/evald")
  })

  it("case 7: the rules are the shipped ones, for every served route, in the groups that are configured", () => {
    const other = { ...platform, groups: { service: "s.example", platform: "p.example", tracker: "t.example" } }
    const [written, shipped] = [configData(sqlite, other)["auth.yaml"] ?? "", authRules].map((text) =>
      Either.getOrThrow(readAccessTable(parse(text)))
    )
    const routes = (table: typeof written) => table?.rules.map(({ path, methods }) => ({ path, methods }))
    assert.deepStrictEqual(routes(written), routes(shipped))
    assert.deepStrictEqual(written?.public, shipped?.public)
    const groups = written?.rules.flatMap(({ reviews }) => reviews.map(({ group }) => group))
    assert.deepStrictEqual([...new Set(groups)].sort(), ["s.example", "t.example"])
  })

  it("case 5: the definitions are the ones that the server finds in the mounted folder, without a problem", () => {
    const { providers, collections, problems } = selectDefinitions(
      { providers: ["evald", "lm_evaluation_harness", "garak", "guidellm", "lighteval"] },
      shippedDefinitions,
      []
    )
    assert.deepStrictEqual(problems, [])
    const definitions = [...providers, ...collections]
    const desired = desiredOf(instanceOf(sqlite), { definitions })
    const pod = member(member(member(desired.deployment["spec"], "template"), "spec"), "volumes")
    const volume = (Array.isArray(pod) ? pod : []).find((one: unknown) => textMember(one, "name") === "config")
    const folder = tempDir()
    for (const source of listMember(member(volume, "projected"), "sources")) {
      const map = member(source, "configMap")
      const object = desired.config.find(({ metadata }) => metadata.name === textMember(map, "name"))
      for (const item of listMember(map, "items")) {
        const path = join(folder, textMember(item, "path") ?? "")
        mkdirSync(dirname(path), { recursive: true })
        writeFileSync(path, textMember(object?.["data"], textMember(item, "key") ?? "") ?? "")
      }
    }
    const loaded = loadCatalog({ configDir: folder, images: {}, embeddedImage: platform.image })
    assert.deepStrictEqual(loaded.errors, [])
    assert.deepStrictEqual(
      [...loaded.snapshot.providers, ...loaded.snapshot.collections].map(({ id }) => id).sort(),
      definitions.map(({ id }) => id).sort()
    )
  })

  it.each([
    [{ service: { port: 9000 } }, "service.port is set by the operator"],
    [{ database: { url: "postgres://u:p@db/x" } }, "database.url is set by the operator"],
    [{ runtime: { k8s: { image: "x" } } }, "runtime.k8s.image is set by the operator"],
    [{ local: { token: "s3cret" } }, "local.token is a secret"],
    [{ samples: { contnet: "hash" } }, "samples.contnet is no setting; did you mean samples.content?"],
    [{ samples: { content: "none" } }, "samples.content expected one of full, hash, not 'none'"]
  ])("case 7: spec.config %j is refused, and nothing is desired", (config, message) => {
    const desired = desiredInstance(inputOf(instanceOf({ ...sqlite, config })))
    assert.isTrue(Either.isLeft(desired))
    const problems = Either.isLeft(desired) ? desired.left : []
    assert.lengthOf(problems, 1)
    assert.include(problems[0], `spec.config: ${message}`)
    assert.notInclude(problems.join(), "s3cret")
    assert.notInclude(problems.join(), "u:p")
  })
})

describe("T0: the hash of the configuration", () => {
  const hash = (spec: unknown, more: Partial<InstanceInput> = {}) => desiredOf(instanceOf(spec), more).hash
  const [first, second] = shippedDefinitions
  const base = hash(everything)

  it("case 8: is the same whatever the order of members", () => {
    const reordered = Object.fromEntries(Object.entries(everything).reverse())
    assert.strictEqual(hash(reordered), base)
    assert.strictEqual(hash({ ...everything, config: { "log.level": "debug", samples: { content: "hash" } } }), base)
  })

  it("case 8: differs for configuration, rules, a definition, the name of the secret", () => {
    const hashes = [
      base,
      hash({ ...everything, config: { "log.level": "info" } }),
      hash(everything, { authRules: "version: 1\n" }),
      hash(everything, { definitions: first === undefined ? [] : [first] }),
      hash(everything, { definitions: first === undefined ? [] : [{ ...first, text: second?.text ?? "" }] }),
      hash({ ...everything, database: { type: "postgresql", secret: "other" } }),
      hash({ ...everything, tls: { mode: "Secret", secretName: "mine" } })
    ]
    assert.strictEqual(new Set(hashes).size, hashes.length)
  })

  it("case 8: is the same for certificates, tenant definitions and replicas", () => {
    assert.strictEqual(hash(everything, { certificates: { service: "OTHER", tracker: "OTHER" } }), base)
    assert.strictEqual(hash(everything, { shards: [{ "t.provider.a.yaml": "id: a" }, {}, {}, {}] }), base)
    assert.strictEqual(hash({ ...everything, replicas: 3 }), base)
  })
})
