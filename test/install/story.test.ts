/**
 * T3: the whole way on a real control plane, with pods that run from the made image: installed, an instance with files of its own, a tenant,
 * a job of the tenant's user with its result, and every step back until nothing is left; by the one file, and by the chart.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { describe, inject } from "vitest"
import { configMaps } from "../../infrastructure/kubernetes/client/resources.ts"
import { textMember } from "../../values/json.ts"
import { madeImage } from "../cluster/kubelet/images.ts"
import { Cluster, layer as cluster, noPods } from "../cluster/support/cluster.ts"
import { eventually } from "../cluster/support/eventually.ts"
import { publishModel } from "../cluster/support/peers.ts"
import { beyond, isCutOff, tried } from "../cluster/support/way-out.ts"
import { WorkerNode, layer as worker } from "../cluster/support/worker-node.ts"
import { blocksRunBy } from "../support/docs/page-blocks.ts"
import { run as evald } from "../support/evald-process.ts"
import { at } from "../support/http-app.ts"
import { deploy, filesInput } from "../support/installed.ts"
import { commandLine, helm, kubectl, noTools } from "./command-line.ts"
import { mountedFiles } from "./mounted-files.ts"
import { type Call, callPod } from "./pod-call.ts"

const image = inject("image")
const live = { excludeTestServices: true, timeout: "120 seconds" } as const
const storyMillis = 280_000
const folder = (path: string): string => fileURLToPath(new URL(path, deploy))
const [system, home, tenant] = ["evald-system", "evals", "team-a"]

const blocksFor = (page: string) => blocksRunBy("test/install/story.test.ts", page)
const [installing] = blocksFor("docs/install.md")
const [labelling] = blocksFor("docs/tenants.md")
const [removing, clearing] = blocksFor("deploy/UPGRADING.md")

/** everything that the operator makes in namespaces, as `kubectl get` names it */
const kinds =
  "deployments,services,configmaps,serviceaccounts,roles,rolebindings,networkpolicies,poddisruptionbudgets,persistentvolumeclaims,jobs,pods,secrets"

const setUp = Effect.gen(function* () {
  const { admin, kubeconfigOf, tokenOfUser, tokenOf } = yield* Cluster
  const { take, addImages, addHost, reachCluster, apiServer, podsOf } = yield* WorkerNode
  const scratch = yield* Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "evald-story-"))),
    (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
  )
  const { run, attempt, typed } = commandLine(scratch, kubeconfigOf(tokenOfUser("administrator")))
  const kube = (...args: ReadonlyArray<string>) => Effect.promise(() => run(kubectl, ...args))
  yield* reachCluster
  if (!("missing" in image)) addImages({ [`evald:${filesInput.version}`]: madeImage(image.root) })
  for (const namespace of [system, home, tenant]) yield* take(namespace)
  const written = (name: string, object: unknown) => {
    const file = join(scratch, `${name}.json`)
    writeFileSync(file, typeof object === "string" ? object : JSON.stringify(object))
    return file
  }
  const files = yield* mountedFiles(home, tenant)
  /** a file that needs no storage of the cluster, and one provider */
  const instance = {
    apiVersion: "evald.internal/v1alpha1",
    kind: "EvaluationService",
    metadata: { name: "evald", namespace: home },
    spec: { providers: ["evald"], database: { type: "sqlite", persistence: { enabled: false } }, ...files.spec }
  }
  const apply = (name: string, object: unknown) => kube("apply", "--server-side", "-f", written(name, object))
  /** names of what is left with this label, of the kinds that the operator makes */
  const left = (label: string, namespace?: string) =>
    Effect.map(
      namespace === undefined
        ? kube("get", `${kinds},clusterrolebindings`, "-A", "-l", label, "-o", "name")
        : kube("get", kinds, "-n", namespace, "-l", label, "-o", "name"),
      (text) => text.split("\n").filter((line) => line !== "")
    )
  const ours = `evald.internal/instance-name=evald,evald.internal/instance-namespace=${home}`

  const namespacesOfPeople = Effect.gen(function* () {
    for (const namespace of [home, tenant]) yield* kube("create", "namespace", namespace)
    yield* apply("files", files.objects)
  })
  const nothingOfTheInstance = Effect.gen(function* () {
    yield* eventually("nothing of the instance", left(ours), (names) => names.length === 0)
    yield* eventually(
      "no pod",
      Effect.sync(() => podsOf(home)),
      (pods) => pods.length === 0
    )
  })
  /** a pod reaches the cluster, and nothing beyond it */
  const noWayOut = Effect.gen(function* () {
    for (const [namespace, container] of [
      [system, "operator"],
      [home, "evald"]
    ] as const) {
      const running = podsOf(namespace).flatMap((pod) => pod.process(container) ?? [])[0]
      if (running === undefined) return assert.fail(`no ${container} in ${namespace}`)
      const answers = yield* Effect.promise(() => Promise.all(beyond.map((address) => tried(running, address, 80))))
      assert.isTrue(answers.every(isCutOff), `${namespace}: ${answers.join()}`)
      const [host, port] = apiServer()
      assert.strictEqual(yield* Effect.promise(() => tried(running, host, port)), "connected")
    }
  })

  /** from an instance and a labelled namespace to a result and to a namespace that is no tenant any more */
  const whole = Effect.gen(function* () {
    yield* noWayOut
    yield* kube("create", "serviceaccount", "ci", "-n", tenant)
    yield* kube("wait", "--for=jsonpath={.status.tenants.ready}=1", "--timeout=60s", "evs/evald", "-n", home)

    const address = podsOf(home)[0]?.address() ?? ""
    addHost(`evald.${home}.svc`, address)
    const authority = yield* Effect.map(
      admin.get({ resource: configMaps, namespace: tenant, name: `evald.${home}.service-ca`, lane: "launch" }),
      ({ data }) => textMember(data, "service-ca.crt") ?? ""
    )
    const token = yield* tokenOf({ name: "ci", namespace: tenant })
    const call = (...what: Call) =>
      Effect.promise(() => callPod({ address, name: `evald.${home}.svc`, authority }, { token, tenant }, what))
    const key = "sk-of-the-story"
    const model = yield* publishModel(key)
    yield* apply("model-key", {
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name: "model-key", namespace: tenant },
      stringData: { "api-key": key }
    })
    const accepted = yield* eventually(
      "accepted",
      call("POST", "jobs", {
        name: "story",
        model: { url: model.url, name: "demo", auth: { secret_ref: "model-key" } },
        notifications: files.notifications,
        benchmarks: [{ id: "arith_basic", provider_id: "evald", parameters: { num_examples: 4 } }]
      }),
      // the bindings of the instance may be a moment younger than its status
      ({ status }) => status !== 403 && status !== 503
    )
    assert.strictEqual(accepted.status, 202, JSON.stringify(accepted.json))
    const id = String(at(accepted.json, "resource.id"))
    const { json } = yield* eventually(
      "the job ends",
      call("GET", `jobs/${id}`),
      (answer) => !["pending", "running"].includes(String(at(answer.json, "status.state")))
    )
    assert.strictEqual(at(json, "status.state"), "completed", JSON.stringify(json))
    assert.strictEqual(at(json, "results.benchmarks.0.metrics.exact_match"), 1)

    // the keys and the authority that were mounted: the message came, and the record is signed
    yield* eventually("told", Effect.sync(files.received), (count) => count > 0)
    files.told(id)
    const { text } = yield* call("GET", `jobs/${id}/attestation`)
    const checked = yield* Effect.promise(() =>
      evald(["verify", "--key", written("evald.pub.pem", files.publicKey), written("results", text)])
    )
    assert.strictEqual(checked.code, 0, checked.stdout + checked.stderr)

    // the label goes: nothing of the instance stays in the namespace
    yield* kube("label", "namespace", tenant, "evald.internal/tenant-")
    yield* eventually("nothing in the tenant", left(ours, tenant), (names) => names.length === 0)
  })
  /** the operator and all that was installed are gone */
  const nothing = Effect.gen(function* () {
    assert.deepStrictEqual(yield* left("app.kubernetes.io/part-of=evald"), [])
    assert.strictEqual(yield* kube("get", "clusterroles", "-l", "app.kubernetes.io/part-of=evald", "-o", "name"), "")
    assert.isFalse((yield* Effect.promise(() => attempt(kubectl, ["get", "namespace", system]))).ok)
    assert.isFalse(
      (yield* Effect.promise(() => attempt(kubectl, ["get", "crd", "evaluationservices.evald.internal"]))).ok
    )
  })
  return {
    ...{ kube, apply, written, instance, namespacesOfPeople, whole, nothingOfTheInstance, nothing },
    run: (...args: Parameters<typeof run>) => Effect.promise(() => run(...args)),
    typed: (block: string | undefined) => Effect.promise(() => typed(block))
  }
})

describe.skipIf(noPods || noTools || "missing" in image)("T3: from the installation to a result and back", () => {
  layer(Layer.provideMerge(worker, cluster), live)("with pods of the image", (it) => {
    it.scoped(
      "install.yaml, an instance, a tenant, a job of its user with a result, unlabelled, deleted, removed: nothing is left",
      () =>
        Effect.gen(function* () {
          const { kube, typed, written, instance, namespacesOfPeople, whole, nothingOfTheInstance, nothing } =
            yield* setUp
          yield* namespacesOfPeople
          // the sample keeps its data on a claim, and no storage is provisioned here
          yield* typed(installing?.replace("deploy/kustomize/samples/sqlite.yaml", written("instance", instance)))
          yield* kube("apply", "--server-side", "-f", folder("kustomize/samples/tenant-user.yaml"))
          yield* whole
          yield* typed(removing)
          yield* nothingOfTheInstance
          yield* nothing
          yield* kube("delete", "namespace", tenant, home, "--timeout=60s")
        }),
      storyMillis
    )

    it.scoped(
      "the same by the chart; then the operator goes first, and what it made is cleared by hand",
      () =>
        Effect.gen(function* () {
          const { kube, run, apply, typed, instance, namespacesOfPeople, whole, nothingOfTheInstance, nothing } =
            yield* setUp
          const chart = folder("helm/evald-operator")
          yield* run(helm, "install", "evald-operator", chart, "--namespace", system, "--create-namespace")
          yield* kube("wait", "--for=condition=Established", "--timeout=60s", "crd/evaluationservices.evald.internal")
          yield* kube("rollout", "status", "deployment/evald-operator", "-n", system, "--timeout=100s")
          yield* namespacesOfPeople
          const begin = Effect.gen(function* () {
            yield* apply("instance", instance)
            yield* kube("wait", "--for=condition=Ready", "--timeout=100s", "evs/evald", "-n", home)
            yield* typed(labelling)
          })
          yield* begin
          yield* whole
          yield* kube("delete", "evs/evald", "-n", home, "--timeout=60s")
          yield* nothingOfTheInstance

          yield* begin
          yield* kube("wait", "--for=jsonpath={.status.tenants.ready}=1", "--timeout=60s", "evs/evald", "-n", home)
          yield* run(helm, "uninstall", "evald-operator", "--namespace", system, "--wait")
          yield* kube("delete", "evs/evald", "-n", home, "--wait=false")
          yield* typed(clearing)
          yield* nothingOfTheInstance
          yield* kube("delete", "namespace", tenant, home, "--timeout=60s")
          // the chart keeps the definition, and the namespace is not its own
          yield* kube("delete", "crd", "evaluationservices.evald.internal", "--timeout=60s")
          yield* kube("delete", "namespace", system, "--timeout=100s")
          yield* nothing
        }),
      storyMillis
    )
  })
})
