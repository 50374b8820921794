/** T1: the operator on a cluster in this process, with time that passes as the test says. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { listMember, member } from "../../../../../values/json.ts"
import { layer as fake } from "../../../../support/fake-kubernetes/fake-kubernetes.ts"
import { answers } from "../../../../support/fake-kubernetes/faults.ts"
import { kindOf } from "../../../../support/fake-kubernetes/job-controller.ts"
import { serviceMonitors } from "../../../../support/fake-kubernetes/kinds.ts"
import {
  ephemeral,
  instances,
  operating,
  settledWith,
  tenantLabel,
  writesOf
} from "../../../../support/fake-kubernetes/operating.ts"
import { at } from "../../../../support/http-app.ts"

describe("the operator", () => {
  it.scoped("case 17: create a CR, two tenants: all objects; second pass: 0 writes", () =>
    Effect.gen(function* () {
      const { cluster, made, resource, condition, stop, start, pass } = yield* settledWith(["team-a", "team-b"])
      assert.deepStrictEqual(made("team-a"), [
        "ConfigMap team-a/evald.team-services.service-ca",
        "NetworkPolicy team-a/evald.team-services.jobs",
        "Role team-a/evald.team-services.job-access",
        ...[
          "job-access",
          "job-config",
          "job-runtime",
          "jobs-writer",
          "model-secret",
          "tracker-access",
          "tracker-jobs-access",
          "tracker-jobs-runs"
        ].map((role) => `RoleBinding team-a/evald.team-services.${role}`),
        "ServiceAccount team-a/evald-team-services-job"
      ])
      assert.includeMembers(made("team-services"), [
        "Deployment team-services/evald",
        "Service team-services/evald",
        "Service team-services/evald-metrics",
        "NetworkPolicy team-services/evald",
        "ServiceAccount team-services/evald-api",
        "ConfigMap team-services/evald.config",
        "ConfigMap team-services/evald.provider.evald"
      ])
      assert.deepStrictEqual(
        ["Ready", "Available", "Configured", "TLSReady", "TenantsReady", "DefinitionsReady"].map(
          (type) => condition(type).status
        ),
        Array.from({ length: 6 }, () => "True")
      )
      assert.deepStrictEqual(resource()?.metadata.finalizers, ["evald.internal/cleanup"])
      // another process applies everything once and changes nothing
      yield* stop
      const versions = () =>
        JSON.stringify(
          cluster.kinds.flatMap((kind) =>
            cluster.store.all(kind, undefined).map(({ metadata }) => metadata.resourceVersion)
          )
        )
      const [before, statusOf] = [versions(), JSON.stringify(resource()?.["status"])]
      yield* start
      yield* pass(30)
      assert.strictEqual(JSON.stringify(resource()?.["status"]), statusOf)
      assert.strictEqual(versions(), before)
    }).pipe(Effect.provide(fake))
  )

  it.scoped("case 18: one hour of steady state: 0 writes, status included; only resync reads", () =>
    Effect.gen(function* () {
      const { cluster, pass } = yield* settledWith(["team-a", "team-b"])
      const from = cluster.requests.length
      yield* pass(3600, 20)
      assert.deepStrictEqual(
        writesOf(cluster, from).map(({ method, path }) => `${method} ${path}`),
        []
      )
    }).pipe(Effect.provide(fake))
  )

  it.scoped("case 19: readyReplicas 0, 1, 2: one status write per change; Ready only when rolled out", () =>
    Effect.gen(function* () {
      const spec = { replicas: 2, database: { type: "postgresql", secret: "db" } }
      const { cluster, rolledOut, pass, condition, resource } = yield* settledWith([], spec)
      const writes = () => writesOf(cluster).filter(({ path }) => path.endsWith("/status")).length
      for (const [ready, is, reason] of [
        [0, "False", "Unavailable"],
        [1, "False", "RolloutInProgress"],
        [2, "True", "RolledOut"]
      ] as const) {
        const before = writes()
        rolledOut(ready)
        yield* pass(3)
        assert.strictEqual(writes() - before, 1, `${ready} ready`)
        assert.deepStrictEqual([condition("Ready").status, condition("Ready").reason], [is, reason])
        assert.strictEqual(at(resource(), "status.readyReplicas"), ready)
        assert.strictEqual(at(resource(), "status.observedGeneration"), resource()?.metadata.generation)
      }
    }).pipe(Effect.provide(fake))
  )

  it.scoped(
    "a change is not called rolled out before the Deployment that was just written is seen: Ready waits for its pods",
    () =>
      Effect.gen(function* () {
        const { cluster, pass, until, rolledOut, condition, resource } = yield* settledWith([])
        assert.strictEqual(condition("Ready").status, "True")
        const said: Array<unknown> = []
        cluster.store.onChange(({ kind, object }) => {
          if (kind.plural === "evaluationservices" && at(object, "status.observedGeneration") === 2)
            said.push(listMember(object["status"], "conditions").find((one) => member(one, "type") === "Ready"))
        })
        // nothing is heard of the Deployment for a while after it was written
        cluster.faults.hook(({ plural, method }, moment) => {
          if (plural === "deployments" && method === "PATCH" && moment === "before") cluster.watches.freeze(true)
        })
        cluster.store.update(instances, "team-services", "evald", ({ metadata, ...object }) => ({
          ...object,
          metadata: { ...metadata, generation: 2 },
          spec: { ...(object["spec"] as object), podAnnotations: { mark: "1" } }
        }))
        yield* pass(3)
        cluster.faults.hook(undefined)
        cluster.watches.freeze(false)
        yield* until("followed", () => at(resource(), "status.observedGeneration") === 2)
        yield* pass(3)
        assert.isNotEmpty(said)
        for (const one of said) assert.strictEqual(member(one, "reason"), "RolloutInProgress")
        rolledOut()
        yield* until("ready", () => condition("Ready").status === "True")
      }).pipe(Effect.provide(fake))
  )

  it.scoped(
    "case 24: every write in one of three tenant namespaces answers 500: the others and the Deployment are ready; recovers alone",
    () =>
      Effect.gen(function* () {
        const { cluster, addInstance, start, until, rolledOut, condition, resource } = yield* operating()
        for (const name of ["team-a", "team-b", "team-c"]) cluster.addNamespace(name, tenantLabel)
        cluster.faults.add({
          when: ({ method, namespace }) => method !== "GET" && namespace === "team-b",
          times: 1_000_000,
          fault: answers(500)
        })
        addInstance()
        yield* start
        yield* until("a Deployment", () => cluster.objects("deployments").length === 1)
        rolledOut()
        yield* until(
          "two tenants",
          () => at(resource(), "status.tenants.ready") === 2 && condition("Ready").status === "True"
        )
        assert.deepStrictEqual(
          [
            condition("TenantsReady").status,
            condition("TenantsReady").reason,
            at(resource(), "status.tenants.failed.0.namespace")
          ],
          ["False", "SomeFailed", "team-b"]
        )
        cluster.faults.clear()
        yield* until("three tenants", () => at(resource(), "status.tenants.ready") === 3)
        assert.strictEqual(condition("TenantsReady").status, "True")
      }).pipe(Effect.provide(fake))
  )

  it.scoped("case 25: a namespace that terminates between read and write: a quiet end, no condition, no storm", () =>
    Effect.gen(function* () {
      const { cluster, pass, condition } = yield* settledWith(["team-a"])
      cluster.faults.hook((request, moment) => {
        if (moment !== "before" || request.namespace !== "team-b" || request.method === "GET") return
        cluster.faults.hook(undefined)
        cluster.store.update(kindOf("namespaces"), undefined, "team-b", ({ metadata, ...object }) => ({
          ...object,
          metadata: { ...metadata, finalizers: ["kubernetes"] }
        }))
        cluster.store.remove(kindOf("namespaces"), undefined, "team-b")
      })
      cluster.addNamespace("team-b", tenantLabel)
      yield* pass(10)
      const from = cluster.requests.length
      yield* pass(120, 5)
      assert.deepStrictEqual(
        writesOf(cluster, from).map(({ path }) => path),
        []
      )
      assert.strictEqual(condition("TenantsReady").status, "True")
    }).pipe(Effect.provide(fake))
  )

  it.scoped("case 26: N labelled, then O labelled: nothing is made there, condition True; unlabelled: it is gone", () =>
    Effect.gen(function* () {
      const { setLabels, pass, condition, made, resource } = yield* settledWith(["team-a"])
      const before = made()
      setLabels("team-services", tenantLabel)
      yield* pass(5)
      assert.deepStrictEqual([condition("OwnNamespaceLabelled").status, condition("Ready").status], ["True", "True"])
      setLabels("evald-system", tenantLabel)
      yield* pass(5)
      assert.include(condition("OwnNamespaceLabelled").message, "evald-system")
      assert.deepStrictEqual(made(), before)
      setLabels("team-services", {})
      setLabels("evald-system", {})
      yield* pass(5)
      assert.isUndefined(condition("OwnNamespaceLabelled").status)
      assert.strictEqual(at(resource(), "status.tenants.total"), 1)
    }).pipe(Effect.provide(fake))
  )

  it.scoped(
    "case 27: label true, false, empty, yes, removed: provisioned, removed, provisioned, removed, nothing",
    () =>
      Effect.gen(function* () {
        const { setLabels, pass, made } = yield* settledWith(["team-a"])
        const steps: ReadonlyArray<readonly [{ readonly [name: string]: string }, number]> = [
          [{ "evald.internal/tenant": "true" }, 12],
          [{ "evald.internal/tenant": "false" }, 0],
          [tenantLabel, 12],
          [{ "evald.internal/tenant": "yes" }, 0],
          [{}, 0]
        ]
        for (const [labels, count] of steps) {
          setLabels("team-a", labels)
          yield* pass(12)
          assert.lengthOf(made("team-a"), count, JSON.stringify(labels))
        }
      }).pipe(Effect.provide(fake))
  )

  it.scoped("a label that is lost for less than 5 s costs nothing", () =>
    Effect.gen(function* () {
      const { setLabels, pass, cluster } = yield* settledWith(["team-a"])
      const from = cluster.requests.length
      setLabels("team-a", {})
      yield* pass(3)
      setLabels("team-a", tenantLabel)
      yield* pass(30)
      assert.deepStrictEqual(
        writesOf(cluster, from).map(({ method, path }) => `${method} ${path}`),
        []
      )
    }).pipe(Effect.provide(fake))
  )

  it.scoped(
    "case 29: a foreign ConfigMap and a foreign RoleBinding under our names: untouched, named, the rest applied; adopted by nobody",
    () =>
      Effect.gen(function* () {
        const { cluster, addInstance, start, until, condition, resource, pass } = yield* operating()
        addInstance()
        cluster.addNamespace("team-a", tenantLabel)
        const [maps, bindings] = [kindOf("configmaps"), kindOf("rolebindings")]
        cluster.store.create(maps, "team-services", { metadata: { name: "evald.service-ca" }, data: { k: "theirs" } })
        cluster.store.create(bindings, "team-a", {
          metadata: { name: "evald.team-services.jobs-writer" },
          roleRef: { name: "theirs" }
        })
        yield* start
        yield* until(
          "named",
          () => condition("ObjectsOwned").status === "False" && condition("TenantsReady").status === "False"
        )
        assert.include(condition("ObjectsOwned").message, "evald.service-ca")
        assert.strictEqual(at(resource(), "status.tenants.failed.0.reason"), "ForeignObject")
        assert.lengthOf(cluster.objects("rolebindings", "team-a"), 8)
        cluster.store.remove(instances, "team-services", "evald")
        yield* until("gone", () => resource() === undefined)
        yield* pass(5)
        assert.deepStrictEqual(cluster.store.get(maps, "team-services", "evald.service-ca")["data"], { k: "theirs" })
        assert.deepStrictEqual(cluster.store.get(bindings, "team-a", "evald.team-services.jobs-writer")["roleRef"], {
          name: "theirs"
        })
      }).pipe(Effect.provide(fake))
  )

  it.scoped(
    "case 30: the ServiceMonitor API is absent, installed, removed: ApiMissing, applied within a minute, ApiMissing",
    () =>
      Effect.gen(function* () {
        const { cluster, condition, pass, until } = yield* settledWith([])
        assert.strictEqual(condition("Monitored").reason, "ApiMissing")
        cluster.kinds.push(serviceMonitors)
        const took = yield* until(
          "applied",
          () =>
            condition("Monitored").reason === "Applied" && cluster.store.all(serviceMonitors, undefined).length === 1
        )
        assert.isAtMost(took, 60)
        cluster.kinds.splice(cluster.kinds.indexOf(serviceMonitors), 1)
        cluster.watches.drop()
        yield* until("missing", () => condition("Monitored").reason === "ApiMissing")
        const from = cluster.requests.length
        yield* pass(120, 5)
        assert.deepStrictEqual(
          writesOf(cluster, from).map(({ path }) => path),
          []
        )
      }).pipe(Effect.provide(fake))
  )

  it.scoped(
    "case 32: the finalizer is cleared by force and the operator restarted: the sweep removes tenant objects; other instances are untouched",
    () =>
      Effect.gen(function* () {
        const { cluster, addInstance, start, stop, pass, made, until, resource } = yield* settledWith(["team-a"])
        addInstance(ephemeral, { name: "other", namespace: "others" })
        yield* until("the other", () => at(resource("other"), "status.tenants.ready") === 1)
        yield* stop
        cluster.store.update(instances, "team-services", "evald", ({ metadata, ...object }) => ({
          ...object,
          metadata: { ...metadata, finalizers: [] }
        }))
        cluster.store.remove(instances, "team-services", "evald")
        yield* start
        yield* pass(10)
        assert.lengthOf(made("team-a"), 12)
        assert.isTrue(made("team-a").every((name) => name.includes("other")))
        assert.isFalse(made().some((name) => name.includes("evald.team-services")))
      }).pipe(Effect.provide(fake))
  )

  it.scoped(
    "two instances that want one name for the account of their jobs: the older has it; the younger gets it when that one goes, and not after the next resync",
    () =>
      Effect.gen(function* () {
        const { cluster, addInstance, start, until, condition, resource, made } = yield* operating()
        cluster.addNamespace("team-a", tenantLabel)
        addInstance(ephemeral, { name: "a", namespace: "b-c" })
        yield* start
        yield* until("the older", () => at(resource("a"), "status.tenants.ready") === 1)
        addInstance(ephemeral, { name: "a-b", namespace: "c" })
        yield* until("refused", () => condition("TenantsReady", "a-b").reason === "NameConflict")
        assert.strictEqual(condition("TenantsReady", "a").status, "True")
        cluster.store.remove(instances, "b-c", "a")
        const took = yield* until("its turn", () => at(resource("a-b"), "status.tenants.ready") === 1)
        assert.isAtMost(took, 30)
        assert.lengthOf(made("team-a"), 12)
      }).pipe(Effect.provide(fake))
  )

  it.scoped(
    "an instance that is deleted takes its Jobs, its tenants' objects and all else with it, in the order that leaves nothing behind",
    () =>
      Effect.gen(function* () {
        const { cluster, made, until, resource } = yield* settledWith(["team-a", "team-b"])
        const job = (name: string, instance: string) =>
          cluster.store.create(kindOf("jobs"), "team-a", {
            metadata: {
              name,
              labels: { "evald.internal/instance-name": instance, "evald.internal/instance-namespace": "team-services" }
            },
            spec: { suspend: true, template: { spec: { restartPolicy: "Never" } } }
          })
        job("ours", "evald")
        job("foreign", "somebody")
        const from = cluster.requests.length
        cluster.store.remove(instances, "team-services", "evald")
        yield* until("gone", () => resource() === undefined)
        assert.deepStrictEqual(made(), [])
        assert.deepStrictEqual(
          cluster.objects("jobs", "team-a").map(({ metadata }) => metadata.name),
          ["foreign"]
        )
        const removed = cluster.requests
          .slice(from)
          .filter(({ method, namespace }) => method === "DELETE" && namespace === "team-a")
        const orderOf = (name: string) => removed.findIndex((request) => request.name?.endsWith(name) === true)
        assert.isBelow(orderOf("ours"), orderOf(".jobs-writer"))
        assert.isBelow(orderOf(".jobs-writer"), orderOf("team-services.job-access"))
        assert.isBelow(orderOf("team-services.job-access"), orderOf("evald-team-services-job"))
      }).pipe(Effect.provide(fake))
  )
})
