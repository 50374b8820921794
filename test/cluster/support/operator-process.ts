/** `evald operator` as a process on the control plane: under its own service account, in an API group of its own. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, Option } from "effect"
import { type KubeObject, namespaces, type Resource } from "../../../infrastructure/kubernetes/client/resources.ts"
import { installedObjects } from "../../../infrastructure/kubernetes/installation/objects.ts"
import { instanceLabels } from "../../../infrastructure/kubernetes/manifests/managed.ts"
import { deployments, managedKinds } from "../../../infrastructure/kubernetes/operator/kinds.ts"
import { listMember, member } from "../../../values/json.ts"
import { listen } from "../../support/evald-process.ts"
import { at } from "../../support/http-app.ts"
import { platform } from "../../support/operator-inputs.ts"
import { Cluster } from "./cluster.ts"
import { eventually } from "./eventually.ts"
import { apply } from "./operator-kinds.ts"

const lane = "launch" as const
const image = "registry.example/evald:1"
const ephemeral = { providers: ["evald"], database: { type: "sqlite", persistence: { enabled: false } } }
const own = (resource: Resource) => !["servicemonitors", "routes"].includes(resource.plural)

export const conditionStatus = (found: unknown, type: string): unknown =>
  member(
    listMember(member(found, "status"), "conditions").find((one) => member(one, "type") === type),
    "status"
  )

let serial = 0

/** installed, not started */
export const setUp = Effect.gen(function* () {
  const { admin, addNamespace, tokenOf, kubeconfigOf } = yield* Cluster
  serial += 1
  const group = `t2-${process.pid}-${serial}.evald.internal`
  const home = yield* addNamespace("operator")
  const groups = { ...platform.groups, service: group }
  const here = {
    ...platform,
    domain: group,
    groups,
    namespace: home,
    rolePrefix: `t2-${process.pid}-${serial}-`,
    image
  }
  const text = readFileSync("config/providers/evald.yaml", "utf8")
  const install = installedObjects({ ...here, replicas: 1, definitions: [{ kind: "provider", id: "evald", text }] })
  for (const part of ["crd", "operand-roles", "operator-rbac", "definitions"] as const)
    for (const object of install[part])
      if (!(object.kind === "Role" && object.metadata.namespace === undefined)) yield* apply(admin, object)
  const resources: Resource = { group, version: "v1alpha1", plural: "evaluationservices", kind: "EvaluationService" }
  yield* eventually("the kind is served", Effect.option(admin.list({ resource: resources, lane })), Option.isSome)
  const folder = yield* Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "evald-operator-"))),
    (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
  )
  const names = { domain: group, api_groups: groups, log: { level: "debug" } }
  writeFileSync(join(folder, "config.yaml"), JSON.stringify(names))
  const token = yield* tokenOf({ name: platform.serviceAccount, namespace: home })
  let started = 0
  /** with another way to the API server than the straight one, where one is given */
  const startBy = (way: Pick<Cluster["Type"], "kubeconfigOf">, settings: Readonly<Record<string, string>> = {}) =>
    Effect.suspend(() => {
      started += 1
      const file = join(folder, `kubeconfig-${started}`)
      writeFileSync(file, way.kubeconfigOf(token), { mode: 0o600 })
      return Effect.acquireRelease(
        Effect.promise(() =>
          listen(["operator", "-configdir", folder], {
            KUBECONFIG: file,
            EVALD_LOG_FORMAT: "json",
            EVALD_OPERATOR_IMAGE: image,
            EVALD_OPERATOR_NAMESPACE: home,
            EVALD_OPERATOR_CLUSTER_ROLE_PREFIX: here.rolePrefix,
            EVALD_OPERATOR_HEALTH_PORT: "0",
            EVALD_OPERATOR_METRICS_PORT: "0",
            ...settings
          })
        ),
        ({ stop }) => Effect.promise(() => stop("SIGKILL"))
      )
    })
  const start = startBy({ kubeconfigOf })
  const label = { [`${group}/tenant`]: "" }
  const setLabels = (name: string, labels: { readonly [key: string]: string | null }) =>
    admin.mergePatch({ resource: namespaces, name, lane }, { metadata: { labels } })
  /** without the owners of its fields, which nobody wants to read when a test fails */
  const resource = (namespace: string, name = "evald") =>
    Effect.map(
      Effect.option(admin.get({ resource: resources, namespace, name, lane })),
      Option.map(({ metadata: { managedFields: _, ...metadata }, ...object }): KubeObject => ({ ...object, metadata }))
    )
  const addInstance = (namespace: string, name = "evald", spec: object = ephemeral) =>
    admin.create(
      { resource: resources, namespace, lane },
      { apiVersion: `${group}/v1alpha1`, kind: "EvaluationService", metadata: { name }, spec }
    )
  /** of its spec, by merge; null removes a member */
  const change = (namespace: string, name: string, spec: object) =>
    admin.mergePatch({ resource: resources, namespace, name, lane }, { spec })
  const removeInstance = (namespace: string, name = "evald") =>
    admin.remove({ resource: resources, namespace, name, lane }, { propagation: "Background" })
  /** everything anywhere with the labels of an instance */
  const made = (namespace: string, name = "evald", kinds: ReadonlyArray<Resource> = managedKinds.filter(own)) =>
    Effect.map(
      Effect.forEach(kinds, (kind) =>
        Effect.map(
          admin.list({
            resource: kind,
            lane,
            labelSelector: Object.entries(instanceLabels(here, { name, namespace }))
              .map((pair) => pair.join("="))
              .join(",")
          }),
          ({ items }) => items.map(({ metadata }) => `${kind.kind} ${metadata.namespace ?? ""}/${metadata.name}`)
        )
      ),
      (all) => all.flat().sort()
    )
  /** as the Deployment controller does */
  const rolledOut = (namespace: string, name = "evald", replicas = 1) =>
    Effect.gen(function* () {
      const found = yield* eventually(
        "a Deployment",
        Effect.option(admin.get({ resource: deployments, namespace, name, lane })),
        Option.isSome
      )
      const generation = Option.getOrThrow(found).metadata.generation
      const status = {
        observedGeneration: generation,
        replicas,
        updatedReplicas: replicas,
        readyReplicas: replicas,
        availableReplicas: replicas
      }
      yield* admin.send(
        {
          method: "PATCH",
          path: `/apis/apps/v1/namespaces/${namespace}/deployments/${name}/status`,
          body: { status },
          contentType: "application/merge-patch+json"
        },
        lane
      )
    })
  const when = (namespace: string, what: string, holds: (found: unknown) => boolean, name = "evald") =>
    eventually(what, Effect.map(resource(namespace, name), Option.getOrUndefined), holds)
  /** an operator, an instance and one tenant, ready */
  const oneTenant = Effect.gen(function* () {
    const running = yield* start
    const [at_, tenant] = [yield* addNamespace("services"), yield* addNamespace("team", label)]
    yield* addInstance(at_)
    yield* rolledOut(at_)
    const ready = yield* when(
      at_,
      "ready with its tenant",
      (found) => at(found, "status.tenants.ready") === 1 && conditionStatus(found, "Ready") === "True"
    )
    return { running, home: at_, tenant, ready }
  })
  return {
    oneTenant,
    admin,
    group,
    here,
    label,
    start,
    startBy,
    setLabels,
    addInstance,
    change,
    removeInstance,
    resource,
    resources,
    made,
    rolledOut,
    when,
    names
  }
})
