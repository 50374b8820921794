/** A node on which the pods of a test really run, under the identities of a node and of a scheduler. */
import { resolve } from "node:path"
import { Context, Effect, Layer, type Scope } from "effect"
import { inject } from "vitest"
import type { KubeError } from "../../../infrastructure/kubernetes/client/kube-error.ts"
import type {} from "../../image/image.setup.ts"
import { apiServerName } from "../control-plane/processes.ts"
import { checkoutImage, type ImageTable, madeImage } from "../kubelet/images.ts"
import { type Kubelet, startKubelet } from "../kubelet/kubelet.ts"
import { makeNetwork, type Network } from "../kubelet/network.ts"
import type { RunningPod } from "../kubelet/pod-runner.ts"
import { startScheduler } from "../kubelet/scheduler.ts"
import { Cluster } from "./cluster.ts"

/** the image of the server, sidecar, init container and built-in adapters */
export const ownImage = "registry.example/evald:1"
/** programs of the host beside the built evald, for what a test wants of a shell */
export const hostImage = "registry.example/host:1"

export class WorkerNode extends Context.Tag("evald/test/WorkerNode")<
  WorkerNode,
  {
    readonly network: Network
    /** pods of this namespace run here */
    readonly take: (namespace: string) => Effect.Effect<void>
    readonly pods: Kubelet["pods"]
    readonly podsOf: (namespace: string) => ReadonlyArray<RunningPod>
    /** images beside `ownImage`; may grow while pods run */
    readonly addImages: (images: ImageTable) => void
    /** names that pods can resolve; for pods that start later */
    readonly addHost: (name: string, address: string) => void
    /** lets pods that start later reach the API server, by its name in every cluster; until then nobody in a pod can */
    readonly reachCluster: Effect.Effect<void, never, Scope.Scope>
    /** how pods reach it, once they do */
    readonly apiServer: () => readonly [host: string, port: number]
  }
>() {}

const nodes = ["worker-1", "worker-2", "worker-3"] as const
/** test files may run beside each other: each process is a node of its own */
const node = nodes[(Number(process.env["VITEST_POOL_ID"] ?? 1) - 1) % nodes.length] ?? "worker-1"

const make = Effect.gen(function* () {
  const { clientAs, tokenOfUser, nodeServing, connectionAs } = yield* Cluster
  const network = yield* makeNetwork
  const image = inject("image")
  const images: Record<string, ImageTable[string]> = {
    [ownImage]: "missing" in image ? checkoutImage(resolve("dist")) : madeImage(image.root),
    [hostImage]: checkoutImage(resolve("dist"))
  }
  const hosts: Record<string, string> = {}
  const variables: Record<string, string> = {}
  const kubelet = yield* startKubelet({
    node,
    client: yield* clientAs(tokenOfUser(`system:node:${node}`)),
    serving: nodeServing,
    images,
    network,
    hosts,
    variables
  })
  const scheduler = yield* startScheduler(yield* clientAs(tokenOfUser("system:kube-scheduler")), node)
  return {
    network,
    take: scheduler.take,
    pods: kubelet.pods,
    podsOf: (namespace: string) => kubelet.pods().filter(({ pod }) => pod.metadata.namespace === namespace),
    addImages: (more: ImageTable) => void Object.assign(images, more),
    addHost: (name: string, address: string) => {
      hosts[name] = address
    },
    apiServer: () => [apiServerName, Number(variables["KUBERNETES_SERVICE_PORT"])] as const,
    reachCluster: Effect.map(network.publish(Number(new URL(connectionAs("").server).port)), ({ host, port }) => {
      hosts[apiServerName] = host
      variables["KUBERNETES_SERVICE_HOST"] = apiServerName
      variables["KUBERNETES_SERVICE_PORT"] = String(port)
    })
  }
})

export const layer: Layer.Layer<WorkerNode, KubeError, Cluster> = Layer.scoped(WorkerNode, make)
