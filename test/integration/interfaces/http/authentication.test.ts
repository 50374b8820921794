import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { Throttled, Unavailable } from "../../../../application/errors.ts"
import { AccessReview, type ResourceAction } from "../../../../application/ports/access-review.ts"
import { apiRoutes } from "../../../../interfaces/http/api.ts"
import * as Authentication from "../../../../interfaces/http/middleware/authentication.ts"
import {
  accessTable,
  layer as app,
  at,
  HttpApp,
  idOf,
  jobBody,
  jobsPath,
  providersPath
} from "../../../support/http-app.ts"

const live = { excludeTestServices: true } as const
const groups = { service: "evald.internal", tracker: "mlflow.kubeflow.org" }

/** grants by user: `resource.group verb namespace` */
const grants: { readonly [user: string]: ReadonlyArray<string> } = {
  alice: ["evaluations", "status-events", "providers", "collections"].flatMap((resource) =>
    ["get", "list", "create", "update", "delete"].flatMap((verb) =>
      ["a", "b"].map((namespace) => `${resource}.evald.internal ${verb} ${namespace}`)
    )
  ),
  runner: ["status-events.evald.internal create a"],
  reader: ["evaluations.evald.internal get a"],
  nobody: []
}
const experiments = ["a", "b"].flatMap((namespace) =>
  ["create", "get"].map((verb) => `experiments.mlflow.kubeflow.org ${verb} ${namespace}`)
)

const asked: Array<string> = []
const sources: Array<string> = []
const review = Layer.succeed(AccessReview, {
  identify: (token, source) => {
    const user = Redacted.value(token)
    sources.push(source)
    if (user === "flooding") return new Throttled({ scope: "source", retryAfterSeconds: 3 })
    if (user === "drowned") return new Throttled({ scope: "total", retryAfterSeconds: 7 })
    if (user === "silent") return new Unavailable({ peer: "review", operation: "identify" })
    return Effect.succeed(Object.hasOwn(grants, user) || user === "mute" ? { username: user, groups: [] } : undefined)
  },
  allows: ({ username }, { group, namespace, resource, verb }: ResourceAction) => {
    if (username === "mute") return new Unavailable({ peer: "review", operation: "allows" })
    const action = `${resource}.${group} ${verb} ${namespace}`
    asked.push(action)
    return Effect.succeed([...(grants[username] ?? []), ...(username === "alice" ? experiments : [])].includes(action))
  }
})

const reviewed = Authentication.layerReviewed({ groups, allowSeconds: 60 }).pipe(Layer.provide(review))
const as = (user: string, tenant = "a") => ({ authorization: `Bearer ${user}`, "x-tenant": tenant })
const guarded = apiRoutes().filter(({ path }) => path.startsWith("/api/v1/evaluations"))

/** namespaces whose jobs may report */
const tenants = new Set(["a", "b"])
const inTenants = Authentication.layerReviewed({ groups, allowSeconds: 60, jobAccount: "evald-job" }).pipe(
  Layer.provide(
    Layer.succeed(AccessReview, {
      identify: (token) => Effect.succeed({ username: Redacted.value(token), groups: [] }),
      allows: ({ username, groups: of }, { namespace, resource, verb }) =>
        Effect.succeed(
          username.startsWith("system:serviceaccount:")
            ? username === `system:serviceaccount:${namespace}:evald-job` &&
                of.includes(`system:serviceaccounts:${namespace}`) &&
                `${verb} ${resource}` === "create status-events" &&
                tenants.has(namespace)
            : username === "alice"
        )
    })
  )
)

layer(app({ authentication: inTenants, server: { local: false } }), live)("tenants that come and go", (it) => {
  it.effect("users of a namespace that is no tenant any more read none of its old jobs, until it is one again", () =>
    Effect.gen(function* () {
      const http = yield* HttpApp
      const submitted = yield* http.send("POST", jobsPath, { body: jobBody(), headers: as("alice") })
      assert.strictEqual(submitted.status, 202)
      const read = http.send("GET", `${jobsPath}/${idOf(submitted)}`, { headers: as("alice") })
      const allowed = Effect.map(http.send("GET", "/api/v1/info", { headers: as("alice") }), ({ json }) =>
        at(json, "caller.allowed")
      )
      assert.strictEqual((yield* read).status, 200)
      tenants.delete("a")
      const refused = yield* read
      assert.deepStrictEqual([refused.status, refused.code], [403, "forbidden"])
      assert.include(String(at(refused.json, "message")), "namespace 'a' is no tenant of this service")
      assert.deepStrictEqual(yield* allowed, {})
      assert.strictEqual((yield* http.send("GET", jobsPath, { headers: as("alice", "b") })).status, 200)
      // who has no right there is not told what the namespace is
      const stranger = yield* http.send("GET", jobsPath, { headers: as("eve") })
      assert.include(String(at(stranger.json, "message")), "'eve' may not get evaluations")
      tenants.add("a")
      assert.strictEqual((yield* read).status, 200)
      assert.notDeepEqual(yield* allowed, {})
    })
  )
})

layer(app({ authentication: reviewed, server: { local: false } }), live)("reviewed callers", (it) => {
  it.effect(
    "on every guarded route: 401 before the tenant, the tenant before the review, the review before everything else",
    () =>
      Effect.gen(function* () {
        const http = yield* HttpApp
        for (const { method, path } of guarded) {
          const url = path.replaceAll(/:\w+/g, "0")
          const hostile = { body: "{", headers: { "content-type": "text/plain" } }
          const body = method === "POST" || method === "PUT" || method === "PATCH" ? hostile : { headers: {} }
          const ask = (headers: { readonly [name: string]: string }) =>
            http.send(method, `${url}?nonsense=1`, { ...body, headers: { ...body.headers, ...headers } })
          for (const authorization of [
            "",
            "Bearer",
            "Bearer ",
            "Basic YWxpY2U6eA==",
            "bearer two words",
            "Bearer stranger"
          ]) {
            const answer = yield* ask({ authorization, "x-tenant": "a" })
            assert.deepStrictEqual(
              [answer.status, answer.code, answer.headers["www-authenticate"]],
              [401, "unauthorized", 'Bearer realm="evald"'],
              `${method} ${url} ${authorization}`
            )
          }
          assert.strictEqual((yield* ask({ authorization: "Bearer nobody" })).code, "missing_tenant_header")
          for (const tenant of ["A", "a_b", "-a", "a".repeat(64), "a/b"]) {
            const answer = yield* ask(as("nobody", tenant))
            assert.deepStrictEqual([answer.status, answer.code], [400, "invalid_value"], tenant)
          }
          const refused = yield* ask(as("nobody"))
          assert.deepStrictEqual([refused.status, refused.code], [403, "forbidden"], `${method} ${url}`)
          const allowed = yield* ask(as("alice"))
          assert.include(
            ["query_bad_parameter", "unsupported_media_type"],
            allowed.code,
            `${method} ${url} ${allowed.text}`
          )
        }
      })
  )

  it.effect("an unreachable reviewer is 503 and lets nobody in", () =>
    Effect.gen(function* () {
      const http = yield* HttpApp
      for (const user of ["silent", "mute"]) {
        const answer = yield* http.send("POST", jobsPath, { headers: as(user), body: jobBody() })
        assert.deepStrictEqual(
          [answer.status, answer.code, answer.headers["retry-after"]],
          [503, "review_unavailable", "5"]
        )
      }
    })
  )

  it.effect(
    "too many invalid tokens are 429 with Retry-After before tenant and review are looked at, and let nobody in",
    () =>
      Effect.gen(function* () {
        const http = yield* HttpApp
        for (const [user, wait, whose] of [
          ["flooding", "3", /from your address/],
          ["drowned", "7", /at this server/]
        ] as const) {
          for (const headers of [as(user), { authorization: `Bearer ${user}` }]) {
            const before = asked.length
            const answer = yield* http.send("POST", jobsPath, { headers, body: jobBody() })
            assert.deepStrictEqual(
              [answer.status, answer.code, answer.headers["retry-after"]],
              [429, "too_many_requests", wait]
            )
            assert.match(String(at(answer.json, "message")), whose)
            assert.lengthOf(asked, before)
          }
        }
        // no token, or none that could be one, still is 401
        assert.strictEqual((yield* http.send("GET", jobsPath)).status, 401)
      })
  )

  it.effect("the source is the peer's address: X-Forwarded-For of anybody is not believed", () =>
    Effect.gen(function* () {
      const http = yield* HttpApp
      sources.length = 0
      yield* http.send("GET", jobsPath, { headers: { ...as("alice"), "x-forwarded-for": "1.2.3.4" } })
      assert.deepStrictEqual(sources, ["127.0.0.1"])
    })
  )

  it.effect("verbs follow the table", () =>
    Effect.gen(function* () {
      const http = yield* HttpApp
      const reviewsOf = (method: string, path: string, body?: unknown) =>
        Effect.gen(function* () {
          asked.length = 0
          yield* http.send(method, path, { headers: as("alice"), ...(body === undefined ? {} : { body }) })
          return [...asked]
        })
      const e = "evaluations.evald.internal"
      assert.deepStrictEqual(yield* reviewsOf("POST", jobsPath, {}), [
        `${e} create a`,
        "experiments.mlflow.kubeflow.org create a",
        "experiments.mlflow.kubeflow.org get a"
      ])
      for (const path of [
        jobsPath,
        `${jobsPath}/x`,
        `${jobsPath}/x/logs`,
        `${jobsPath}/x/watch`,
        `${jobsPath}/x/benchmarks/0/logs`
      ]) {
        assert.deepStrictEqual(yield* reviewsOf("GET", path), [`${e} get a`], path)
        assert.deepStrictEqual(yield* reviewsOf("HEAD", path), [`${e} get a`], path)
      }
      assert.deepStrictEqual(yield* reviewsOf("DELETE", `${jobsPath}/x`), [`${e} delete a`])
      assert.deepStrictEqual(yield* reviewsOf("POST", `${jobsPath}/x/events`, {}), [
        "status-events.evald.internal create a"
      ])
      for (const [method, verb] of [
        ["GET", "get"],
        ["PUT", "update"],
        ["PATCH", "update"],
        ["DELETE", "delete"]
      ] as const) {
        const body = method === "PUT" || method === "PATCH" ? {} : undefined
        assert.deepStrictEqual(yield* reviewsOf(method, `${providersPath}/x`, body), [
          `providers.evald.internal ${verb} a`
        ])
      }
    })
  )

  it.effect("a job account may report events and nothing else", () =>
    Effect.gen(function* () {
      const http = yield* HttpApp
      const id = idOf(yield* http.send("POST", jobsPath, { headers: as("alice"), body: jobBody() }))
      const event = { benchmark_status_event: { id: "b", provider_id: "p", status: "running" } }
      assert.strictEqual(
        (yield* http.send("POST", `${jobsPath}/${id}/events`, { headers: as("runner"), body: event })).status,
        200
      )
      assert.strictEqual((yield* http.send("GET", `${jobsPath}/${id}`, { headers: as("runner") })).status, 403)
      assert.strictEqual(
        (yield* http.send("POST", `${jobsPath}/${id}/events`, { headers: as("runner", "b"), body: event })).status,
        403
      )
    })
  )

  it.effect("foreign and absent records are the same bytes, owners are recorded", () =>
    Effect.gen(function* () {
      const http = yield* HttpApp
      const created = yield* http.send("POST", jobsPath, { headers: as("alice", "b"), body: jobBody() })
      assert.strictEqual(at(created.json, "resource.owner"), "alice")
      const id = idOf(created)
      const absent = id.replace(/.$/, id.endsWith("0") ? "1" : "0")
      for (const [method, rest] of [
        ["GET", ""],
        ["DELETE", ""],
        ["DELETE", "?hard_delete=true"],
        ["GET", "/logs"],
        ["GET", "/watch"],
        ["GET", "/benchmarks/0/logs"]
      ] as const) {
        const ask = (job: string) =>
          http.send(method, `${jobsPath}/${job}${rest}`, { headers: { ...as("alice", "a"), "x-request-id": "same" } })
        const [foreign, none] = [yield* ask(id), yield* ask(absent)]
        assert.strictEqual(foreign.status, 404, `${method} ${rest}`)
        assert.strictEqual(foreign.text.replaceAll(id, "ID"), none.text.replaceAll(absent, "ID"), `${method} ${rest}`)
      }
      assert.strictEqual(at((yield* http.send("GET", jobsPath, { headers: as("alice", "a") })).json, "total_count"), 1)
    })
  )

  it.effect("the service's own routes need nobody, X-User is not believed, callbacks are not served", () =>
    Effect.gen(function* () {
      const http = yield* HttpApp
      for (const path of ["/health", "/api/v1/health", "/api/v1/health/ready", "/openapi.yaml", "/docs", "/metrics"]) {
        assert.strictEqual((yield* http.send("GET", path)).status, 200, path)
      }
      assert.strictEqual(
        (yield* http.send("GET", jobsPath, { headers: { "x-user": "alice", "x-tenant": "a" } })).status,
        401
      )
      assert.strictEqual(
        (yield* http.send("POST", `/cb/${"A".repeat(43)}${jobsPath}/x/events`, { body: {} })).code,
        "route_not_found"
      )
      assert.strictEqual((yield* http.send("GET", "/health", { headers: { host: "anything.example" } })).status, 200)
    })
  )
})

layer(
  app({
    authentication: Authentication.layerReviewed({ groups, allowSeconds: 60, trustedProxies: ["127.0.0.1"] }).pipe(
      Layer.provide(review)
    ),
    server: { local: false }
  }),
  live
)("reviewed callers behind a trusted proxy", (it) => {
  it.effect("the proxy says where they come from", () =>
    Effect.gen(function* () {
      const http = yield* HttpApp
      sources.length = 0
      yield* http.send("GET", jobsPath, { headers: { ...as("alice"), "x-forwarded-for": "9.9.9.9, 1.2.3.4" } })
      assert.deepStrictEqual(sources, ["1.2.3.4"])
    })
  )
})

const trusted = (trustedProxies: ReadonlyArray<string>) =>
  app({ authentication: Authentication.layerTrustedHeaders({ trustedProxies }), server: { local: false } })

layer(trusted([]), live)("behind a trusted proxy", (it) => {
  it.effect("the proxy says who calls, the tenant is still required", () =>
    Effect.gen(function* () {
      const http = yield* HttpApp
      const created = yield* http.send("POST", jobsPath, {
        headers: { "x-user": "carol", "x-tenant": "a" },
        body: jobBody()
      })
      assert.deepStrictEqual([created.status, at(created.json, "resource.owner")], [202, "carol"])
      assert.strictEqual((yield* http.send("GET", jobsPath, { headers: { "x-tenant": "a" } })).status, 401)
      assert.strictEqual(
        (yield* http.send("GET", jobsPath, { headers: { "x-user": "carol" } })).code,
        "missing_tenant_header"
      )
    })
  )
})

layer(trusted(["10.0.0.1"]), live)("behind another proxy", (it) => {
  it.effect("requests from elsewhere are not believed", () =>
    Effect.gen(function* () {
      const answer = yield* (yield* HttpApp).send("GET", jobsPath, { headers: { "x-user": "carol", "x-tenant": "a" } })
      assert.strictEqual(answer.status, 401)
    })
  )
})

layer(app({ authentication: Authentication.layerNone({ token: Redacted.make("s3cret") }) }), live)(
  "local mode with a token",
  (it) => {
    it.effect("every call needs the token", () =>
      Effect.gen(function* () {
        const http = yield* HttpApp
        assert.strictEqual((yield* http.send("GET", jobsPath)).status, 401)
        assert.strictEqual(
          (yield* http.send("GET", jobsPath, { headers: { authorization: "Bearer s3cre" } })).status,
          401
        )
        assert.strictEqual(
          (yield* http.send("GET", jobsPath, { headers: { authorization: "Bearer s3cret" } })).status,
          200
        )
      })
    )
  }
)

layer(app(), live)("local mode", (it) => {
  it.effect("the tenant defaults, and a given one separates", () =>
    Effect.gen(function* () {
      const http = yield* HttpApp
      const created = yield* http.send("POST", jobsPath, { body: jobBody() })
      assert.strictEqual(at(created.json, "resource.tenant"), "default")
      assert.strictEqual(
        (yield* http.send("GET", `${jobsPath}/${idOf(created)}`, { headers: { "x-tenant": "other" } })).status,
        404
      )
      assert.strictEqual((yield* http.send("GET", jobsPath, { headers: { "x-tenant": "No" } })).code, "invalid_value")
    })
  )
})

layer(Layer.empty, live)("the authorisation table", (it) => {
  it.effect("a route without a rule, and a rule without a route, stop the start", () =>
    Effect.gen(function* () {
      const broken = {
        public: accessTable.public.slice(1),
        rules: [
          ...accessTable.rules,
          {
            path: "/api/v1/nothing",
            methods: ["GET" as const],
            reviews: [{ group: "service", resource: "x", verb: "get" as const }] as const
          }
        ]
      }
      const error = yield* Effect.flip(Effect.scoped(Layer.build(app({ server: { access: broken } }))))
      assert.strictEqual(error._tag, "AccessTableInvalid")
      if (error._tag !== "AccessTableInvalid") return
      assert.isTrue(
        error.problems.some((problem) => problem.includes("/health has no authorisation rule")),
        error.message
      )
      assert.isTrue(
        error.problems.some((problem) => problem.includes("/api/v1/nothing names no route")),
        error.message
      )
    })
  )
})
