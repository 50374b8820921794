import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { parse } from "yaml"
import { Unavailable } from "../../../../application/errors.ts"
import { requestCodes } from "../../../../interfaces/http/groups/request-codes.ts"
import { Dependencies } from "../../../../interfaces/http/readiness.ts"
import { layer as app, at, HttpApp, idleRuntime, jobsPath } from "../../../support/http-app.ts"

const live = { excludeTestServices: true } as const

layer(app(), live)("the service's own routes", (it) => {
  it.effect("health answers at both paths, HEAD included", () =>
    Effect.gen(function* () {
      const http = yield* HttpApp
      for (const path of ["/health", "/api/v1/health"]) {
        const answer = yield* http.send("GET", path)
        assert.deepStrictEqual(
          [answer.status, at(answer.json, "status"), at(answer.json, "build")],
          [200, "healthy", "0.0.0-test"]
        )
        const head = yield* http.send("HEAD", path)
        assert.deepStrictEqual(
          [head.status, head.text, head.headers["content-length"]],
          [200, "", answer.headers["content-length"]]
        )
      }
    })
  )

  it.effect("readiness names every dependency", () =>
    Effect.gen(function* () {
      const http = yield* HttpApp
      const answer = yield* http.send("GET", "/api/v1/health/ready")
      assert.strictEqual(answer.status, 200)
      assert.deepStrictEqual(at(answer.json, "dependencies"), [
        { name: "database", ok: true },
        { name: "local_runtime", ok: true }
      ])
    })
  )

  it.effect("the document is served as YAML and as JSON, with entity tags", () =>
    Effect.gen(function* () {
      const http = yield* HttpApp
      const yaml = yield* http.send("GET", "/openapi.yaml")
      const json = yield* http.send("GET", "/openapi.yaml", { headers: { accept: "application/json" } })
      assert.strictEqual(yaml.headers["content-type"], "application/yaml")
      assert.strictEqual(at(json.json, "openapi"), "3.1.0")
      assert.deepStrictEqual(parse(yaml.text), json.json)
      const again = yield* http.send("GET", "/openapi.yaml", {
        headers: { "if-none-match": String(yaml.headers["etag"]) }
      })
      assert.deepStrictEqual([again.status, again.text], [304, ""])
      assert.notStrictEqual(yaml.headers["etag"], json.headers["etag"])
    })
  )

  it.effect("the documentation page fetches nothing from elsewhere", () =>
    Effect.gen(function* () {
      const http = yield* HttpApp
      const page = yield* http.send("GET", "/docs")
      assert.strictEqual(page.status, 200)
      assert.include(page.text, "SwaggerUIBundle")
      assert.include(page.text, "/api/v1/evaluations/jobs")
      assert.notMatch(page.text.replaceAll(/<script[\s\S]*?<\/script>|<style[\s\S]*?<\/style>/g, ""), /(src|href)=/)
      assert.include(String(page.headers["content-security-policy"]), "connect-src 'self'")
    })
  )

  it.effect("metrics name routes by pattern, never by path", () =>
    Effect.gen(function* () {
      const http = yield* HttpApp
      yield* http.send("GET", `${jobsPath}/some-job-id`)
      yield* http.send("GET", "/no/such/path")
      const { text } = yield* http.send("GET", "/metrics")
      assert.match(
        text,
        /evald_http_request_duration_seconds_count\{method="GET",route="\/api\/v1\/evaluations\/jobs\/:id",status="404"\} 1/
      )
      assert.include(text, 'route="unmatched"')
      assert.notInclude(text, "some-job-id")
      assert.notInclude(text, "/no/such/path")
      assert.include(text, "evald_process_cpu_seconds_total")
    })
  )

  it.effect("unknown paths, other methods and unwanted media types have their own answers", () =>
    Effect.gen(function* () {
      const http = yield* HttpApp
      const unknown = yield* http.send("GET", "/api/v1/evaluations/nothing")
      assert.deepStrictEqual([unknown.status, unknown.code], [404, "route_not_found"])
      const method = yield* http.send("PATCH", jobsPath, { body: {} })
      assert.deepStrictEqual(
        [method.status, method.code, method.headers["allow"]],
        [405, "method_not_allowed", "GET, HEAD, POST"]
      )
      const options = yield* http.send("OPTIONS", `${jobsPath}/x`)
      assert.deepStrictEqual([options.status, options.headers["allow"]], [405, "DELETE, GET, HEAD"])
      const media = yield* http.send("GET", jobsPath, { headers: { accept: "text/html" } })
      assert.deepStrictEqual([media.status, media.code], [406, "not_acceptable"])
      const preferred = yield* http.send("GET", jobsPath, {
        headers: { accept: "text/html;q=0.9, application/*;q=0.1" }
      })
      assert.strictEqual(preferred.status, 200)
    })
  )

  it.effect("the trace of an error is the request's id, given or made", () =>
    Effect.gen(function* () {
      const http = yield* HttpApp
      const given = yield* http.send("GET", "/nope", {
        headers: { "x-request-id": "abc-1", "x-global-transaction-id": "tx-9" }
      })
      assert.deepStrictEqual(
        [given.headers["x-request-id"], at(given.json, "trace"), given.headers["x-global-transaction-id"]],
        ["abc-1", "abc-1", "tx-9"]
      )
      const insane = yield* http.send("GET", "/nope", { headers: { "x-request-id": "a b\tc" } })
      assert.notStrictEqual(insane.headers["x-request-id"], "a b\tc")
      assert.strictEqual(at(insane.json, "trace"), insane.headers["x-request-id"])
      const [one, two] = [yield* http.send("GET", "/nope"), yield* http.send("GET", "/nope")]
      assert.notStrictEqual(one.headers["x-request-id"], two.headers["x-request-id"])
    })
  )

  it.effect("error bodies repeat their message as detail", () =>
    Effect.gen(function* () {
      const http = yield* HttpApp
      const { json } = yield* http.send("GET", `${jobsPath}/nobody`)
      assert.strictEqual(at(json, "detail"), at(json, "message"))
      assert.property(requestCodes, String(at(json, "message_code")))
    })
  )
})

layer(app({ settings: { metricsEnabled: false } }), live)("without metrics", (it) => {
  it.effect("the route is not there", () =>
    Effect.gen(function* () {
      const answer = yield* (yield* HttpApp).send("GET", "/metrics")
      assert.deepStrictEqual([answer.status, answer.code], [404, "route_not_found"])
    })
  )
})

const down = (peer: "cluster") => new Unavailable({ peer, operation: "ping" })

layer(app({ runtime: idleRuntime({ kind: "cluster", ping: down("cluster") }) }), live)("without the cluster", (it) => {
  it.effect("the service is not ready", () =>
    Effect.gen(function* () {
      const answer = yield* (yield* HttpApp).send("GET", "/api/v1/health/ready")
      assert.strictEqual(answer.status, 503)
      assert.deepStrictEqual(at(answer.json, "dependencies.1"), {
        name: "cluster",
        ok: false,
        detail: "does not answer"
      })
      assert.strictEqual((yield* (yield* HttpApp).send("GET", "/api/v1/health")).status, 200)
    })
  )
})

const tracker = Layer.succeed(Dependencies, [
  { name: "tracker", required: false, check: Effect.fail("connection refused") }
])

layer(app().pipe(Layer.provide(tracker)), live)("without the tracking server", (it) => {
  it.effect("the service stays ready and says so", () =>
    Effect.gen(function* () {
      const answer = yield* (yield* HttpApp).send("GET", "/api/v1/health/ready")
      assert.strictEqual(answer.status, 200)
      assert.deepStrictEqual(at(answer.json, "dependencies.2"), {
        name: "tracker",
        ok: false,
        detail: "connection refused"
      })
    })
  )
})
