/** T1: what the status of an instance says about pods that do not start, about the router, and about definitions that change. */
import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { KubeObject } from "../../../../../infrastructure/kubernetes/client/resources.ts"
import { layer as fake } from "../../../../support/fake-kubernetes/fake-kubernetes.ts"
import { kindOf } from "../../../../support/fake-kubernetes/job-controller.ts"
import { routes } from "../../../../support/fake-kubernetes/kinds.ts"
import { ephemeral, instances, operating, settledWith } from "../../../../support/fake-kubernetes/operating.ts"
import { at } from "../../../../support/http-app.ts"

const here = "team-services"
const onPostgresql = { database: { type: "postgresql", secret: "db" } }

/** a pod of the instance, as its ReplicaSet makes one */
const podOf = (resource: KubeObject | undefined, name: string, status: object): KubeObject => ({
  metadata: {
    name,
    labels: Object.fromEntries(
      String(at(resource, "status.selector"))
        .split(",")
        .map((pair) => pair.split("=") as [string, string])
    )
  },
  status
})

const waitingFor = (reason: string, message: string) => ({
  containerStatuses: [{ name: "evald", state: { waiting: { reason, message } } }]
})

describe("what is said about an instance", () => {
  it.scoped("the cause of an unavailable Deployment is in the message after 30 s, and goes with it", () =>
    Effect.gen(function* () {
      const { cluster, condition, resource, rolledOut, pass } = yield* settledWith([], onPostgresql)
      const pods = kindOf("pods")
      const asked = () => cluster.requests.filter(({ plural, verb }) => plural === "pods" && verb === "list").length
      const cases: ReadonlyArray<readonly [status: object, message: string, storage: string]> = [
        [
          waitingFor("CreateContainerConfigError", 'secret "db" not found'),
          'secret "db" not found',
          "SecretUnavailable"
        ],
        [
          waitingFor("ImagePullBackOff", "registry.example/none:1"),
          "ImagePullBackOff: registry.example",
          "SecretReferenced"
        ],
        [
          { conditions: [{ type: "PodScheduled", status: "False", message: "0/3 nodes are available" }] },
          "0/3 nodes are available",
          "SecretReferenced"
        ]
      ]
      for (const [status, message, storage] of cases) {
        cluster.store.create(pods, here, podOf(resource(), "evald-1", status))
        const before = asked()
        rolledOut(0)
        yield* pass(25)
        assert.strictEqual(asked(), before, "asked too early")
        assert.notInclude(condition("Ready").message, message)
        yield* pass(10)
        assert.include(condition("Ready").message, message)
        assert.include(condition("Available").message, message)
        assert.strictEqual(condition("StorageReady").reason, storage)
        assert.strictEqual(at(resource(), "status.phase"), "Degraded")
        cluster.store.remove(pods, here, "evald-1")
        rolledOut()
        yield* pass(3)
        assert.deepStrictEqual(
          [condition("Ready").reason, condition("StorageReady").reason],
          ["RolledOut", "SecretReferenced"]
        )
      }
    }).pipe(Effect.provide(fake))
  )

  it.scoped("a pod that says nothing itself is explained by its last warning", () =>
    Effect.gen(function* () {
      const { cluster, condition, resource, rolledOut, pass } = yield* settledWith([], onPostgresql)
      const pod = cluster.store.create(
        kindOf("pods"),
        here,
        podOf(resource(), "evald-1", waitingFor("ContainerCreating", ""))
      )
      const event = (name: string, type: string, uid: string | undefined, message: string) =>
        cluster.store.create(kindOf("events"), here, {
          metadata: { name },
          type,
          message,
          involvedObject: { kind: "Pod", name: "evald-1", namespace: here, uid }
        })
      event("e1", "Warning", pod.metadata.uid, "Readiness probe failed: HTTP probe failed with statuscode: 503")
      event("e2", "Normal", pod.metadata.uid, "Started container evald")
      event("e3", "Warning", "another", "of somebody else")
      rolledOut(0)
      yield* pass(35)
      assert.include(condition("Ready").message, "evald-1: Readiness probe failed")
    }).pipe(Effect.provide(fake))
  )

  it.scoped(
    "a Route: applied, admitted with the router's host, refused without an address, and gone with its API",
    () =>
      Effect.gen(function* () {
        const { cluster, addInstance, start, until, condition, resource, pass } = yield* operating()
        cluster.kinds.push(routes)
        addInstance({ ...ephemeral, expose: { type: "Route" } })
        yield* start
        yield* until("applied", () => condition("Exposed").reason === "Applied")
        assert.isUndefined(at(resource(), "status.externalURL"))
        const admitted = (status: string, more: object) =>
          cluster.store.update(routes, here, "evald", (object) => ({
            ...object,
            status: {
              ingress: [{ ...more, conditions: [{ type: "Admitted", status, message: "HostAlreadyClaimed" }] }]
            }
          }))
        admitted("True", { host: "evald-team-services.apps.example" })
        yield* pass(3)
        assert.strictEqual(condition("Exposed").reason, "Admitted")
        assert.strictEqual(at(resource(), "status.externalURL"), "https://evald-team-services.apps.example")
        admitted("False", { host: "evald-team-services.apps.example" })
        yield* pass(3)
        assert.deepStrictEqual([condition("Exposed").status, condition("Exposed").reason], ["False", "NotAdmitted"])
        assert.include(condition("Exposed").message, "HostAlreadyClaimed")
        assert.isUndefined(at(resource(), "status.externalURL"))
        cluster.kinds.splice(cluster.kinds.indexOf(routes), 1)
        cluster.watches.drop()
        yield* until("missing", () => condition("Exposed").reason === "ApiMissing")
      }).pipe(Effect.provide(fake))
  )

  it.scoped("an Ingress: applied, and admitted once a controller gave it an address", () =>
    Effect.gen(function* () {
      const expose = { type: "Ingress", host: "evald.example" }
      const { cluster, condition, resource, pass } = yield* settledWith([], { ...ephemeral, expose })
      assert.strictEqual(condition("Exposed").reason, "Applied")
      assert.strictEqual(at(resource(), "status.externalURL"), "https://evald.example")
      cluster.store.update(kindOf("ingresses"), here, "evald", (object) => ({
        ...object,
        status: { loadBalancer: { ingress: [{ ip: "192.0.2.1" }] } }
      }))
      yield* pass(3)
      assert.strictEqual(condition("Exposed").reason, "Admitted")
    }).pipe(Effect.provide(fake))
  )

  it.scoped(
    "case 7: a configuration with a key of the operator's own is refused by name, and what is there stays as it is until it is mended",
    () =>
      Effect.gen(function* () {
        const { cluster, condition, resource, made, pass } = yield* settledWith(["team-a"], {
          ...ephemeral,
          // a kind that is not known here
          metrics: { serviceMonitor: { enabled: false } }
        })
        assert.strictEqual(at(resource(), "status.phase"), "Ready")
        const configure = (generation: number, config: object) =>
          cluster.store.update(instances, here, "evald", ({ metadata, ...object }) => ({
            ...object,
            metadata: { ...metadata, generation },
            spec: { ...(object["spec"] as object), config }
          }))
        const content = () => [
          made(),
          cluster.kinds
            .filter(({ plural }) => !["events", "evaluationservices", "leases"].includes(plural))
            .flatMap((kind) => cluster.store.all(kind, undefined).map(({ metadata }) => metadata.resourceVersion))
        ]
        const before = content()
        configure(2, { service: { port: 9000 } })
        yield* pass(10)
        const { status, reason, message } = condition("Configured")
        assert.deepStrictEqual([status, reason], ["False", "ConfigRejected"])
        assert.include(message, "spec.config: service.port is set by the operator")
        assert.strictEqual(at(resource(), "status.phase"), "Error")
        assert.deepStrictEqual(content(), before)
        const told = cluster.objects("events", here).filter((event) => event["reason"] === "ConfigRejected")
        assert.lengthOf(told, 1)

        configure(3, {})
        yield* pass(10)
        assert.deepStrictEqual([condition("Configured").status, at(resource(), "status.phase")], ["True", "Ready"])
      }).pipe(Effect.provide(fake))
  )

  it.scoped("definitions that are added, changed and removed are told as events; a restart tells nothing", () =>
    Effect.gen(function* () {
      const { cluster, pass, stop, start } = yield* settledWith([])
      const told = () =>
        cluster
          .objects("events", here)
          .filter(({ reason }) => reason === "DefinitionsChanged")
          .map(({ message }) => message)
      const maps = kindOf("configmaps")
      const text = readFileSync("config/providers/evald.yaml", "utf8")
      const own = (title: string) =>
        cluster.store.update(maps, "evald-system", "evald-provider", (object) => ({
          ...object,
          data: { "evald.yaml": text.replace(/^title: .*$/m, `title: ${title}`) }
        }))
      assert.deepStrictEqual(told(), [])
      own("Other")
      yield* pass(3)
      assert.deepStrictEqual(told(), ["changed: provider evald"])
      yield* stop
      yield* start
      yield* pass(5)
      assert.lengthOf(told(), 1)
      cluster.store.remove(maps, "evald-system", "evald-provider")
      yield* pass(3)
      assert.deepStrictEqual(told().slice(1), ["removed: provider evald"])
    }).pipe(Effect.provide(fake))
  )
})
