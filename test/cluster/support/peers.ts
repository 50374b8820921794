/** What an evaluation talks to, published where pods reach it: a model with a key, object storage, a registry, a tracker. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"
import { listen } from "../../support/evald-process.ts"
import { fakeRegistry } from "../../support/fake-registry.ts"
import { findProgram, startPeerProcess } from "../../support/peer-process.ts"
import { WorkerNode } from "./worker-node.ts"

const portOf = (url: string): number => Number(new URL(url).port)

/** a demo model that is always right and answers only callers with this key */
export const publishModel = (key: string, flags: ReadonlyArray<string> = []) =>
  Effect.gen(function* () {
    const { network, addHost } = yield* WorkerNode
    const running = yield* Effect.acquireRelease(
      Effect.promise(() => listen(["demo-model", "--port", "0", "--skill", "1", "--require-key", key, ...flags])),
      ({ stop }) => Effect.promise(() => stop("SIGKILL"))
    )
    const published = yield* network.publish(portOf(running.url))
    const name = `model-${published.port}.models.svc`
    addHost(name, published.host)
    return { url: `http://${name}:${published.port}/v1`, peers: published.peers, output: running.output }
  })

export const publish = (url: string) =>
  Effect.gen(function* () {
    const { network } = yield* WorkerNode
    const { host, port, peers } = yield* network.publish(portOf(url))
    return { host: `${host}:${port}`, url: `http://${host}:${port}`, peers }
  })

/** `pusher:registry-canary-password` as htpasswd writes it */
const users = "pusher:$2y$05$STcGu0qYfo7sMqAr285RPOczRBAS1rwicms2oxlzwdCkxu4cRE7Aa\n"
export const registryPassword = "registry-canary-password"

/** the registry program where it is installed, else the one of this repository; both want the password */
export const publishRegistry = (repository: string) =>
  Effect.gen(function* () {
    if (findProgram("docker-registry") === undefined)
      return {
        ...(yield* publish(
          (yield* fakeRegistry({ repository, auth: { scheme: "basic", credentials: `pusher:${registryPassword}` } }))
            .url
        )),
        real: false
      }
    const folder = yield* Effect.acquireRelease(
      Effect.sync(() => mkdtempSync(join(tmpdir(), "evald-registry-"))),
      (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
    )
    writeFileSync(join(folder, "users"), users)
    const file = join(folder, "registry.yml")
    const started = yield* startPeerProcess("docker-registry", {
      arguments: (port) => {
        const text = `version: 0.1\nlog: { level: error }\nstorage: { filesystem: { rootdirectory: ${join(folder, "store")} } }\nauth: { htpasswd: { realm: test, path: ${join(folder, "users")} } }\nhttp: { addr: "127.0.0.1:${port}", relativeurls: true }\n`
        writeFileSync(file, text)
        return ["serve", file]
      }
    })
    return { ...(yield* publish(started.url)), real: true }
  })
