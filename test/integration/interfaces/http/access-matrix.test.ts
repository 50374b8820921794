/**
 * Principals × tenants × routes, generated from the served routes and the permission table, so that a new route is in the matrix before
 * anybody thinks of it: what is not allowed is 403, a reviewer that does not answer is 503, and a foreign record is an absent one.
 */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { Unavailable } from "../../../../application/errors.ts"
import { AccessReview, type ResourceAction } from "../../../../application/ports/access-review.ts"
import { guardOf, isMethod, type Method, reviewsOf } from "../../../../interfaces/http/access/access-table.ts"
import { type ApiRoute, apiRoutes } from "../../../../interfaces/http/api.ts"
import * as Authentication from "../../../../interfaces/http/middleware/authentication.ts"
import {
  accessTable,
  layer as app,
  collectionsPath,
  eventBody,
  HttpApp,
  idOf,
  jobBody,
  jobsPath,
  providersPath
} from "../../../support/http-app.ts"

const groups = { service: "evald.internal", tracker: "mlflow.kubeflow.org" }
const tenants = ["a", "b"]
const textOf = ({ resource, group, verb, namespace }: ResourceAction) => `${resource}.${group} ${verb} ${namespace}`

interface Guarded {
  readonly route: ApiRoute
  readonly method: Method
  /** in this tenant */
  readonly reviews: (tenant: string) => ReadonlyArray<string>
}

const guarded: ReadonlyArray<Guarded> = apiRoutes().flatMap((route) => {
  if (!isMethod(route.method)) return []
  const guard = guardOf(accessTable, route.method, route.path.replaceAll(/:(\w+)/g, "$1"))
  if (guard._tag !== "Guarded") return []
  const methods: ReadonlyArray<Method> = route.method === "GET" ? ["GET", "HEAD"] : [route.method]
  return methods.map((method) => ({
    route,
    method,
    reviews: (tenant) => reviewsOf(guard.rule, method, tenant, groups).map(textOf)
  }))
})

const allReviews = (tenant: string) => [...new Set(guarded.flatMap(({ reviews }) => reviews(tenant)))]

/** by name: everything somewhere, nothing, exactly one right, all but one; the last two for every right of the table */
const principals = new Map<string, ReadonlyArray<string>>([
  ["all-a", allReviews("a")],
  ["all-b", allReviews("b")],
  ["both", tenants.flatMap(allReviews)],
  ["none", []],
  ...allReviews("a").map((right, number) => [`only-${number}`, [right]] as const),
  ...allReviews("a").map(
    (right, number) => [`but-${number}`, allReviews("a").filter((other) => other !== right)] as const
  )
])

const away = (operation: string) => new Unavailable({ peer: "review", operation })
const reviewer = Layer.succeed(AccessReview, {
  identify: (token) => {
    const username = Redacted.value(token)
    return username === "unknown-to-a-silent-reviewer" ? away("identify") : Effect.succeed({ username, groups: [] })
  },
  allows: ({ username }, review) =>
    username === "met-by-silence"
      ? away("allows")
      : Effect.succeed(principals.get(username)?.includes(textOf(review)) === true)
})
const reviewed = app({
  authentication: Authentication.layerReviewed({ groups, allowSeconds: 60 }).pipe(Layer.provide(reviewer)),
  server: { local: false }
})

const as = (user: string, tenant: string) => ({
  authorization: `Bearer ${user}`,
  "x-tenant": tenant,
  "x-request-id": "same"
})

const provider = { name: "own", runtime: { local: { command: "true" } }, benchmarks: [{ id: "x" }] }
const collection = { name: "own", category: "c", benchmarks: [{ id: "b", provider_id: "p" }] }
const bodies: { readonly [name: string]: unknown } = {
  submitJob: jobBody(),
  rerunJob: { which: "failed" },
  recordEvent: eventBody(),
  uploadSamples: { v: 1, sample_id: "s", task: "t", index: 0, repeat: 0, verdict: "correct" },
  createComparison: { baseline: { job: "a" }, candidate: { job: "b" } },
  createGate: { policy: { criteria: [{ benchmark: "b", kind: "absolute", threshold: 0.5 }] } },
  testNotification: { url: "https://hooks.example.com/evald", secret_ref: "hook-key" },
  createProvider: provider,
  replaceProvider: provider,
  patchProvider: [{ op: "add", path: "/description", value: "changed" }],
  createCollection: collection,
  replaceCollection: collection,
  cloneCollection: {},
  patchCollection: [{ op: "add", path: "/description", value: "changed" }]
}

const request = ({ route: { name, path }, method }: Guarded, id: string) => {
  const body = bodies[name]
  assert.isTrue(body !== undefined || !["POST", "PUT", "PATCH"].includes(method), `give '${name}' a body here`)
  const type = { "content-type": name === "uploadSamples" ? "application/x-ndjson" : "application/json" }
  return {
    method,
    path: path.replace(":id", id).replaceAll(/:\w+/g, "0"),
    sent: body === undefined ? {} : { body },
    type: body === undefined ? {} : type
  }
}

layer(reviewed, { excludeTestServices: true })("principals × tenants × routes", (it) => {
  it.effect("what is not allowed is 403 on every route, what is allowed never", () =>
    Effect.gen(function* () {
      const http = yield* HttpApp
      assert.isAbove(guarded.length, 20)
      // single rights are all rights in a
      const asked = guarded.flatMap((one) =>
        [...principals].flatMap(([user, rights]) =>
          tenants.flatMap((tenant) => {
            const allowed = one.reviews(tenant).every((right) => rights.includes(right))
            // single rights are rights in a; lacking one that is not needed says nothing new
            const isNews = !/^(only|but)-/.test(user) || (tenant === "a" && !(allowed && user.startsWith("but-")))
            return isNews ? [{ one, user, tenant, allowed }] : []
          })
        )
      )
      assert.isAbove(asked.length, 20 * guarded.length)
      yield* Effect.forEach(
        asked,
        ({ one, user, tenant, allowed }) =>
          Effect.gen(function* () {
            const { method, path, sent, type } = request(one, "0198c9d2-0000-7000-8000-000000000000")
            const { status, code } = yield* http.send(method, path, {
              ...sent,
              headers: { ...as(user, tenant), ...type }
            })
            const place = `${user} in ${tenant}: ${method} ${path}`
            if (allowed) assert.notInclude([401, 403, 503], status, place)
            else assert.deepStrictEqual([status, code], [403, method === "HEAD" ? undefined : "forbidden"], place)
          }),
        { concurrency: 8, discard: true }
      )
    })
  )

  it.effect("a reviewer that does not answer lets nobody in, on no route", () =>
    Effect.gen(function* () {
      const http = yield* HttpApp
      for (const one of guarded)
        for (const user of ["unknown-to-a-silent-reviewer", "met-by-silence"]) {
          const { method, path, sent, type } = request(one, "x")
          const answer = yield* http.send(method, path, { ...sent, headers: { ...as(user, "a"), ...type } })
          assert.deepStrictEqual([answer.status, answer.headers["retry-after"]], [503, "5"], `${method} ${path}`)
        }
    })
  )

  it.effect("a foreign record is an absent one: the same head and the same bytes, on every route with an id", () =>
    Effect.gen(function* () {
      const http = yield* HttpApp
      const made = (path: string, body: unknown) =>
        Effect.map(http.send("POST", path, { headers: as("all-b", "b"), body }), idOf)
      const owned: { readonly [path: string]: string } = {
        [jobsPath]: yield* made(jobsPath, jobBody()),
        [providersPath]: yield* made(providersPath, provider),
        [collectionsPath]: yield* made(collectionsPath, collection)
      }
      const withId = guarded.filter(({ route }) => route.path.includes(":id"))
      assert.isAbove(withId.length, 12)
      for (const one of withId) {
        const [foreign = ""] = Object.entries(owned).flatMap(([path, id]) =>
          one.route.path.startsWith(path) ? [id] : []
        )
        const absent = foreign.replace(/.$/, foreign.endsWith("0") ? "1" : "0")
        const ask = (id: string) => {
          const { method, path, sent, type } = request(one, id)
          return Effect.map(
            http.send(method, path, { ...sent, headers: { ...as("all-a", "a"), ...type } }),
            ({ status, headers: { date: _, ...headers }, text }) => ({
              status,
              headers,
              text: text.replaceAll(id, "ID")
            })
          )
        }
        const answer = yield* ask(foreign)
        assert.strictEqual(answer.status, 404, `${one.method} ${one.route.path}`)
        assert.deepStrictEqual(answer, yield* ask(absent), `${one.method} ${one.route.path}`)
      }
      for (const [path, id] of Object.entries(owned)) {
        assert.strictEqual(
          (yield* http.send("GET", `${path}/${id}`, { headers: as("all-b", "b") })).status,
          200,
          "the owner's is untouched"
        )
        const lists = yield* http.send("GET", path, { headers: as("all-a", "a") })
        assert.notInclude(lists.text, id)
      }
    })
  )
})
