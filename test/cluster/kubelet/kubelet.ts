/**
 * A kubelet for tests: registers a node, and runs the pods that are bound to it as processes of this machine, each container with a file
 * system, a process table and a user of its own, each pod with a network of its own. It is real in what a pod can see and do, and in what
 * it tells the API server; there are no images, no cgroups (memory is watched instead), no seccomp, and no refresh of mounted secrets.
 */
import { Effect, Exit, Scope } from "effect"
import type { KubeClient } from "../../../infrastructure/kubernetes/client/client.ts"
import type { KubeError } from "../../../infrastructure/kubernetes/client/kube-error.ts"
import { pathOf, type Resource } from "../../../infrastructure/kubernetes/client/resources.ts"
import { followPods } from "./followed.ts"
import type { ImageTable } from "./images.ts"
import { type Serving, serveLogs } from "./log-endpoint.ts"
import type { Network } from "./network.ts"
import { nodeApi } from "./node-api.ts"
import { isFinished, type Pod, podOf } from "./pod.ts"
import { type RunningPod, runPod } from "./pod-runner.ts"
import { timeOf } from "./status.ts"

export interface KubeletOptions {
  /** of the identity `system:node:<name>`, whose client this is */
  readonly node: string
  readonly client: KubeClient["Type"]
  readonly serving: Serving
  readonly images: ImageTable
  readonly network: Network
  readonly hosts?: { readonly [name: string]: string }
  readonly variables?: { readonly [name: string]: string }
  readonly crashBackOffMillis?: number
}

export interface Kubelet {
  /** pods of the node that exist now */
  readonly pods: () => ReadonlyArray<RunningPod>
}

const nodes: Resource = { group: "", version: "v1", plural: "nodes", kind: "Node" }
const lane = "launch" as const
const defaultGraceSeconds = 30

const register = (client: KubeClient["Type"], node: string, port: number, now: string) =>
  Effect.gen(function* () {
    const labels = { "kubernetes.io/hostname": node, "kubernetes.io/os": "linux" }
    yield* client
      .create({ resource: nodes, lane }, { apiVersion: "v1", kind: "Node", metadata: { name: node, labels } })
      .pipe(
        // of an earlier run of this node
        Effect.catchIf(
          ({ reason }) => reason === "AlreadyExists",
          () => Effect.void
        )
      )
    const capacity = { cpu: "64", memory: "256Gi", pods: "250", "ephemeral-storage": "1Ti" }
    yield* client.send(
      {
        method: "PATCH",
        path: `${pathOf(nodes, undefined, node)}/status`,
        contentType: "application/strategic-merge-patch+json",
        body: {
          status: {
            capacity,
            allocatable: capacity,
            addresses: [
              { type: "InternalIP", address: "127.0.0.1" },
              { type: "Hostname", address: node }
            ],
            daemonEndpoints: { kubeletEndpoint: { Port: port } },
            conditions: [
              {
                type: "Ready",
                status: "True",
                reason: "KubeletReady",
                message: "runs pods",
                lastHeartbeatTime: now,
                lastTransitionTime: now
              }
            ]
          }
        }
      },
      lane
    )
  })

interface Held {
  readonly scope: Scope.CloseableScope
  readonly running: RunningPod
  ending: boolean
}

export const startKubelet = ({
  node,
  client,
  serving,
  images,
  network,
  hosts = {},
  variables = {},
  crashBackOffMillis = 10_000
}: KubeletOptions): Effect.Effect<Kubelet, KubeError, Scope.Scope> =>
  Effect.gen(function* () {
    const clock = yield* Effect.clock
    const api = nodeApi(client, node, () => clock.unsafeCurrentTimeMillis())
    const held = new Map<string, Held>()
    const environment = { api, images, network, hosts, variables, crashBackOffMillis }

    const port = yield* serveLogs(serving, (namespace, name, container, previous) => {
      const found = [...held.values()]
        .map(({ running }) => running)
        .find(({ pod: { metadata } }) => metadata.namespace === namespace && metadata.name === name)
      if (found === undefined) return undefined
      const { initContainers = [], containers } = found.pod.spec
      if (![...initContainers, ...containers].some((one) => one.name === container)) return undefined
      return found.log(container, previous) ?? "not started"
    })

    const begin = (pod: Pod) =>
      Effect.gen(function* () {
        const scope = yield* Scope.make()
        const running = yield* Scope.extend(runPod(pod, environment), scope)
        held.set(pod.metadata.uid, { scope, running, ending: false })
      })
    const forget = (uid: string) => {
      const known = held.get(uid)
      held.delete(uid)
      return known === undefined ? Effect.void : Scope.close(known.scope, Exit.void)
    }
    const finish = (pod: Pod) =>
      Effect.gen(function* () {
        const known = held.get(pod.metadata.uid)
        if (known?.ending === true) return
        if (known !== undefined) {
          known.ending = true
          yield* known.running.stop(pod.metadata.deletionGracePeriodSeconds ?? defaultGraceSeconds)
        }
        yield* Effect.ignore(api.removePod(pod))
      })
    yield* Effect.addFinalizer(() => Effect.forEach([...held.keys()], forget, { concurrency: "unbounded" }))
    yield* register(client, node, port, timeOf(clock.unsafeCurrentTimeMillis()))
    yield* Effect.forkScoped(
      followPods(client, `spec.nodeName=${node}`, (object, gone) => {
        const pod = podOf(object)
        if (gone) return Effect.asVoid(Effect.forkDaemon(forget(pod.metadata.uid)))
        if (pod.metadata.deletionTimestamp !== undefined) return Effect.asVoid(Effect.forkDaemon(finish(pod)))
        return held.has(pod.metadata.uid) || isFinished(pod) ? Effect.void : begin(pod)
      })
    )
    return { pods: () => [...held.values()].map(({ running }) => running) }
  })
