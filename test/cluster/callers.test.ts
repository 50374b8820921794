/** T2: callers reviewed by a real API server, under the roles that are shipped. Reference: cluster-objects.md, "Reviews"; cases 35 and 37. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { describe } from "vitest"
import { pods } from "../../infrastructure/kubernetes/client/resources.ts"
import { backingName } from "../../infrastructure/kubernetes/unit/names.ts"
import { apiRoutes } from "../../interfaces/http/api.ts"
import { eventBody, HttpApp, idOf, jobBody, jobsPath, providersPath } from "../support/http-app.ts"
import { type Account, Cluster, layer as cluster, noControlPlane, type Subject } from "./support/cluster.ts"
import { eventually } from "./support/eventually.ts"
import { reviewedApp } from "./support/reviewed-app.ts"
import { rulesOf } from "./support/roles.ts"

const live = { excludeTestServices: true, timeout: "60 seconds" } as const

const account = ({ name, namespace }: Account): Subject => ({ kind: "ServiceAccount", name, namespace })
const guarded = apiRoutes().filter(({ path }) => path.startsWith("/api/v1/evaluations"))
const as = (token: string, tenant: string) => ({ authorization: `Bearer ${token}`, "x-tenant": tenant })

/** asks a route in a way that is refused after the review, if the review lets it through */
const ask = (method: string, path: string, token: string, tenant: string) =>
  Effect.gen(function* () {
    const http = yield* HttpApp
    const url = `${path.replaceAll(/:\w+/g, "0")}?nonsense=1`
    const body =
      method === "GET" || method === "HEAD" || method === "DELETE"
        ? {}
        : { body: "{", headers: { "content-type": "text/plain" } }
    const { status } = yield* http.send(method, url, {
      ...body,
      headers: { ...("headers" in body ? body.headers : {}), ...as(token, tenant) }
    })
    return status
  })

const verbs: { readonly [method: string]: string } = {
  GET: "get",
  POST: "create",
  PUT: "update",
  PATCH: "update",
  DELETE: "delete"
}
/** what a role says about a route, read from its own rules */
const mayBy = (role: string, method: string, path: string): boolean => {
  const rules = rulesOf(role)
  const grants = (group: string, resource: string, verb: string) =>
    rules.some(
      ({ apiGroups, resources, verbs: listed }) =>
        apiGroups.includes(group) && resources.includes(resource) && listed.includes(verb)
    )
  const verb = verbs[method] ?? ""
  const reports = path.endsWith("/events") || (method === "POST" && path.endsWith("/samples"))
  if (reports) return grants("evald.internal", "status-events", "create")
  if (path.includes("/providers")) return grants("evald.internal", "providers", verb)
  if (path.includes("/collections")) return grants("evald.internal", "collections", verb)
  const own = grants("evald.internal", "evaluations", verb)
  return method === "POST" && path === jobsPath
    ? own &&
        grants("mlflow.kubeflow.org", "experiments", "create") &&
        grants("mlflow.kubeflow.org", "experiments", "get")
    : own
}

describe.skipIf(noControlPlane)("T2: callers", () => {
  const setUp = Layer.unwrapEffect(
    Effect.gen(function* () {
      const { addApiAccount } = yield* Cluster
      return reviewedApp({ api: yield* addApiAccount })
    })
  )

  layer(setUp.pipe(Layer.provideMerge(cluster)), live)("reviewed by the cluster", (it) => {
    it.effect(
      "case 35: service accounts, users and groups may do on every route what their binding says, in its tenant and nowhere else",
      () =>
        Effect.gen(function* () {
          const { addNamespace, addAccount, grant, bind, addRole, tokenOf, tokenOfUser } = yield* Cluster
          const [home, other] = [yield* addNamespace("team"), yield* addNamespace("team")]
          const [user, viewer, job] = [
            yield* addAccount(home, "user"),
            yield* addAccount(home, "viewer"),
            yield* addAccount(home, "job")
          ]
          const subjects: ReadonlyArray<readonly [subject: Subject, token: string, role: string]> = [
            [account(user), yield* tokenOf(user), "tenant-user"],
            [account(viewer), yield* tokenOf(viewer), "tenant-viewer"],
            [account(job), yield* tokenOf(job), "job-access"],
            [{ kind: "User", name: "user-only" }, tokenOfUser("user-only"), "tenant-user"],
            [{ kind: "Group", name: "evaluators" }, tokenOfUser("group-member"), "tenant-viewer"]
          ]
          yield* addRole(home, "nothing", [])
          for (const [subject, token, role] of subjects) {
            yield* grant(home, role, subject)
            yield* bind(other, { kind: "Role", metadata: { name: "nothing" } }, subject)
            const sure =
              role === "job-access"
                ? ask("POST", `${jobsPath}/:id/events`, token, home)
                : ask("GET", jobsPath, token, home)
            yield* eventually("the binding", sure, (status) => status !== 403)
            for (const { method, path } of guarded) {
              const expected = mayBy(role, method, path)
              const status = yield* ask(method, path, token, home)
              assert.strictEqual(
                status !== 403,
                expected,
                `${subject.kind} ${subject.name} (${role}) ${method} ${path}: ${status}`
              )
              assert.notInclude([401, 500, 503], status)
              assert.strictEqual(
                yield* ask(method, path, token, other),
                403,
                `${subject.kind} ${subject.name} in another tenant: ${method} ${path}`
              )
            }
          }
        })
    )

    it.effect(
      "case 35: a binding for a user does not count for the service account of that name, nor the other way round",
      () =>
        Effect.gen(function* () {
          const { addNamespace, addAccount, grant, tokenOf, tokenOfUser } = yield* Cluster
          const [first, second] = [yield* addNamespace("team"), yield* addNamespace("team")]
          const runner = yield* addAccount(first, "runner")
          yield* grant(first, "tenant-user", { kind: "User", name: "runner" })
          yield* eventually(
            "the binding",
            ask("GET", jobsPath, tokenOfUser("runner"), first),
            (status) => status !== 403
          )
          assert.strictEqual(yield* ask("GET", jobsPath, yield* tokenOf(runner), first), 403)
          yield* grant(second, "tenant-user", account(runner))
          yield* eventually(
            "the binding",
            ask("GET", jobsPath, yield* tokenOf(runner), second),
            (status) => status !== 403
          )
          assert.strictEqual(yield* ask("GET", jobsPath, tokenOfUser("runner"), second), 403)
        })
    )

    it.effect("made-up, foreign and removed tokens are nobody's", () =>
      Effect.gen(function* () {
        const { admin, addNamespace, addAccount, tokenOf } = yield* Cluster
        const home = yield* addNamespace("team")
        const account = yield* addAccount(home, "short-lived")
        const elsewhere = yield* tokenOf(account, { audiences: ["another-service"] })
        const removed = yield* tokenOf(account)
        yield* admin.remove(
          {
            resource: { group: "", version: "v1", plural: "serviceaccounts", kind: "ServiceAccount" },
            namespace: home,
            name: "short-lived",
            lane: "launch"
          },
          { propagation: "Background" }
        )
        for (const token of ["made-up", "a.b.c", elsewhere, removed, `${removed.slice(0, -4)}AAAA`]) {
          yield* eventually(
            `401 for ${token.slice(0, 10)}`,
            ask("GET", jobsPath, token, home),
            (status) => status === 401
          )
        }
      })
    )

    it.effect("taking a binding away shows at the next request", () =>
      Effect.gen(function* () {
        const { addNamespace, addAccount, grant, unbind, tokenOf } = yield* Cluster
        const home = yield* addNamespace("team")
        const user = yield* addAccount(home, "user")
        const binding = yield* grant(home, "tenant-user", account(user))
        const token = yield* tokenOf(user)
        yield* eventually("granted", ask("GET", jobsPath, token, home), (status) => status === 400)
        yield* unbind(home, binding.metadata.name)
        yield* eventually("revoked", ask("GET", jobsPath, token, home), (status) => status === 403)
      })
    )
  })

  const required = Layer.unwrapEffect(
    Effect.gen(function* () {
      const { addApiAccount } = yield* Cluster
      return reviewedApp({
        api: yield* addApiAccount,
        podBinding: { required: true, backingName: (unit) => backingName("evald", unit) }
      })
    })
  )

  layer(required.pipe(Layer.provideMerge(cluster)), live)("callbacks of pods", (it) => {
    it.effect(
      "case 37: a token bound to another benchmark's or another job's pod, or to none, is refused; its own is taken",
      () =>
        Effect.gen(function* () {
          const { admin, addNamespace, addAccount, grant, tokenOf } = yield* Cluster
          const http = yield* HttpApp
          const home = yield* addNamespace("team")
          const [user, job] = [yield* addAccount(home, "user"), yield* addAccount(home, "evald-evald-system-job")]
          yield* grant(home, "tenant-user", account(user))
          yield* grant(home, "job-access", account(job))
          const userToken = yield* tokenOf(user)
          yield* eventually("the binding", ask("POST", jobsPath, userToken, home), (status) => status !== 403)
          const submit = http.send("POST", jobsPath, {
            headers: as(userToken, home),
            body: jobBody({
              benchmarks: [
                { id: "b", provider_id: "p" },
                { id: "b", provider_id: "p" }
              ]
            })
          })
          const [first, second] = [idOf(yield* submit), idOf(yield* submit)]
          const podToken = (jobId: string, index: number) => {
            const name = `${backingName("evald", { jobId, index, attempt: 1 })}-abcde`
            const spec = { serviceAccountName: job.name, containers: [{ name: "adapter", image: "none" }] }
            return Effect.zipRight(
              admin.create(
                { resource: pods, namespace: home, lane: "launch" },
                { apiVersion: "v1", kind: "Pod", metadata: { name }, spec }
              ),
              tokenOf(job, { pod: name })
            )
          }
          const report = (token: string, jobId: string, index: number) =>
            Effect.map(
              http.send("POST", `${jobsPath}/${jobId}/events`, {
                headers: as(token, home),
                body: eventBody({ benchmark_index: index })
              }),
              ({ status }) => status
            )
          const [own, sibling, foreign, unbound] = [
            yield* podToken(first, 0),
            yield* podToken(first, 1),
            yield* podToken(second, 0),
            yield* tokenOf(job)
          ]
          yield* eventually("the binding", report(own, first, 0), (status) => status === 200)
          assert.strictEqual(yield* report(sibling, first, 0), 403)
          assert.strictEqual(yield* report(foreign, first, 0), 403)
          assert.strictEqual(yield* report(unbound, first, 0), 403)
          assert.strictEqual(yield* report(sibling, first, 1), 200)
          assert.strictEqual(yield* ask("GET", providersPath, own, home), 403)
        })
    )
  })
})
