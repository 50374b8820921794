/** T2: the server as a process with a kubeconfig of its own account: from POST to the Job and back to nothing. Reference: cluster-objects.md, "Launching", "Reviews", "Rights". */
import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, layer } from "@effect/vitest"
import { Effect, Either } from "effect"
import { describe } from "vitest"
import { jobs, pods } from "../../infrastructure/kubernetes/client/resources.ts"
import { listen } from "../support/evald-process.ts"
import { at } from "../support/http-app.ts"
import { Cluster, layer as cluster, noControlPlane } from "./support/cluster.ts"
import { eventually } from "./support/eventually.ts"

const live = { excludeTestServices: true, timeout: "120 seconds" } as const
const lane = "launch" as const

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "evald-t2-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)

const settings = `service: { host: 127.0.0.1 }
runtime: { k8s: { image: registry.example/evald:1, callback_url: "https://evald.evald-system.svc:8443", namespace: evald-system } }
`

describe.skipIf(noControlPlane)("T2: server", () => {
  layer(cluster, live)("with a kubeconfig", (it) => {
    it.scoped("a user's job becomes Jobs and pods of its tenant; cancelled, nothing is left", () =>
      Effect.gen(function* () {
        const { admin, addApiAccount, addTenant, addAccount, addNamespace, grant, tokenOf, kubeconfigOf } =
          yield* Cluster
        const api = yield* addApiAccount
        const tenant = yield* addTenant(api, { "pod-security.kubernetes.io/enforce": "restricted" })
        const user = yield* addAccount(yield* addNamespace("people"), "user")
        yield* grant(tenant.name, "tenant-user", { kind: "ServiceAccount", ...user })
        const path = yield* folder
        cpSync("config", join(path, "config"), { recursive: true })
        writeFileSync(join(path, "config", "config.yaml"), settings)
        writeFileSync(join(path, "kubeconfig"), kubeconfigOf(yield* tokenOf(api)), { mode: 0o600 })
        const server = yield* Effect.acquireRelease(
          Effect.promise(() =>
            listen(["server", "-configdir", join(path, "config")], {
              PORT: "0",
              KUBECONFIG: join(path, "kubeconfig"),
              EVALD_LOG_FORMAT: "json"
            })
          ),
          ({ stop }) => Effect.promise(() => stop())
        )
        const authorization = `Bearer ${yield* tokenOf(user)}`
        const call = (method: string, route: string, body?: unknown) =>
          Effect.promise(async () => {
            const response = await fetch(`${server.url}/api/v1/evaluations/${route}`, {
              method,
              headers: {
                authorization,
                "x-tenant": tenant.name,
                ...(body === undefined ? {} : { "content-type": "application/json" })
              },
              ...(body === undefined ? {} : { body: JSON.stringify(body) })
            })
            const text = await response.text()
            return { status: response.status, json: (text === "" ? undefined : JSON.parse(text)) as unknown }
          })
        const benchmark = { id: "arith_basic", provider_id: "evald" }
        const submit = call("POST", "jobs", {
          name: "t2",
          model: { url: "https://m.example/v1", name: "m" },
          benchmarks: [benchmark, benchmark]
        })
        const accepted = yield* eventually("let in", submit, ({ status }) => status !== 403)
        assert.strictEqual(accepted.status, 202, JSON.stringify(accepted.json))
        assert.strictEqual(at(accepted.json, "resource.owner"), `system:serviceaccount:${user.namespace}:user`)
        const inTenant = (resource: typeof jobs) =>
          Effect.map(admin.list({ resource, namespace: tenant.name, lane }), ({ items }) => items)
        const made = yield* eventually("the pods", inTenant(pods), (items) => items.length === 2)
        assert.isTrue(
          made.every(({ metadata }) => metadata.name.startsWith(`evald-${at(accepted.json, "resource.id")}-`))
        )
        assert.strictEqual((yield* call("DELETE", `jobs/${at(accepted.json, "resource.id")}`)).status, 204)
        yield* eventually(
          "nothing left",
          Effect.zipWith(inTenant(jobs), inTenant(pods), (left, right) => [...left, ...right]),
          (items) => items.length === 0
        )
        const record = yield* call("GET", `jobs/${at(accepted.json, "resource.id")}`)
        assert.strictEqual(at(record.json, "status.state"), "cancelled")
        const foreign = yield* Effect.either(admin.list({ resource: jobs, namespace: api.namespace, lane }))
        assert.isTrue(Either.isRight(foreign) && foreign.right.items.length === 0)
      })
    )
  })
})
