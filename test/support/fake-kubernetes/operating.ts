/** An operator on a fake cluster: with shipped definitions, instances that a test adds, and time that passes as the test says. */
import { readFileSync } from "node:fs"
import { Effect, Fiber } from "effect"
import { KubeClient } from "../../../infrastructure/kubernetes/client/client.ts"
import type { KubeObject } from "../../../infrastructure/kubernetes/client/resources.ts"
import { runOperator } from "../../../infrastructure/kubernetes/operator/operator.ts"
import type { OperatorOptions } from "../../../infrastructure/kubernetes/operator/operator-context.ts"
import { makeOperatorWatch } from "../../../infrastructure/kubernetes/operator/operator-watch.ts"
import { listMember, member } from "../../../values/json.ts"
import { at } from "../http-app.ts"
import { authRules, customResource, platform } from "../operator-inputs.ts"
import { Fake, type FakeKubernetes } from "./fake-kubernetes.ts"
import { kindOf } from "./job-controller.ts"
import { pass, passUntil } from "./passing.ts"

const home = platform.namespace
export const instances = kindOf("evaluationservices")
export const ephemeral = { database: { type: "sqlite", persistence: { enabled: false } } } as const

export const tenantLabel = { "evald.internal/tenant": "" } as const

const options: OperatorOptions = { platform, version: "test", authRules, workers: 4, resyncSeconds: 600 }

const providerText = readFileSync(new URL("../../../config/providers/evald.yaml", import.meta.url), "utf8")

/** requests that write, events left out, since a moment */
export const writesOf = (cluster: FakeKubernetes, from = 0) =>
  cluster.requests.slice(from).filter(({ method, plural }) => method !== "GET" && plural !== "events")

const conditionOf = (object: KubeObject | undefined, type: string) => {
  const found = listMember(object?.["status"], "conditions").find((one) => member(one, "type") === type)
  return {
    status: member(found, "status"),
    reason: member(found, "reason"),
    message: String(member(found, "message") ?? "")
  }
}

export const operating = (given: Partial<OperatorOptions> = {}) =>
  Effect.gen(function* () {
    const cluster = yield* Fake
    const client = yield* KubeClient
    cluster.addNamespace(home)
    cluster.store.create(kindOf("configmaps"), home, {
      metadata: { name: "evald-provider", labels: { "evald.internal/definition": "provider" } },
      data: { "evald.yaml": providerText }
    })
    const start = Effect.gen(function* () {
      const watch = makeOperatorWatch()
      const fiber = yield* Effect.fork(runOperator(client, { ...options, ...given }, watch))
      return { watch, stop: Fiber.interrupt(fiber) }
    })
    const addInstance = (spec: object = ephemeral, { name = "evald", namespace = "team-services" } = {}) => {
      if (!cluster.objects("namespaces").some(({ metadata }) => metadata.name === namespace))
        cluster.addNamespace(namespace)
      return cluster.store.create(instances, namespace, {
        ...customResource({ providers: ["evald"], ...spec }, { name, namespace }),
        metadata: { name, namespace }
      })
    }
    const resource = (name = "evald") =>
      cluster.objects("evaluationservices").find(({ metadata }) => metadata.name === name)
    const setLabels = (namespace: string, labels: { readonly [name: string]: string }) =>
      cluster.store.update(kindOf("namespaces"), undefined, namespace, ({ metadata, ...object }) => ({
        ...object,
        metadata: { ...metadata, labels }
      }))
    /** as the Deployment controller does once the pods run */
    const rolledOut = (ready?: number, name = "evald") => {
      const found = cluster.objects("deployments").find(({ metadata }) => metadata.name === name)
      if (found === undefined) return
      const replicas = Number(member(found["spec"], "replicas"))
      const is = ready ?? replicas
      cluster.store.update(kindOf("deployments"), found.metadata.namespace, name, (object) => ({
        ...object,
        status: {
          observedGeneration: object.metadata.generation,
          replicas,
          updatedReplicas: is,
          readyReplicas: is,
          availableReplicas: is,
          unavailableReplicas: replicas - is
        }
      }))
    }
    /** what the operator has made, without what the test put there */
    const made = (namespace?: string) =>
      cluster.kinds
        .filter(({ plural }) => plural !== "events" && plural !== "secrets")
        .flatMap((kind) => cluster.store.all(kind, namespace).map((object) => [kind.kind, object] as const))
        .filter(([, { metadata }]) => metadata.labels?.["app.kubernetes.io/managed-by"] === "evald-operator")
        .map(([kind, { metadata }]) => `${kind} ${metadata.namespace ?? ""}/${metadata.name}`)
        .sort()
    return {
      cluster,
      start,
      addInstance,
      resource,
      rolledOut,
      made,
      setLabels,
      pass: (seconds: number, step = 1) => pass(cluster, seconds, step),
      until: (what: string, holds: () => boolean) => passUntil(cluster, what, holds),
      condition: (type: string, name?: string) => conditionOf(resource(name), type)
    }
  })

/** an instance with tenants, rolled out */
export const settledWith = (tenants: ReadonlyArray<string>, spec?: object) =>
  Effect.gen(function* () {
    const operator = yield* operating()
    for (const name of tenants) operator.cluster.addNamespace(name, tenantLabel)
    operator.addInstance(spec)
    const running = yield* operator.start
    yield* operator.until("a Deployment", () => operator.cluster.objects("deployments").length === 1)
    operator.rolledOut()
    yield* operator.until("all tenants", () => at(operator.resource(), "status.tenants.ready") === tenants.length)
    yield* operator.pass(5)
    return { ...operator, ...running }
  })
