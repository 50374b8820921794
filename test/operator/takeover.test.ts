/** T2: the operator takes over what the one of an earlier release has made, as it was frozen then. */
import { readdirSync, readFileSync } from "node:fs"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { describe } from "vitest"
import { pathOf } from "../../infrastructure/kubernetes/client/resources.ts"
import type { ManagedObject } from "../../infrastructure/kubernetes/manifests/managed.ts"
import { desired, managedKinds } from "../../infrastructure/kubernetes/operator/kinds.ts"
import { isObject } from "../../values/json.ts"
import { apiFront } from "../cluster/support/api-front.ts"
import { Cluster, layer as cluster, noControlPlane } from "../cluster/support/cluster.ts"
import { eventually } from "../cluster/support/eventually.ts"
import { apply } from "../cluster/support/operator-kinds.ts"
import { conditionStatus, setUp } from "../cluster/support/operator-process.ts"
import { at } from "../support/http-app.ts"

const live = { excludeTestServices: true, timeout: "200 seconds" } as const
const lane = "launch" as const

interface FrozenInstance {
  readonly name: string
  readonly spec: { readonly replicas?: number }
  readonly objects: ReadonlyArray<ManagedObject>
}

const fixtures = new URL("../fixtures/", import.meta.url)
const releases = readdirSync(fixtures).filter((name) => name.startsWith("release-"))

/** what an operator of then had put into an object, and no operator of now does */
const withLeftovers = (object: ManagedObject): ManagedObject => {
  const metadata = {
    ...object.metadata,
    annotations: { ...object.metadata.annotations, "example.com/of-the-release-before": "1" }
  }
  const data = object["data"]
  return {
    ...object,
    metadata,
    ...(object.kind === "ConfigMap" && isObject(data) ? { data: { ...data, old: "1" } } : {})
  }
}

describe.skipIf(noControlPlane)("T2: an operator after an upgrade", () => {
  layer(cluster, live)("of what an earlier release has made", (it) => {
    it.scoped.each(releases)(
      "case 50: objects of %s are taken over: none is made anew, no member of then stays, and nothing is written after the first pass",
      (release) =>
        Effect.gen(function* () {
          const operator = yield* setUp
          const { admin, here, group } = operator
          const { addNamespace } = yield* Cluster
          const [home, tenant] = [yield* addNamespace("services"), yield* addNamespace("team", operator.label)]
          const text = readFileSync(new URL(`${release}/objects.json`, fixtures), "utf8")
            .replaceAll("frozen.evald.internal", group)
            .replaceAll("frozen-home", home)
            .replaceAll("frozen-team", tenant)
            .replaceAll("frozen-operator", here.namespace)
            .replaceAll('"frozen-', `"${here.rolePrefix}`)
          const instances = JSON.parse(text) as ReadonlyArray<FrozenInstance>
          const read = (object: ManagedObject) =>
            admin.send(
              {
                method: "GET",
                path: pathOf(desired(object).resource, object.metadata.namespace, object.metadata.name)
              },
              lane
            )
          const all: Array<ManagedObject> = []
          for (const { name, spec, objects } of instances) {
            const { metadata } = yield* operator.addInstance(home, name, spec)
            const owned = JSON.parse(
              JSON.stringify(objects).replaceAll("00000000-0000-0000-0000-000000000000", metadata.uid ?? "")
            ) as ReadonlyArray<ManagedObject>
            for (const object of owned) yield* apply(admin, withLeftovers(object))
            all.push(...owned)
          }
          const uids = yield* Effect.forEach(all, read)
          const settled = Effect.forEach(
            instances,
            ({ name, spec }) =>
              Effect.gen(function* () {
                yield* operator.when(home, "its tenant", (found) => at(found, "status.tenants.ready") === 1, name)
                yield* operator.rolledOut(home, name, spec.replicas ?? 1)
                yield* operator.when(home, "ready", (found) => conditionStatus(found, "Ready") === "True", name)
              }),
            { discard: true }
          )
          const first = yield* operator.start
          yield* settled
          yield* Effect.sleep("3 seconds")
          const taken = yield* Effect.forEach(all, read)
          assert.deepStrictEqual(
            taken.map((object) => at(object, "metadata.uid")),
            uids.map((object) => at(object, "metadata.uid"))
          )
          assert.deepStrictEqual(
            taken
              .filter((object) => /of-the-release-before|"old":"1"/.test(JSON.stringify({ ...(object as object) })))
              .map((object) => at(object, "metadata.name")),
            []
          )
          const versions = Effect.map(
            Effect.forEach(
              managedKinds.filter(({ plural }) => !["servicemonitors", "routes"].includes(plural)),
              (resource) => admin.list({ resource, lane, labelSelector: `${group}/instance-name`, metadataOnly: true })
            ),
            (lists) =>
              lists.flatMap(({ items }) => items.map(({ metadata }) => `${metadata.name} ${metadata.resourceVersion}`))
          )
          const before = yield* versions
          // another one of this release applies everything once, and changes nothing
          yield* Effect.promise(() => first.stop())
          const front = yield* apiFront
          yield* operator.startBy(front)
          const applied = Effect.sync(
            () => front.seen().filter(({ method, path }) => method === "PATCH" && !path.includes("/leases")).length
          )
          yield* eventually("all applied", applied, (count) => count >= all.length)
          yield* Effect.sleep("3 seconds")
          assert.deepStrictEqual(yield* versions, before)
        })
    )
  })
})
