/**
 * T2: what is removed, in whatever order people remove it: the resource while the operator is away, the operator first, the definition of
 * the resource first, a namespace under the feet of both. Nothing that carries an instance's labels may stay where it has no business.
 */
import { assert, layer } from "@effect/vitest"
import { Clock, Effect, Option } from "effect"
import { describe } from "vitest"
import {
  configMaps,
  jobs,
  namespaces,
  type Resource,
  secrets
} from "../../infrastructure/kubernetes/client/resources.ts"
import { instanceLabels } from "../../infrastructure/kubernetes/manifests/managed.ts"
import { claims, kindsOutside } from "../../infrastructure/kubernetes/operator/kinds.ts"
import { Cluster, layer as cluster, noControlPlane } from "../cluster/support/cluster.ts"
import { eventually } from "../cluster/support/eventually.ts"
import { setUp } from "../cluster/support/operator-process.ts"
import { at } from "../support/http-app.ts"

const live = { excludeTestServices: true, timeout: "200 seconds" } as const
const lane = "launch" as const
const definitions: Resource = {
  group: "apiextensions.k8s.io",
  version: "v1",
  plural: "customresourcedefinitions",
  kind: "CustomResourceDefinition"
}
const onClaim = (reclaim: string, hardwareProfilesNamespace: string) => ({
  providers: ["evald"],
  database: { type: "sqlite", persistence: { reclaim } },
  hardwareProfilesNamespace
})
/** an instance that is deleted is gone within this time */
const goneMillis = 30_000

type Operator = Effect.Effect.Success<typeof setUp>

/** a Job of an instance with a ConfigMap and a Secret of its own, as the server makes them; it stays suspended */
const jobOf = (
  { admin, here }: Operator,
  tenant: string,
  id: { readonly name: string; readonly namespace: string },
  name: string
) =>
  Effect.gen(function* () {
    const labels = Object.fromEntries(
      Object.entries(instanceLabels(here, id)).filter(([key]) => key.includes("/instance-"))
    )
    const job = yield* admin.create(
      { resource: jobs, namespace: tenant, lane },
      {
        apiVersion: "batch/v1",
        kind: "Job",
        metadata: { name, labels },
        spec: {
          suspend: true,
          template: {
            spec: { restartPolicy: "Never", containers: [{ name: "adapter", image: "registry.example/a:1" }] }
          }
        }
      }
    )
    const ownerReferences = [{ apiVersion: "batch/v1", kind: "Job", name, uid: job.metadata.uid ?? "" }]
    for (const [resource, kind] of [
      [configMaps, "ConfigMap"],
      [secrets, "Secret"]
    ] as const)
      yield* admin.create(
        { resource, namespace: tenant, lane },
        { apiVersion: "v1", kind, metadata: { name, labels, ownerReferences } }
      )
  })

/** names of a kind in a namespace that begin so */
const named = ({ admin }: Operator, resource: Resource, namespace: string, start: string) =>
  Effect.map(admin.list({ resource, namespace, lane, metadataOnly: true }), ({ items }) =>
    items.flatMap(({ metadata: { name } }) => (name.startsWith(start) ? [name] : []))
  )

const nothingIn = (operator: Operator, home: string, tenant: string) =>
  eventually(`nothing in ${tenant}`, operator.made(home), (all) => all.every((name) => !name.includes(` ${tenant}/`)))

describe.skipIf(noControlPlane)("T2: removal", () => {
  layer(cluster, live)("of instances, the operator and its definition", (it) => {
    it.scoped("the resource is deleted while the operator is away: it waits, and goes when the operator is back", () =>
      Effect.gen(function* () {
        const operator = yield* setUp
        const { home, tenant, running } = yield* operator.oneTenant
        yield* jobOf(operator, tenant, { name: "evald", namespace: home }, "job-one")
        assert.strictEqual(yield* Effect.promise(() => running.stop()), 0)
        yield* operator.removeInstance(home)
        const waiting = Option.getOrThrow(yield* operator.resource(home))
        assert.isDefined(waiting.metadata.deletionTimestamp)
        yield* operator.start
        yield* eventually("gone", operator.resource(home), Option.isNone)
        yield* eventually("nothing left", operator.made(home), (all) => all.length === 0)
        assert.deepStrictEqual(yield* named(operator, jobs, tenant, "job-"), [])
        yield* eventually("nor of its Job", named(operator, secrets, tenant, "job-"), (all) => all.length === 0)
      })
    )

    it.scoped(
      "the operator goes first: what it made is removed by its labels, and the finalizer by hand; or it is installed again",
      () =>
        Effect.gen(function* () {
          const operator = yield* setUp
          const { admin, here, made, resources } = operator
          const { addNamespace } = yield* Cluster
          const { home, tenant, running } = yield* operator.oneTenant
          const other = yield* addNamespace("services")
          yield* operator.addInstance(other, "again")
          yield* operator.when(other, "a tenant", (found) => at(found, "status.tenants.ready") === 1, "again")
          yield* jobOf(operator, tenant, { name: "evald", namespace: home }, "job-one")
          assert.strictEqual(yield* Effect.promise(() => running.stop()), 0)
          yield* operator.removeInstance(home)
          yield* operator.removeInstance(other, "again")
          // by hand, as UPGRADING.md says for one instance
          const labelSelector = Object.entries(instanceLabels(here, { name: "evald", namespace: home }))
            .filter(([key]) => key.includes("/instance-"))
            .map((pair) => pair.join("="))
            .join(",")
          for (const resource of [jobs, ...kindsOutside])
            for (const { metadata } of (yield* admin.list({ resource, lane, labelSelector, metadataOnly: true })).items)
              yield* admin.remove(
                {
                  resource,
                  name: metadata.name,
                  lane,
                  ...(metadata.namespace === undefined ? {} : { namespace: metadata.namespace })
                },
                { propagation: "Background" }
              )
          yield* admin.mergePatch(
            { resource: resources, namespace: home, name: "evald", lane },
            { metadata: { finalizers: [] } }
          )
          yield* eventually("gone by hand", operator.resource(home), Option.isNone)
          yield* eventually("nothing left", made(home), (all) => all.length === 0)
          // the other one waits for an operator
          assert.isTrue(Option.isSome(yield* operator.resource(other, "again")))
          assert.isNotEmpty(yield* made(other, "again", kindsOutside))
          yield* operator.start
          yield* eventually("gone by the operator", operator.resource(other, "again"), Option.isNone)
          yield* eventually("nothing left of it", made(other, "again"), (all) => all.length === 0)
        })
    )

    it.scoped("the definition of the resource goes first: every instance is cleaned up, and then it is gone", () =>
      Effect.gen(function* () {
        const operator = yield* setUp
        const { admin, made, group } = operator
        const { home, tenant } = yield* operator.oneTenant
        yield* jobOf(operator, tenant, { name: "evald", namespace: home }, "job-one")
        const crd = { resource: definitions, name: `evaluationservices.${group}`, lane }
        yield* admin.remove(crd, { propagation: "Background" })
        yield* eventually("the definition is gone", Effect.option(admin.get(crd)), Option.isNone)
        yield* eventually("nothing left", made(home), (all) => all.length === 0)
        assert.deepStrictEqual(yield* named(operator, jobs, tenant, "job-"), [])
      })
    )

    it.scoped(
      "case 42: an instance with a claim: Retain leaves the claim alone, Delete nothing at all; gone within 30 s",
      () =>
        Effect.gen(function* () {
          const operator = yield* setUp
          const { admin } = operator
          const { addNamespace } = yield* Cluster
          yield* operator.start
          const home = yield* addNamespace("services")
          const tenant = yield* addNamespace("team", operator.label)
          const profiles = yield* addNamespace("profiles")
          for (const [name, reclaim] of [
            ["kept", "Retain"],
            ["wiped", "Delete"]
          ] as const) {
            yield* operator.addInstance(home, name, onClaim(reclaim, profiles))
            yield* operator.when(home, "a tenant", (found) => at(found, "status.tenants.ready") === 1, name)
            yield* jobOf(operator, tenant, { name, namespace: home }, `job-${name}`)
            assert.isNotEmpty((yield* operator.made(home, name)).filter((object) => object.includes(` ${profiles}/`)))
            const start = yield* Clock.currentTimeMillis
            yield* operator.removeInstance(home, name)
            yield* eventually("gone", operator.resource(home, name), Option.isNone)
            assert.isAtMost((yield* Clock.currentTimeMillis) - start, goneMillis)
            if (reclaim === "Delete") {
              const claim = { resource: claims, namespace: home, name: `${name}.data`, lane }
              yield* eventually(
                "the claim is told to go",
                admin.get(claim),
                ({ metadata }) => metadata.deletionTimestamp !== undefined
              )
              // the controller that protects claims in use does not run here
              yield* admin.mergePatch(claim, { metadata: { finalizers: [] } })
            }
            const left = reclaim === "Retain" ? [`${claims.kind} ${home}/${name}.data`] : []
            yield* eventually("only what is to stay", operator.made(home, name), (all) => all.length === left.length)
            assert.deepStrictEqual(yield* operator.made(home, name), left)
          }
          yield* eventually("no Job", named(operator, jobs, tenant, "job-"), (all) => all.length === 0)
        })
    )

    it.scoped(
      "case 43: a tenant deleted with Jobs, an instance deleted meanwhile, and its namespace: no deadlock, nothing left elsewhere",
      () =>
        Effect.gen(function* () {
          const operator = yield* setUp
          const { admin } = operator
          const { addNamespace } = yield* Cluster
          const { home, tenant } = yield* operator.oneTenant
          const second = yield* addNamespace("team", operator.label)
          yield* operator.when(home, "both", (found) => at(found, "status.tenants.ready") === 2)
          yield* jobOf(operator, tenant, { name: "evald", namespace: home }, "job-one")
          const remove = (name: string) =>
            admin.remove({ resource: namespaces, name, lane }, { propagation: "Background" })
          yield* remove(tenant)
          yield* operator.when(home, "one tenant less", (found) => at(found, "status.tenants.total") === 1)
          // a tenant that is on its way out while the instance goes with its whole namespace
          yield* remove(second)
          yield* remove(home)
          yield* eventually("gone", operator.resource(home), Option.isNone)
          for (const name of [tenant, second, home])
            yield* eventually(
              `${name} is gone`,
              Effect.option(admin.get({ resource: namespaces, name, lane })),
              Option.isNone
            )
          yield* eventually("nothing left", operator.made(home), (all) => all.length === 0)
        })
    )

    it.scoped(
      "case 44: a label that is removed with Jobs of two instances: theirs go with all they own, others stay",
      () =>
        Effect.gen(function* () {
          const operator = yield* setUp
          const { addNamespace } = yield* Cluster
          const { home, tenant } = yield* operator.oneTenant
          const other = yield* addNamespace("services")
          yield* operator.addInstance(other, "second")
          yield* operator.when(other, "a tenant", (found) => at(found, "status.tenants.ready") === 1, "second")
          yield* jobOf(operator, tenant, { name: "evald", namespace: home }, "job-first")
          yield* jobOf(operator, tenant, { name: "second", namespace: other }, "job-second")
          yield* jobOf(operator, tenant, { name: "stranger", namespace: "elsewhere" }, "job-stranger")
          yield* operator.setLabels(tenant, { [Object.keys(operator.label)[0] ?? ""]: null })
          yield* nothingIn(operator, home, tenant)
          yield* eventually("nor of the second", operator.made(other, "second"), (all) =>
            all.every((name) => !name.includes(` ${tenant}/`))
          )
          for (const resource of [jobs, configMaps, secrets])
            yield* eventually(
              "the stranger's alone",
              named(operator, resource, tenant, "job-"),
              (all) => all.length === 1
            )
          assert.deepStrictEqual(yield* named(operator, secrets, tenant, "job-"), ["job-stranger"])
        })
    )

    it.scoped(
      "case 45: a label flipped 20 times in 10 s: ends on and all is there, no Job lost; ends off and nothing is",
      () =>
        Effect.gen(function* () {
          const operator = yield* setUp
          const { home, tenant } = yield* operator.oneTenant
          const [key = ""] = Object.keys(operator.label)
          yield* jobOf(operator, tenant, { name: "evald", namespace: home }, "job-one")
          const flip = (last: boolean) =>
            Effect.forEach(
              Array.from({ length: 20 }, (_, i) => (i % 2 === 1) === last),
              (on) =>
                Effect.zipRight(operator.setLabels(tenant, { [key]: on ? "" : null }), Effect.sleep("500 millis")),
              { discard: true }
            )
          yield* flip(true)
          // longer than a label must be gone to count
          yield* Effect.sleep("7 seconds")
          const inTenant = Effect.map(operator.made(home), (all) => all.filter((name) => name.includes(` ${tenant}/`)))
          assert.lengthOf(yield* inTenant, 12)
          assert.deepStrictEqual(yield* named(operator, jobs, tenant, "job-"), ["job-one"])
          yield* flip(false)
          yield* nothingIn(operator, home, tenant)
          yield* eventually("no Job", named(operator, jobs, tenant, "job-"), (all) => all.length === 0)
        })
    )
  })
})
