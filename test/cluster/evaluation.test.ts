/** T3: an evaluation from POST to its results, with pods that run: cases 56 and 59. */
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { describe } from "vitest"
import {
  configMaps,
  events,
  jobs,
  pods,
  type Resource,
  secrets
} from "../../infrastructure/kubernetes/client/resources.ts"
import { fakeS3, s3Keys } from "../support/fake-s3.ts"
import { fakeTracker } from "../support/fake-tracker.ts"
import { at } from "../support/http-app.ts"
import { Cluster, layer as cluster, noPods } from "./support/cluster.ts"
import { eventually } from "./support/eventually.ts"
import { finished, type InstalledTenant, install, jobOf } from "./support/installation.ts"
import { publish, publishModel, publishRegistry, registryPassword } from "./support/peers.ts"
import { WorkerNode, layer as worker } from "./support/worker-node.ts"

interface Look {
  readonly reached: { readonly [name: string]: { readonly status: number; readonly text: string } }
  readonly files: ReadonlyArray<readonly [path: string, text: string]>
  readonly processes: ReadonlyArray<string>
}

const live = { excludeTestServices: true, timeout: "120 seconds" } as const
const lane = "launch" as const
const bucket = "data-of-the-team"
const repository = "team/results"

const rows = Array.from({ length: 6 }, (_, at) =>
  JSON.stringify({ question: `What is ${at} + ${at}? Answer with the number alone.`, answer: String(at + at) })
)

describe.skipIf(noPods)("T3: evaluation", () => {
  layer(Layer.provideMerge(worker, cluster), live)("in pods that run", (it) => {
    const registrySecret = (host: string) => ({
      ".dockerconfigjson": JSON.stringify({ auths: { [host]: { username: "pusher", password: registryPassword } } })
    })
    const addS3Secret = (tenant: InstalledTenant, url: string) =>
      tenant.addSecret("storage", {
        AWS_ACCESS_KEY_ID: s3Keys.accessKeyId,
        AWS_SECRET_ACCESS_KEY: s3Keys.secretAccessKey,
        AWS_DEFAULT_REGION: s3Keys.region,
        AWS_S3_ENDPOINT: url
      })
    /** what a scripted adapter wrote while it looked around, as long as its pod exists */
    const lookOf = (namespace: string) =>
      Effect.map(WorkerNode, ({ podsOf }) =>
        podsOf(namespace)
          .map((pod) => join(pod.volume("data"), "look/found.json"))
          .filter(existsSync)
          .map((file) => readFileSync(file, "utf8"))
          .find((text) => text.endsWith("}"))
      )
    const left = (namespace: string) =>
      Effect.gen(function* () {
        const { admin } = yield* Cluster
        const of = (resource: Resource) =>
          Effect.map(admin.list({ resource, namespace, lane }), ({ items }) =>
            items.map(({ metadata }) => metadata.name)
          )
        return (yield* Effect.forEach([jobs, pods, configMaps, secrets], of))
          .flat()
          .filter((name) => name.startsWith("evald-0"))
      })

    it.scoped(
      "case 56: POST, test data from storage, model by reference through the sidecar, results, registry, tracker, and nothing is left",
      () =>
        Effect.gen(function* () {
          const { admin } = yield* Cluster
          const { network } = yield* WorkerNode
          const key = "sk-canary-of-the-model-key"
          const model = yield* publishModel(key)
          const storage = yield* fakeS3({ bucket, objects: new Map([["sums/rows.jsonl", rows.join("\n")]]) })
          const s3 = yield* publish(storage.url)
          const registry = yield* publishRegistry(repository)
          const trackerHost = yield* fakeTracker()
          const tracker = yield* publish(trackerHost.url)
          const evald = yield* install({
            k8s: { ttl_seconds_after_finished: 4 },
            oci: { insecure: true },
            tracker: { tracking_uri: tracker.url }
          })
          const tenant = yield* evald.addTenant
          yield* tenant.addSecret("model-key", { "api-key": key })
          yield* addS3Secret(tenant, s3.url)
          yield* tenant.addSecret("registry", registrySecret(registry.host), "kubernetes.io/dockerconfigjson")
          const id = yield* tenant.submit({
            name: "whole way",
            model: { url: model.url, name: "demo", auth: { secret_ref: "model-key" } },
            benchmarks: [
              {
                id: "custom_jsonl",
                provider_id: "evald",
                test_data_ref: { s3: { bucket, key: "sums", secret_ref: "storage" } },
                parameters: {}
              },
              { id: "arith_basic", provider_id: "evald", parameters: { num_examples: 4 } },
              {
                id: "step",
                provider_id: "scripted",
                parameters: {
                  script: "look",
                  urls: {
                    directly: `${model.url}/models`,
                    cluster: "https://10.0.0.1:443/version",
                    metadata: "http://169.254.169.254/latest/meta-data/",
                    outside: "https://192.0.2.1/",
                    unpublished: `http://${new URL(storage.url).host.replace("127.0.0.1", network.address)}/`,
                    unknown_job: "http://localhost:8080/api/v1/evaluations/jobs/other"
                  }
                }
              }
            ],
            experiment: { name: "whole-way" },
            exports: {
              oci: {
                coordinates: { oci_host: registry.host, oci_repository: repository, oci_tag: "v1" },
                k8s: { connection: "registry" }
              }
            }
          })
          const dump = yield* eventually("what the adapter saw", lookOf(tenant.name), (found) => found !== undefined)
          const job = yield* finished(tenant, id)
          assert.strictEqual(job.status.state, "completed", JSON.stringify(job.status.benchmarks))

          // test data came from the storage, the model was asked with its key, results are in the registry and at the tracker
          assert.deepStrictEqual(storage.gets(), ["sums/rows.jsonl"])
          const [custom, arithmetic] = job.results?.benchmarks ?? []
          assert.strictEqual(at(custom, "metrics.n") ?? rows.length, rows.length)
          assert.strictEqual(arithmetic?.metrics["exact_match"], 1)
          for (const [index, benchmark] of [custom, arithmetic].entries()) {
            const digest = String(at(benchmark, "artifacts.oci_digest"))
            assert.match(digest, /^sha256:/)
            const manifest = yield* Effect.promise(() =>
              fetch(`${registry.url}/v2/${repository}/manifests/v1-${index}`, {
                headers: {
                  accept: "application/vnd.oci.image.manifest.v1+json",
                  authorization: `Basic ${Buffer.from(`pusher:${registryPassword}`).toString("base64")}`
                }
              })
            )
            assert.deepStrictEqual([manifest.status, manifest.headers.get("docker-content-digest")], [200, digest])
          }
          assert.deepStrictEqual(
            [...trackerHost.runs.values()].map(({ status }) => status),
            ["FINISHED", "FINISHED"]
          )
          // in the pod only its own token opens the tracker
          assert.isTrue(trackerHost.headers.some(({ authorization = "" }) => authorization.startsWith("Bearer eyJ")))

          // the adapter reached the model through the sidecar alone, and saw references in place of credentials
          const seen = JSON.parse(dump ?? "") as Look
          const reached = Object.fromEntries(Object.entries(seen.reached).map(([name, { status }]) => [name, status]))
          assert.deepStrictEqual(reached, {
            directly: 401,
            cluster: 0,
            metadata: 0,
            outside: 0,
            unpublished: 0,
            unknown_job: 403,
            by_reference: 200,
            other_reference: 400
          })
          const secretFiles = seen.files
            .filter(([path]) => /^\/(var\/)?run\//.test(path) && !path.includes("/.."))
            .map(([path, text]) => `${path}: ${text}`)
          assert.sameMembers(secretFiles, [
            `/var/run/secrets/kubernetes.io/serviceaccount/namespace: ${tenant.name}`,
            "/var/run/secrets/model/api-key: api-key:ref"
          ])
          assert.deepStrictEqual(
            seen.files.filter(([path]) => path.startsWith("/meta/")).map(([path]) => path),
            ["/meta/job.json"]
          )
          assert.deepStrictEqual(seen.processes, ["1"])

          // no credential anywhere but in the user's own secrets
          const objects = yield* Effect.forEach([jobs, pods, configMaps, events], (resource) =>
            Effect.map(admin.list({ resource, namespace: tenant.name, lane }), ({ items }) => JSON.stringify(items))
          )
          const logs = yield* Effect.forEach([0, 1, 2], (index) =>
            tenant.call("GET", `jobs/${id}/benchmarks/${index}/logs`)
          )
          assert.isTrue(
            logs.every(({ status, text }) => status === 200 && text !== ""),
            JSON.stringify(logs)
          )
          const base = yield* evald.database
          const canaries = [
            key,
            s3Keys.secretAccessKey,
            registryPassword,
            Buffer.from(`pusher:${registryPassword}`).toString("base64")
          ]
          for (const [place, text] of Object.entries({
            adapter: dump ?? "",
            objects: objects.join(),
            logs: JSON.stringify(logs),
            job: JSON.stringify(job),
            server: evald.logs(),
            database: base,
            model: model.output()
          }))
            for (const canary of canaries) assert.notInclude(text, canary, `${place} holds a credential`)
          // tokens of the pod are the sidecar's
          assert.notMatch(dump ?? "", /eyJ[\w-]{10,}\.[\w-]{10,}\./)

          yield* eventually("nothing is left", left(tenant.name), (names) => names.length === 0)
          const kept = yield* tenant.call("GET", `jobs/${id}/benchmarks/1/logs`)
          assert.deepStrictEqual([kept.status, kept.headers["x-log-source"]], [200, "captured"])
        })
    )

    it.scoped("samples that a foreign adapter left as files come to the server when it has ended", () =>
      Effect.gen(function* () {
        const evald = yield* install({ k8s: { linger_seconds: 5, termination_grace_seconds: 20 } })
        const tenant = yield* evald.addTenant
        const id = yield* tenant.submit({
          name: "left",
          model: { url: "http://model.models.svc/v1", name: "none" },
          benchmarks: [{ id: "step", provider_id: "scripted", parameters: { script: "leave" } }]
        })
        yield* finished(tenant, id)
        const path = `jobs/${id}/benchmarks/0/samples`
        const list = Effect.map(tenant.call("GET", path), ({ json }) => at(json, "total_count"))
        yield* eventually("the samples are there", list, (count) => count === 3)
        const { json } = yield* tenant.call("GET", path)
        assert.deepStrictEqual(
          (at(json, "items") as ReadonlyArray<unknown>).map((item) => at(item, "sample_id")),
          ["own:0", "own:1", "own:2"]
        )
      })
    )

    it.scoped(
      "case 59: two tenants at once, the same names and own secrets: nothing crosses, and another pod's port 8080 refuses",
      () =>
        Effect.gen(function* () {
          const { podsOf } = yield* WorkerNode
          const evald = yield* install()
          const sides = yield* Effect.forEach(["sk-of-the-left", "sk-of-the-right"], (key) =>
            Effect.gen(function* () {
              const model = yield* publishModel(key)
              const tenant = yield* evald.addTenant
              yield* tenant.addSecret("model-key", { "api-key": key })
              return { model, tenant }
            })
          )
          const body = (url: string, benchmarks: ReadonlyArray<object>) => ({
            name: "same",
            model: { url, name: "demo", auth: { secret_ref: "model-key" } },
            benchmarks
          })
          const arithmetic = { id: "arith_basic", provider_id: "evald", parameters: { num_examples: 4 } }
          const waiting = { id: "step", provider_id: "scripted", parameters: { script: "wait" } }
          const ids = yield* Effect.forEach(
            sides,
            ({ model, tenant }) => tenant.submit(body(model.url, [arithmetic, waiting])),
            { concurrency: 2 }
          )
          const views = yield* Effect.forEach(sides, ({ tenant }, side) =>
            eventually(
              "one done, one running",
              jobOf(tenant, ids[side] ?? ""),
              ({ status: { benchmarks } }) =>
                benchmarks[0]?.status === "completed" && benchmarks[1]?.status === "running"
            )
          )
          for (const { results } of views) assert.strictEqual(results?.benchmarks[0]?.metrics["exact_match"], 1)
          const [a, b] = sides
          if (a === undefined || b === undefined) return assert.fail("two sides")
          // each model was asked by pods of its own tenant alone
          for (const [own, other] of [
            [a, b],
            [b, a]
          ] as const) {
            assert.isNotEmpty(own.model.peers)
            const foreign = podsOf(other.tenant.name).map((pod) => pod.address())
            assert.isFalse(own.model.peers.some((peer) => foreign.includes(peer)))
          }
          assert.strictEqual((yield* a.tenant.call("GET", `jobs/${ids[1]}`)).status, 404)
          assert.strictEqual((yield* a.tenant.call("GET", `jobs/${ids[1]}/benchmarks/0/logs`)).status, 404)
          const neighbour = podsOf(b.tenant.name)
            .find((pod) => pod.process("adapter") !== undefined)
            ?.address()
          const urls = {
            proxy: `http://${neighbour}:8080/health`,
            probe: `http://${neighbour}:18081/health`,
            model: `${b.model.url}/models`
          }
          yield* a.tenant.submit(
            body(a.model.url, [{ id: "step", provider_id: "scripted", parameters: { script: "look", urls } }])
          )
          const seen = JSON.parse(
            (yield* eventually("what the adapter saw", lookOf(a.tenant.name), (found) => found !== undefined)) ?? ""
          ) as Look
          assert.deepStrictEqual(
            [seen.reached["proxy"]?.text, seen.reached["probe"]?.status, seen.reached["model"]?.status],
            ["ECONNREFUSED", 200, 401]
          )
          assert.notInclude(JSON.stringify(seen), "sk-of-the")
          for (const [side, { tenant }] of sides.entries())
            assert.strictEqual((yield* tenant.call("DELETE", `jobs/${ids[side]}?hard_delete=true`)).status, 204)
          for (const { tenant } of sides)
            yield* eventually(
              "the long ones are gone",
              left(tenant.name),
              (names) => !names.some((name) => ids.some((id) => name.includes(id)))
            )
        })
    )
  })
})
