/** Server processes on the control plane, each with a kubeconfig of the API account, and their tenants as the operator provisions them. */
import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"
import { jobs, pods, type Resource } from "../../../infrastructure/kubernetes/client/resources.ts"
import { listen, type Running } from "../../support/evald-process.ts"
import { at } from "../../support/http-app.ts"
import { Cluster } from "./cluster.ts"
import { eventually } from "./eventually.ts"

const lane = "launch" as const

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "evald-t2-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)

export interface DeploymentOptions {
  /** members of `runtime.k8s` beside image, callback address and namespace */
  readonly k8s?: { readonly [name: string]: unknown }
  /** other sections of the configuration */
  readonly settings?: { readonly [section: string]: unknown }
  readonly env?: Readonly<Record<string, string>>
  /** account of the API; default one of its own with the right to review */
  readonly account?: { readonly name: string; readonly namespace: string }
  /** address of the API server; default its own */
  readonly server?: string
}

/** an API account with its folder of configuration; servers are started on it one by one */
export const deployment = ({ k8s = {}, settings = {}, env = {}, account, server: given }: DeploymentOptions = {}) =>
  Effect.gen(function* () {
    const { admin, addApiAccount, addTenant, addAccount, addNamespace, grant, tokenOf, kubeconfigOf } = yield* Cluster
    const api = account ?? (yield* addApiAccount)
    const path = yield* folder
    cpSync("config", join(path, "config"), { recursive: true })
    const image = "registry.example/evald:1"
    const own = { image, callback_url: "https://evald.evald-system.svc:8443", namespace: "evald-system", ...k8s }
    const document = {
      service: { host: "127.0.0.1" },
      providers: { images: { evald: image } },
      runtime: { k8s: own },
      ...settings
    }
    // JSON is YAML
    writeFileSync(join(path, "config", "config.yaml"), JSON.stringify(document))
    writeFileSync(join(path, "kubeconfig"), kubeconfigOf(yield* tokenOf(api), given), { mode: 0o600 })

    const start = Effect.acquireRelease(
      Effect.promise(() =>
        listen(["server", "-configdir", join(path, "config")], {
          PORT: "0",
          KUBECONFIG: join(path, "kubeconfig"),
          EVALD_LOG_FORMAT: "json",
          ...env
        })
      ),
      // one that a test has killed is gone already
      ({ stop }) => Effect.promise(() => stop("SIGKILL"))
    )
    const call = (
      server: Pick<Running, "url">,
      method: string,
      route: string,
      as: { readonly token: string; readonly tenant: string },
      body?: unknown
    ) =>
      Effect.promise(async () => {
        const response = await fetch(`${server.url}/api/v1/evaluations/${route}`, {
          method,
          headers: {
            authorization: `Bearer ${as.token}`,
            "x-tenant": as.tenant,
            ...(body === undefined ? {} : { "content-type": "application/json" })
          },
          ...(body === undefined ? {} : { body: JSON.stringify(body) })
        })
        const text = await response.text()
        return { status: response.status, json: (text === "" ? undefined : JSON.parse(text)) as unknown }
      })
    /** a namespace with a user in it, whose jobs, benchmarks and objects are easy to look at */
    const tenant = Effect.gen(function* () {
      const { name, job: runner } = yield* addTenant(api, { "pod-security.kubernetes.io/enforce": "restricted" })
      const user = yield* addAccount(yield* addNamespace("people"), "user")
      yield* grant(name, "tenant-user", { kind: "ServiceAccount", ...user })
      const asUser = { token: yield* tokenOf(user), tenant: name }
      const asRunner = { token: yield* tokenOf(runner), tenant: name }
      const inTenant = (resource: Resource) =>
        Effect.map(admin.list({ resource, namespace: name, lane }), ({ items }) => items)
      return {
        name,
        inTenant,
        asUser,
        asRunner,
        /** id of an accepted job */
        submit: (server: Running, benchmarks = 1, more: object = {}) => {
          const entry = { id: "arith_basic", provider_id: "evald" }
          const body = {
            name: "t2",
            model: { url: "https://m.example/v1", name: "m" },
            benchmarks: Array.from({ length: benchmarks }, () => entry),
            ...more
          }
          const accepted = eventually(
            "let in",
            call(server, "POST", "jobs", asUser, body),
            ({ status }) => status !== 403 && status !== 503
          )
          return Effect.flatMap(accepted, ({ status, json }) =>
            status === 202
              ? Effect.succeed(String(at(json, "resource.id")))
              : Effect.dieMessage(`${status} ${JSON.stringify(json)}`)
          )
        },
        call: (server: Running, method: string, route: string, body?: unknown) =>
          call(server, method, route, asUser, body),
        report: (server: Running, jobId: string, event: object) =>
          eventually(
            "let in",
            call(server, "POST", `jobs/${jobId}/events`, asRunner, {
              benchmark_status_event: { id: "arith_basic", provider_id: "evald", benchmark_index: 0, ...event }
            }),
            ({ status }) => status !== 403
          ),
        benchmark: (server: Running, jobId: string, index = 0) =>
          Effect.map(call(server, "GET", `jobs/${jobId}`, asUser), ({ json }) =>
            at(json, `status.benchmarks.${index}`)
          ),
        job: Effect.map(inTenant(jobs), ([first]) => first),
        pods: inTenant(pods),
        patchPod: (pod: string, status: unknown) =>
          admin.send(
            {
              method: "PATCH",
              path: `/api/v1/namespaces/${name}/pods/${pod}/status`,
              body: { status },
              contentType: "application/merge-patch+json"
            },
            lane
          )
      }
    })
    return { api, path, start, call, tenant }
  })

/** what a kubelet says of a pod whose adapter runs */
export const runningPod = {
  phase: "Running",
  containerStatuses: [
    {
      name: "adapter",
      image: "i",
      imageID: "",
      ready: true,
      started: true,
      restartCount: 0,
      state: { running: { startedAt: "2026-01-01T00:00:00Z" } }
    }
  ]
}
/** what a kubelet says of a pod that was stopped */
export const stoppedPod = {
  phase: "Failed",
  containerStatuses: [
    {
      ...runningPod.containerStatuses[0],
      ready: false,
      started: false,
      state: { terminated: { exitCode: 143, reason: "Error" } }
    }
  ]
}
