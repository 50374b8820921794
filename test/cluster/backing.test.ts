/**
 * T2: what the cluster runtime makes, adopts and removes, on a real API server with its controllers and as the API account, in tenants that
 * enforce the restricted Pod Security level. The behaviour of the suite against the fake, where no fault has to be injected into the
 * server. Reference: cluster-objects.md, "Job and pod", "Launching"; cases 5, 6, 7, 8, 11, 12, 13, 25, 54.
 */
import { assert, layer } from "@effect/vitest"
import { Deferred, Effect, Either, Fiber, Layer } from "effect"
import { describe } from "vitest"
import { Runtime, type Unit } from "../../application/ports/runtime.ts"
import { KubeClient } from "../../infrastructure/kubernetes/client/client.ts"
import {
  configMaps,
  jobs,
  type KubeObject,
  namespaces,
  pods,
  type Resource,
  secrets
} from "../../infrastructure/kubernetes/client/resources.ts"
import type { ClusterOptions } from "../../infrastructure/kubernetes/cluster-options.ts"
import * as ClusterRuntime from "../../infrastructure/kubernetes/cluster-runtime.ts"
import { backingName } from "../../infrastructure/kubernetes/unit/names.ts"
import { clusterOptions, clusterUnit } from "../support/cluster-units.ts"
import { at } from "../support/http-app.ts"
import { plainObservation } from "../support/plain-observation.ts"
import { sqliteMemory } from "../support/storage.ts"
import { Cluster, layer as cluster, noControlPlane } from "./support/cluster.ts"
import { eventually } from "./support/eventually.ts"

const live = { excludeTestServices: true, timeout: "120 seconds" } as const
const lane = "launch" as const
const restricted = { "pod-security.kubernetes.io/enforce": "restricted" }
type Client = KubeClient["Type"]

const runtimeOn = (client: Client, given: Partial<ClusterOptions> = {}) => {
  const options = clusterOptions(given)
  return Effect.flatMap(
    Layer.build(
      ClusterRuntime.layer(options).pipe(
        Layer.provide(plainObservation(options)),
        Layer.provide(Layer.succeed(KubeClient, client)),
        Layer.provide(sqliteMemory)
      )
    ),
    (made) => Effect.provide(Runtime, made)
  )
}

/** the client of a server that stops for good before or after one call */
const dyingAt = (client: Client, moment: "before" | "after", call: string, died: Deferred.Deferred<void>): Client => {
  const dead = Effect.zipRight(Deferred.succeed(died, undefined), Effect.never)
  const dying =
    <A extends { readonly resource: Resource }, Rest extends ReadonlyArray<unknown>, B, E>(
      verb: string,
      act: (target: A, ...rest: Rest) => Effect.Effect<B, E>
    ) =>
    (target: A, ...rest: Rest): Effect.Effect<B, E> => {
      if (`${verb} ${target.resource.plural}` !== call) return act(target, ...rest)
      return moment === "before" ? dead : Effect.zipRight(act(target, ...rest), dead)
    }
  return { ...client, get: dying("get", client.get), create: dying("create", client.create) }
}

describe.skipIf(noControlPlane)("T2: backing objects", () => {
  layer(cluster, live)("of a benchmark", (it) => {
    const setUp = (given: Partial<ClusterOptions> = {}) =>
      Effect.gen(function* () {
        const { admin, addApiAccount, addTenant, tokenOf, clientAs } = yield* Cluster
        const api = yield* addApiAccount
        const tenant = yield* addTenant(api, restricted)
        const client = yield* clientAs(yield* tokenOf(api))
        yield* eventually(
          "the bindings",
          Effect.either(client.list({ resource: jobs, namespace: tenant.name, lane })),
          Either.isRight
        )
        yield* eventually(
          "the bindings",
          Effect.either(client.get({ resource: secrets, namespace: tenant.name, name: "x", lane })),
          isAbsent
        )
        const list = (resource: Resource) =>
          Effect.map(admin.list({ resource, namespace: tenant.name, lane }), ({ items }) =>
            items.filter(({ metadata }) => metadata.name !== "kube-root-ca.crt")
          )
        const names = Effect.forEach([jobs, configMaps, secrets], (resource) =>
          Effect.map(list(resource), (items) => items.map(({ metadata }) => metadata.name))
        )
        const addSecret = (name: string, stringData: { readonly [key: string]: string }) =>
          admin.create(
            { resource: secrets, namespace: tenant.name, lane },
            { apiVersion: "v1", kind: "Secret", metadata: { name }, stringData }
          )
        return { admin, client, tenant: tenant.name, runtime: yield* runtimeOn(client, given), list, names, addSecret }
      })
    const isAbsent = (found: Either.Either<unknown, { readonly class: string }>) =>
      Either.isLeft(found) && found.left.class === "not_found"
    const in_ = (tenant: string, given: Parameters<typeof clusterUnit>[0] = {}): Unit =>
      clusterUnit({ tenant, ...given })
    const withModel = (tenant: string) =>
      in_(tenant, {
        request: { model: { url: "https://m.example/v1", name: "m", auth: { secretRef: "model-secret" } } }
      })
    const patchPod = (admin: Client, pod: KubeObject, status: unknown) =>
      admin.send(
        {
          method: "PATCH",
          path: `/api/v1/namespaces/${pod.metadata.namespace}/pods/${pod.metadata.name}/status`,
          body: { status },
          contentType: "application/merge-patch+json"
        },
        lane
      )
    const name = (unit: Unit) => backingName("evald", unit)

    it.scoped("cases 5, 13: accepted where `restricted` is enforced, with its pod, and owned by its Job", () =>
      Effect.gen(function* () {
        const { tenant, runtime, list, names, addSecret } = yield* setUp()
        const unit = withModel(tenant)
        yield* addSecret("model-secret", { "api-key": "real-value" })
        yield* runtime.launch(unit)
        assert.deepStrictEqual(yield* names, [
          [name(unit)],
          [`${name(unit)}-spec`],
          [`${name(unit)}-ref`, "model-secret"]
        ])
        const [job] = yield* list(jobs)
        const [spec] = yield* list(configMaps)
        const [ref] = yield* list(secrets)
        for (const owned of [spec, ref])
          assert.strictEqual(owned?.metadata.ownerReferences?.[0]?.uid, job?.metadata.uid)
        assert.strictEqual(Buffer.from(String(at(ref, "data.api-key")), "base64").toString("utf8"), "api-key:ref")
        const [pod] = yield* eventually("the pod", list(pods), (found) => found.length === 1)
        assert.isTrue(pod?.metadata.name.startsWith(`${name(unit)}-`))
        assert.notInclude(JSON.stringify([job, spec, ref, pod]), "real-value")
      })
    )

    for (const call of ["get secrets", "create jobs", "create configmaps", "create secrets"])
      for (const moment of ["before", "after"] as const)
        it.scoped(`case 6: killed ${moment} ${call}, launched again: everything once`, () =>
          Effect.gen(function* () {
            const { client, tenant, runtime, list, names, addSecret } = yield* setUp()
            const unit = withModel(tenant)
            yield* addSecret("model-secret", { "api-key": "real-value" })
            const died = yield* Deferred.make<void>()
            const dying = yield* runtimeOn(dyingAt(client, moment, call, died))
            const first = yield* Effect.fork(dying.launch(unit))
            yield* Deferred.await(died)
            yield* Fiber.interrupt(first)
            yield* runtime.launch(unit)
            assert.deepStrictEqual(yield* names, [
              [name(unit)],
              [`${name(unit)}-spec`],
              [`${name(unit)}-ref`, "model-secret"]
            ])
            const uid = (yield* list(jobs))[0]?.metadata.uid
            for (const owned of [...(yield* list(configMaps)), ...(yield* list(secrets)).slice(0, 1)])
              assert.strictEqual(owned.metadata.ownerReferences?.[0]?.uid, uid)
          })
        )

    it.scoped("case 7: two servers launch the same benchmark: one creates, the other adopts", () =>
      Effect.gen(function* () {
        const { client, tenant, runtime, names } = yield* setUp()
        const unit = in_(tenant)
        const other = yield* runtimeOn(client)
        yield* Effect.all([runtime.launch(unit), other.launch(unit)], { concurrency: 2 })
        assert.deepStrictEqual(yield* names, [[name(unit)], [`${name(unit)}-spec`], []])
      })
    )

    it.scoped("cases 8, 54: removed with everything it owns, also what comes after its owner is gone", () =>
      Effect.gen(function* () {
        const { admin, client, tenant, runtime, list, names, addSecret } = yield* setUp()
        const unit = withModel(tenant)
        yield* addSecret("model-secret", { "api-key": "real-value" })
        yield* runtime.launch(unit)
        const [job] = yield* eventually("the Job", list(jobs), (found) => found.length === 1)
        yield* eventually("the pod", list(pods), (found) => found.length === 1)
        yield* runtime.stopJob(unit, { discard: true })
        assert.deepStrictEqual(yield* names, [[], [], ["model-secret"]])
        assert.deepStrictEqual(yield* list(pods), [])
        const owner = { apiVersion: "batch/v1", kind: "Job", name: name(unit), uid: job?.metadata.uid }
        yield* client.create(
          { resource: configMaps, namespace: tenant, lane },
          { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "late", ownerReferences: [owner] } }
        )
        yield* eventually("the late one is collected", list(configMaps), (found) => found.length === 0)
        const gone = yield* Effect.either(admin.get({ resource: jobs, namespace: tenant, name: name(unit), lane }))
        assert.isTrue(isAbsent(gone))
      })
    )

    it.scoped("case 11: a name that is taken by a foreign object is refused, and the object stays", () =>
      Effect.gen(function* () {
        const { admin, tenant, runtime, list } = yield* setUp()
        const unit = in_(tenant)
        yield* admin.create(
          { resource: jobs, namespace: tenant, lane },
          {
            apiVersion: "batch/v1",
            kind: "Job",
            metadata: { name: name(unit) },
            spec: {
              suspend: true,
              template: { spec: { restartPolicy: "Never", containers: [{ name: "c", image: "none" }] } }
            }
          }
        )
        const refused = yield* Effect.flip(runtime.launch(unit))
        assert.strictEqual("code" in refused ? refused.code : refused._tag, "runtime_object_rejected")
        yield* runtime.stopJob(unit, { discard: true })
        assert.lengthOf(yield* list(jobs), 1)
      })
    )

    it.scoped("case 12: a secret that never comes, and one that comes late", () =>
      Effect.gen(function* () {
        const { tenant, runtime, names, addSecret } = yield* setUp({ secretGraceSeconds: 3 })
        const unit = withModel(tenant)
        const refused = yield* Effect.flip(runtime.launch(unit))
        assert.strictEqual("code" in refused ? refused.code : refused._tag, "secret_not_found")
        assert.deepStrictEqual(yield* names, [[], [], []])
        const launching = yield* Effect.fork(runtime.launch(unit))
        yield* Effect.yieldNow()
        yield* addSecret("model-secret", { "api-key": "real-value" })
        yield* Fiber.join(launching)
        assert.deepStrictEqual(yield* names, [
          [name(unit)],
          [`${name(unit)}-spec`],
          [`${name(unit)}-ref`, "model-secret"]
        ])
      })
    )

    it.scoped("case 25: suspended by a queue and resumed, the Job has not failed and runs anew", () =>
      Effect.gen(function* () {
        const { admin, tenant, runtime, list } = yield* setUp()
        const unit = in_(tenant, {
          snapshot: { queue: { kind: "kueue", name: "team-queue", source: "hardware_config" } }
        })
        yield* runtime.launch(unit)
        const [first] = yield* eventually("the pod", list(pods), (found) => found.length === 1)
        assert.strictEqual(first?.metadata.labels?.["kueue.x-k8s.io/queue-name"], "team-queue")
        const suspend = (value: boolean) =>
          admin.mergePatch({ resource: jobs, namespace: tenant, name: name(unit), lane }, { spec: { suspend: value } })
        yield* suspend(true)
        yield* eventually("no pod", list(pods), (found) => found.length === 0)
        yield* suspend(false)
        const [second] = yield* eventually("another pod", list(pods), (found) => found.length === 1)
        assert.notStrictEqual(second?.metadata.uid, first?.metadata.uid)
        const [job] = yield* list(jobs)
        assert.isUndefined(at(job, "status.failed"))
        if (second !== undefined) yield* patchPod(admin, second, { phase: "Succeeded" })
        yield* eventually("complete", list(jobs), (found) => at(found[0], "status.succeeded") === 1)
      })
    )

    it.scoped("case 54: a finished Job goes after its time with all it owns; a namespace takes everything along", () =>
      Effect.gen(function* () {
        const { admin, tenant, runtime, list, names } = yield* setUp({ ttlSeconds: 1 })
        const unit = in_(tenant)
        yield* runtime.launch(unit)
        const [pod] = yield* eventually("the pod", list(pods), (found) => found.length === 1)
        if (pod !== undefined) yield* patchPod(admin, pod, { phase: "Succeeded" })
        yield* eventually("nothing left", names, (found) => found.flat().length === 0)
        const [gone] = yield* runtime.observe([unit])
        assert.strictEqual(gone?.status, "Gone")
        const next = in_(tenant, { id: "0197a3f2-6c1e-7b40-9d2a-3f5e8c1b7a91" })
        yield* runtime.launch(next)
        yield* admin.remove({ resource: namespaces, name: tenant, lane }, { propagation: "Background" })
        yield* eventually("no Job", list(jobs), (found) => found.length === 0)
        yield* eventually("seen as gone", runtime.observe([next]), ([one]) => one?.status === "Gone")
        yield* runtime.stopJob(next, { discard: true })
      })
    )
  })
})
