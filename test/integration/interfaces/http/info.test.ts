import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { Unavailable } from "../../../../application/errors.ts"
import { AccessReview } from "../../../../application/ports/access-review.ts"
import { Placements } from "../../../../application/ports/placements.ts"
import { apiRoutes } from "../../../../interfaces/http/api.ts"
import * as Authentication from "../../../../interfaces/http/middleware/authentication.ts"
import { layer as app, at, HttpApp, jobsPath } from "../../../support/http-app.ts"

const path = "/api/v1/info"
const live = { excludeTestServices: true } as const

layer(app({ settings: { about: { mode: "local", maxQueued: 3 } } }), live)("what the service says of itself", (it) => {
  it.effect("version, limits, what it can do, and that locally everybody may do all", () =>
    Effect.gen(function* () {
      const http = yield* HttpApp
      const { status, json } = yield* http.send("GET", path)
      assert.strictEqual(status, 200)
      assert.deepInclude(json as object, {
        version: "0.0.0-test",
        git_hash: "none",
        mode: "local",
        limits: { max_body_bytes: 1_048_576, max_queued: 3 },
        links: { openapi: "/openapi.yaml", docs: "/docs" }
      })
      assert.deepStrictEqual(
        at(json, "features"),
        apiRoutes().map(({ name }) => name)
      )
      assert.deepStrictEqual(at(json, "caller"), {
        user: "local",
        groups: [],
        tenant: "default",
        allowed: {
          evaluations: ["create", "get", "delete", "list"],
          experiments: ["create", "get"],
          "status-events": ["create"],
          providers: ["get", "create", "update", "delete"],
          collections: ["get", "create", "update", "delete"]
        }
      })
      assert.strictEqual((yield* http.send("GET", `${path}?x=1`)).code, "query_bad_parameter")
    })
  )
})

const reviewer = Layer.succeed(AccessReview, {
  identify: (token) =>
    Effect.succeed(
      Redacted.value(token) === "stranger" ? undefined : { username: Redacted.value(token), groups: ["team"] }
    ),
  allows: ({ username }, { resource, verb, namespace, group }) =>
    username === "silence"
      ? new Unavailable({ peer: "review", operation: "allows" })
      : Effect.succeed(namespace === "a" && group === "g.example" && resource === "evaluations" && verb === "get")
})
const groups = { service: "g.example", tracker: "t.example" }
const reviewed = app({
  authentication: Authentication.layerReviewed({ groups, allowSeconds: 60 }).pipe(Layer.provide(reviewer)),
  server: { local: false, rateLimit: { perSecond: 1, burst: 1 } }
})

const placed = app({
  authentication: Authentication.layerReviewed({ groups, allowSeconds: 60 }).pipe(
    Layer.provide(
      Layer.succeed(AccessReview, {
        identify: (token) => Effect.succeed({ username: Redacted.value(token), groups: [] }),
        allows: ({ username }, { verb }) => Effect.succeed(verb === "get" || username === "anna")
      })
    )
  ),
  server: { local: false }
}).pipe(
  Layer.provide(
    Layer.succeed(Placements, {
      offered: (tenant) => Effect.succeed({ hardwareProfiles: ["big"], queues: [`night-of-${tenant}`] })
    })
  )
)

layer(placed, live)("what a caller is told of profiles and queues", (it) => {
  it.effect("their names, when it may submit a job; else nothing", () =>
    Effect.gen(function* () {
      const http = yield* HttpApp
      const told = (user: string) =>
        Effect.map(
          http.send("GET", path, { headers: { authorization: `Bearer ${user}`, "x-tenant": "a" } }),
          ({ json }) => [at(json, "hardware_profiles"), at(json, "queues")]
        )
      assert.deepStrictEqual(yield* told("anna"), [["big"], ["night-of-a"]])
      assert.deepStrictEqual(yield* told("viewer"), [undefined, undefined])
    })
  )
})

layer(reviewed, live)("what a reviewed caller is told of itself", (it) => {
  const as = (user: string, tenant: string) => ({ authorization: `Bearer ${user}`, "x-tenant": tenant })
  it.effect("exactly what it may, and that it may nothing where it has no right", () =>
    Effect.gen(function* () {
      const http = yield* HttpApp
      const ask = (user: string, tenant: string) => http.send("GET", path, { headers: as(user, tenant) })
      assert.deepStrictEqual(at((yield* ask("anna", "a")).json, "caller"), {
        user: "anna",
        groups: ["team"],
        tenant: "a",
        allowed: { evaluations: ["get"] }
      })
      const nothing = yield* ask("anna", "b")
      assert.deepStrictEqual([nothing.status, at(nothing.json, "caller.allowed")], [200, {}])
    })
  )
  it.effect("nobody unknown, nobody without a tenant, and nothing while the reviewer is silent", () =>
    Effect.gen(function* () {
      const http = yield* HttpApp
      const code = (headers: { readonly [name: string]: string }) =>
        Effect.map(http.send("GET", path, { headers }), (answer) => answer.code)
      assert.strictEqual(yield* code({ "x-tenant": "a" }), "unauthorized")
      assert.strictEqual(yield* code(as("stranger", "a")), "unauthorized")
      assert.strictEqual(yield* code({ authorization: "Bearer anna" }), "missing_tenant_header")
      assert.strictEqual(yield* code(as("silence", "a")), "review_unavailable")
    })
  )
  it.effect("who has no right in a tenant does not use up its requests by asking", () =>
    Effect.gen(function* () {
      const http = yield* HttpApp
      for (let turn = 0; turn < 5; turn++)
        assert.strictEqual((yield* http.send("GET", path, { headers: as("eve", "a") })).status, 200)
      assert.strictEqual((yield* http.send("GET", jobsPath, { headers: as("anna", "a") })).status, 200)
    })
  )
})
