/** The containers of one pod: each prepared and started as declared, its end written into the pod's status, its logs kept per run. */
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import type { KubeError } from "../../../infrastructure/kubernetes/client/kube-error.ts"
import { ContainerLog } from "./container-log.ts"
import { type ContainerEnd, type ContainerProcess, startContainer } from "./container-process.ts"
import { ConfigMissing, environmentOf, expand } from "./environment.ts"
import { type Image, type ImageTable, systemPath } from "./images.ts"
import type { PodNetwork } from "./network.ts"
import type { NodeApi } from "./node-api.ts"
import { bytesOf, type Container, type Pod } from "./pod.ts"
import type { Command } from "./root-file-system.ts"
import { type PodStatus, timeOf } from "./status.ts"
import { mountsOf } from "./volumes.ts"

export interface PodPlace {
  readonly pod: Pod
  readonly status: PodStatus
  readonly api: NodeApi
  readonly images: ImageTable
  /** addresses by name, as the cluster's DNS would give them */
  readonly hosts: { readonly [name: string]: string }
  /** variables of every container, beside those of the cluster and before its own */
  readonly variables: { readonly [name: string]: string }
  readonly folder: string
  readonly now: () => number
  /** sends the status as it is now */
  readonly push: Effect.Effect<void>
}

interface Run {
  readonly process: ContainerProcess
  readonly startedAt: string
  readonly messageFile: string
  readonly log: ContainerLog
}

const messageLimit = 4096
const configRetryMillis = 1000
const pullRetryMillis = 10_000

/** what every pod is told about the cluster, whatever it asks for */
const serviceEnvironment = {
  KUBERNETES_SERVICE_HOST: "10.0.0.1",
  KUBERNETES_SERVICE_PORT: "443",
  KUBERNETES_SERVICE_PORT_HTTPS: "443"
}

const isProcess = (started: ContainerProcess | ContainerEnd): started is ContainerProcess => "pid" in started

export class ContainerRuns {
  readonly #place: PodPlace
  readonly #network: PodNetwork
  readonly #live = new Map<string, Run>()
  readonly #logs: Map<string, ReadonlyArray<ContainerLog>>

  constructor(place: PodPlace, network: PodNetwork, logs: Map<string, ReadonlyArray<ContainerLog>>) {
    this.#place = place
    this.#network = network
    this.#logs = logs
    writeFileSync(join(place.folder, "hostname"), `${place.pod.metadata.name}\n`)
    // no name server: names beyond these do not exist
    writeFileSync(join(place.folder, "resolv.conf"), "options timeout:1 attempts:1\n")
    const names = {
      localhost: "127.0.0.1",
      "ip6-localhost": "::1",
      [place.pod.metadata.name]: network.address,
      ...place.hosts
    }
    writeFileSync(
      join(place.folder, "hosts"),
      Object.entries(names)
        .map(([name, address]) => `${address}\t${name}\n`)
        .join("")
    )
  }

  process(name: string): ContainerProcess | undefined {
    return this.#live.get(name)?.process
  }

  #wait(container: Container, reason: string, message: string) {
    return Effect.suspend(() => {
      this.#place.status.change(container.name, { state: { waiting: { reason, message } } })
      return this.#place.push
    })
  }

  #image(container: Container): Effect.Effect<Image> {
    const { images, api, pod } = this.#place
    const self = this
    return Effect.gen(function* () {
      for (;;) {
        const image = images[container.image]
        if (image !== undefined) {
          yield* api.tell(pod, "Normal", "Pulled", `Container image "${container.image}" already present on machine`)
          return image
        }
        const problem = `failed to pull and unpack image "${container.image}": failed to resolve reference "${container.image}": ${container.image}: not found`
        yield* api.tell(pod, "Warning", "Failed", `Failed to pull image "${container.image}": ${problem}`)
        yield* self.#wait(container, "ErrImagePull", `rpc error: code = NotFound desc = ${problem}`)
        yield* Effect.sleep(500)
        yield* api.tell(pod, "Normal", "BackOff", `Back-off pulling image "${container.image}"`)
        yield* self.#wait(
          container,
          "ImagePullBackOff",
          `Back-off pulling image "${container.image}": ErrImagePull: ${problem}`
        )
        yield* Effect.sleep(pullRetryMillis)
      }
    })
  }

  #command(container: Container, image: Image): Effect.Effect<Command, ConfigMissing | KubeError> {
    const { pod, api, variables } = this.#place
    const own = container.securityContext ?? {}
    const all = pod.spec.securityContext ?? {}
    const user = own.runAsUser ?? all.runAsUser ?? image.user
    if ((own.runAsNonRoot ?? all.runAsNonRoot) === true && user === 0)
      return Effect.fail(new ConfigMissing({ message: "container has runAsNonRoot and image will run as root" }))
    const given = {
      PATH: [...image.path, ...systemPath].join(":"),
      HOSTNAME: pod.metadata.name,
      HOME: "/",
      ...image.env,
      ...serviceEnvironment,
      ...variables
    }
    return Effect.map(environmentOf(pod, container, given, api), (env) => ({
      argv: [...(container.command ?? image.command ?? []), ...(container.args ?? [])].map((text) => expand(text, env)),
      env,
      workingDir: container.workingDir ?? image.workingDir ?? "/",
      user,
      group: own.runAsGroup ?? all.runAsGroup ?? image.group ?? user,
      supplementalGroups: all.fsGroup === undefined ? [] : [all.fsGroup]
    }))
  }

  #configured(container: Container, image: Image): Effect.Effect<Command> {
    return Effect.catchAll(this.#command(container, image), (error) =>
      Effect.zipRight(
        this.#wait(container, "CreateContainerConfigError", error.message),
        Effect.sleep(configRetryMillis)
      ).pipe(Effect.zipRight(Effect.suspend(() => this.#configured(container, image))))
    )
  }

  /** waits for image and configuration, then starts; `false` when it could not be started, with its end in the status */
  start(container: Container): Effect.Effect<boolean> {
    const { pod, status, api, now, folder, push } = this.#place
    const self = this
    return Effect.gen(function* () {
      const image = yield* self.#image(container)
      const command = yield* self.#configured(container, image)
      const runs = self.#logs.get(container.name) ?? []
      const own = join(folder, "containers", container.name, String(runs.length))
      const root = join(own, "root")
      const messageFile = join(own, "message")
      mkdirSync(root, { recursive: true })
      writeFileSync(messageFile, "")
      chmodSync(messageFile, 0o666)
      const log = new ContainerLog(join(own, "log"), now)
      self.#logs.set(container.name, [...runs, log])
      const memory = container.resources?.limits?.["memory"]
      const mounts = [
        ...mountsOf(pod, container, join(folder, "volumes")),
        ...["hosts", "hostname", "resolv.conf"].map((name) => ({
          source: join(folder, name),
          target: `/etc/${name}`,
          readOnly: true
        })),
        { source: messageFile, target: container.terminationMessagePath ?? "/dev/termination-log", readOnly: false }
      ]
      const startedAt = timeOf(now())
      const started = yield* Effect.promise(() =>
        startContainer({
          network: self.#network.path,
          root: {
            folder: root,
            ...(image.root === undefined ? {} : { base: image.root }),
            layers: image.layers,
            mounts,
            readOnly: container.securityContext?.readOnlyRootFilesystem ?? false
          },
          command,
          log,
          ...(memory === undefined ? {} : { memoryLimit: bytesOf(memory) })
        })
      ).pipe(
        Effect.tap((one) => {
          if (isProcess(one)) self.#live.set(container.name, { process: one, startedAt, messageFile, log })
        }),
        // a process that was started must be known
        Effect.uninterruptible
      )
      if (!isProcess(started)) {
        const reason = started.startError === undefined ? "Error" : "StartError"
        const message = started.startError ?? log.tail()
        status.change(container.name, {
          state: { terminated: { exitCode: started.exitCode, reason, message, startedAt, finishedAt: timeOf(now()) } }
        })
        yield* api.tell(pod, "Warning", "Failed", `Error: ${message}`)
        yield* push
        return false
      }
      status.change(container.name, { state: { running: { startedAt } }, containerID: `test://${started.pid}` })
      yield* api.tell(pod, "Normal", "Started", `Started container ${container.name}`)
      yield* push
      const hook = container.lifecycle?.postStart?.exec
      if (hook !== undefined) {
        const code = yield* Effect.promise(() => started.exec(hook.command))
        if (code !== 0) {
          yield* api.tell(pod, "Warning", "FailedPostStartHook", `PostStartHook failed with exit code ${code}`)
          started.kill()
        }
      }
      return true
    })
  }

  /** its end, written into the status; at once when it does not run */
  ended(container: Container): Effect.Effect<void> {
    const run = this.#live.get(container.name)
    if (run === undefined) return Effect.void
    return Effect.flatMap(
      Effect.promise(() => run.process.ended),
      (end) => {
        if (!this.#live.delete(container.name)) return Effect.void
        this.#place.status.change(container.name, {
          state: {
            terminated: {
              exitCode: end.exitCode,
              reason: end.outOfMemory ? "OOMKilled" : end.exitCode === 0 ? "Completed" : "Error",
              message: this.#lastWords(container, run, end),
              startedAt: run.startedAt,
              finishedAt: timeOf(this.#place.now())
            }
          },
          ready: false,
          started: false
        })
        return this.#place.push
      }
    )
  }

  #lastWords({ terminationMessagePolicy }: Container, { messageFile, log }: Run, { exitCode }: ContainerEnd): string {
    const text = readFileSync(messageFile).subarray(0, messageLimit).toString("utf8")
    return text === "" && exitCode !== 0 && terminationMessagePolicy === "FallbackToLogsOnError" ? log.tail() : text
  }

  /** SIGTERM, and SIGKILL when it still runs after that many seconds */
  stop(container: Container, graceSeconds: number): Effect.Effect<void> {
    const run = this.#live.get(container.name)
    if (run === undefined) return Effect.void
    const gone = Effect.timeoutOption(
      Effect.promise(() => run.process.ended),
      graceSeconds * 1000
    )
    const { api, pod } = this.#place
    return api.tell(pod, "Normal", "Killing", `Stopping container ${container.name}`).pipe(
      Effect.zipRight(Effect.sync(() => run.process.signal("SIGTERM"))),
      Effect.zipRight(gone),
      Effect.tap(() => run.process.kill()),
      Effect.zipRight(this.ended(container))
    )
  }

  /** when the node itself goes: everything at once */
  kill(): Effect.Effect<void> {
    const all = [...this.#live.values()]
    return Effect.promise(() =>
      Promise.all(
        all.map(({ process }) => {
          process.kill()
          return process.ended
        })
      )
    )
  }
}
