/**
 * An installation of evald in the test cluster: the built server as a process with the identity of its service account, listening with
 * TLS where pods reach it, and tenants as the operator provisions them.
 */
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { request } from "node:https"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { Effect } from "effect"
import { stringify } from "yaml"
import { configMaps, secrets } from "../../../infrastructure/kubernetes/client/resources.ts"
import { makeAuthority } from "../../support/certificate.ts"
import { listen, type Running } from "../../support/evald-process.ts"
import { scriptImage } from "../kubelet/images.ts"
import { Cluster } from "./cluster.ts"
import { eventually } from "./eventually.ts"
import { ownImage, WorkerNode } from "./worker-node.ts"

const lane = "launch" as const
const serverName = "evald.evald-system.svc"

export interface Answer {
  readonly status: number
  readonly headers: { readonly [name: string]: string | ReadonlyArray<string> | undefined }
  readonly text: string
  readonly json: unknown
}

/** benchmarks `scripted/step` do what their parameter `script` says */
const scriptedProvider = (image: string) => ({
  name: "scripted",
  title: "Scripted",
  description: "",
  runtime: {
    k8s: {
      image,
      entrypoint: ["node", "/opt/adapter/scripted.mjs"],
      cpu_request: "50m",
      memory_request: "64Mi",
      memory_limit: "200Mi"
    }
  },
  benchmarks: [
    {
      id: "step",
      name: "Step",
      category: "test",
      metrics: ["score"],
      primary_score: { metric: "score", lower_is_better: false }
    }
  ]
})
const scriptedImage = "registry.example/scripted:1"

const providers = {
  scripted: scriptedProvider(scriptedImage),
  "no-image": scriptedProvider("registry.example/nowhere:1"),
  "no-program": {
    ...scriptedProvider(scriptedImage),
    runtime: { k8s: { image: scriptedImage, entrypoint: ["/opt/adapter/nowhere"] } }
  }
}

const freePort = (host: string): Promise<number> =>
  new Promise((found) => {
    const server = createServer()
    server.listen(0, host, () => {
      const bound = server.address()
      server.close(() => found(bound !== null && typeof bound === "object" ? bound.port : 0))
    })
  })

/** `settings`: of config.yaml, beside what every installation needs; values of `runtime.k8s` are put into it */
export const install = (settings: { readonly k8s?: object; readonly [group: string]: unknown } = {}) =>
  Effect.gen(function* () {
    const cluster = yield* Cluster
    const { network, take, addImages, addHost } = yield* WorkerNode
    const folder = yield* Effect.acquireRelease(
      Effect.sync(() => mkdtempSync(join(tmpdir(), "evald-t3-"))),
      (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
    )
    const path = (name: string) => join(folder, name)
    const api = yield* cluster.addApiAccount
    const { authority, server: own } = makeAuthority("service authority", [serverName])
    const port = yield* Effect.promise(() => freePort(network.address))
    const { k8s = {}, ...others } = settings
    cpSync("config", path("config"), { recursive: true })
    mkdirSync(path("config/providers"), { recursive: true })
    for (const [id, provider] of Object.entries(providers))
      writeFileSync(path(`config/providers/${id}.yaml`), stringify({ id, ...provider }))
    writeFileSync(path("tls.crt"), own.certificate)
    writeFileSync(path("tls.key"), own.key, { mode: 0o600 })
    writeFileSync(path("kubeconfig"), cluster.kubeconfigOf(yield* cluster.tokenOf(api)), { mode: 0o600 })
    writeFileSync(
      path("config/config.yaml"),
      stringify({
        service: { host: network.address, port, tls: { cert_path: path("tls.crt"), key_path: path("tls.key") } },
        providers: { images: { evald: ownImage } },
        runtime: {
          k8s: { image: ownImage, callback_url: `https://${serverName}:${port}`, namespace: "evald-system", ...k8s }
        },
        log: { level: "debug" },
        ...others
      })
    )
    addHost(serverName, network.address)
    addImages({ [scriptedImage]: scriptImage(resolve("test/cluster/adapters"), ["node", "scripted.mjs"]) })

    const outputs: Array<() => string> = []
    const environment = {
      KUBECONFIG: path("kubeconfig"),
      EVALD_LOG_FORMAT: "json",
      DB_URL: `file:${path("evald.db")}`,
      TMPDIR: folder
    }
    const begin = async (): Promise<Running> => {
      const running = await listen(["server", "-configdir", path("config")], environment)
      outputs.push(running.output)
      return running
    }
    let server = yield* Effect.promise(begin)
    yield* Effect.addFinalizer(() => Effect.promise(() => server.stop("SIGKILL")))

    const call = (token: string, tenant: string, method: string, route: string, body?: unknown): Promise<Answer> =>
      new Promise((done, failed) => {
        const text = body === undefined ? undefined : JSON.stringify(body)
        const headers = {
          authorization: `Bearer ${token}`,
          "x-tenant": tenant,
          ...(text === undefined
            ? {}
            : { "content-type": "application/json", "content-length": Buffer.byteLength(text) })
        }
        const options = {
          host: network.address,
          port,
          path: `/api/v1/evaluations/${route}`,
          method,
          headers,
          ca: authority,
          servername: serverName,
          agent: false
        }
        const outgoing = request(options, (response) => {
          const chunks: Array<Buffer> = []
          response.on("data", (chunk: Buffer) => chunks.push(chunk))
          response.on("error", failed)
          response.on("end", () => {
            const received = Buffer.concat(chunks).toString("utf8")
            const isJson = response.headers["content-type"]?.includes("json") === true
            done({
              status: response.statusCode ?? 0,
              headers: response.headers,
              text: received,
              json: isJson ? JSON.parse(received) : undefined
            })
          })
        })
        outgoing.on("error", failed)
        outgoing.end(text)
      })

    return {
      api,
      /** ends the server and starts it again, with the same database and port */
      restart: (signal: NodeJS.Signals, pauseMillis = 0) =>
        Effect.promise(async () => {
          await server.stop(signal)
          await new Promise((later) => setTimeout(later, pauseMillis))
          server = await begin()
        }),
      stop: Effect.promise(() => server.stop("SIGTERM")),
      start: Effect.promise(async () => {
        server = await begin()
      }),
      /** everything that any of its servers has said */
      logs: () => outputs.map((output) => output()).join("\n"),
      /** the files of its database as text */
      database: Effect.sync(() =>
        readdirSync(folder)
          .filter((name) => name.startsWith("evald.db"))
          .map((name) => readFileSync(path(name), "latin1"))
          .join("")
      ),
      pid: () => server.pid,
      addTenant: Effect.gen(function* () {
        const { name, job } = yield* cluster.addTenant(api, { "pod-security.kubernetes.io/enforce": "restricted" })
        const user = yield* cluster.addAccount(yield* cluster.addNamespace("people"), "user")
        yield* cluster.grant(name, "tenant-user", { kind: "ServiceAccount", ...user })
        yield* cluster.admin.create(
          { resource: configMaps, namespace: name, lane },
          {
            apiVersion: "v1",
            kind: "ConfigMap",
            metadata: { name: "evald.evald-system.service-ca" },
            data: { "service-ca.crt": authority }
          }
        )
        yield* take(name)
        const token = yield* cluster.tokenOf(user)
        const ask = (method: string, route: string, body?: unknown) =>
          Effect.promise(() => call(token, name, method, route, body))
        yield* eventually("the bindings", ask("GET", "jobs"), ({ status }) => status === 200)
        return {
          name,
          job,
          call: ask,
          addSecret: (secret: string, stringData: { readonly [key: string]: string }, type = "Opaque") =>
            cluster.admin.create(
              { resource: secrets, namespace: name, lane },
              { apiVersion: "v1", kind: "Secret", metadata: { name: secret }, type, stringData }
            ),
          /** the id of an accepted job */
          submit: (body: object) =>
            Effect.map(ask("POST", "jobs", body), ({ status, text, json }) => {
              if (status !== 202) throw new Error(`not accepted: ${status} ${text}`)
              return (json as { readonly resource: { readonly id: string } }).resource.id
            })
        }
      })
    }
  })

export type Installation = Effect.Effect.Success<ReturnType<typeof install>>
export type InstalledTenant = Effect.Effect.Success<Installation["addTenant"]>

export interface BenchmarkView {
  readonly status: string
  readonly error_message?: { readonly message: string; readonly message_code: string }
  readonly warning_message?: { readonly message: string; readonly message_code: string }
}
export interface JobView {
  readonly status: { readonly state: string; readonly benchmarks: ReadonlyArray<BenchmarkView> }
  readonly results?: {
    readonly benchmarks: ReadonlyArray<{
      readonly metrics: { readonly [name: string]: unknown }
      readonly artifacts?: unknown
    }>
  }
}

export const jobOf = (tenant: InstalledTenant, id: string): Effect.Effect<JobView> =>
  Effect.map(tenant.call("GET", `jobs/${id}`), ({ status, text, json }) => {
    if (status !== 200) throw new Error(`no job ${id}: ${status} ${text}`)
    return json as JobView
  })

/** the job once it is terminal */
export const finished = (tenant: InstalledTenant, id: string): Effect.Effect<JobView> =>
  eventually("the job ends", jobOf(tenant, id), ({ status }) => !["pending", "running"].includes(status.state))
