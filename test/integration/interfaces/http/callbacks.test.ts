import { assert, layer } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { UnitSecrets } from "../../../../application/ports/stores/unit-secrets.ts"
import { layer as app, at, eventBody, HttpApp, idOf, jobBody, jobsPath } from "../../../support/http-app.ts"

const live = { excludeTestServices: true } as const
const eventsOf = (id: string) => `${jobsPath}/${id}/events`
const two = {
  benchmarks: [
    { id: "b", provider_id: "p" },
    { id: "b", provider_id: "p" }
  ]
}

const issue = (jobId: string, index: number, tenant = "default") =>
  Effect.gen(function* () {
    const unit = { tenant, jobId, index, attempt: 1 }
    return { unit, secret: Redacted.value(yield* (yield* UnitSecrets).issue(unit)) }
  })

layer(app(), live)("callback addresses", (it) => {
  it.effect("a unit reports its own benchmark without headers, whatever its tenant", () =>
    Effect.gen(function* () {
      const http = yield* HttpApp
      const id = idOf(yield* http.send("POST", jobsPath, { headers: { "x-tenant": "team" }, body: jobBody(two) }))
      const { secret } = yield* issue(id, 1, "team")
      const answer = yield* http.send("POST", `/cb/${secret}${eventsOf(id)}`, {
        body: eventBody({ benchmark_index: 1 })
      })
      assert.deepStrictEqual(
        [answer.status, at(answer.json, "benchmark.benchmark_index"), at(answer.json, "applied")],
        [200, 1, true],
        answer.text
      )
      // the address names the benchmark, so an event without an index is not ambiguous
      const plain = yield* http.send("POST", `/cb/${secret}${eventsOf(id)}`, {
        body: eventBody({ benchmark_index: undefined, status: "completed", metrics: { acc: 1 } })
      })
      assert.deepStrictEqual([plain.status, at(plain.json, "benchmark.benchmark_index")], [200, 1])
    })
  )

  it.effect("the secret of an address is not told to the readers of a job by an adapter that names it", () =>
    Effect.gen(function* () {
      const http = yield* HttpApp
      const id = idOf(yield* http.send("POST", jobsPath, { body: jobBody() }))
      const { secret } = yield* issue(id, 0)
      const message = `The model endpoint http://127.0.0.1:1/cb/${secret}/model/v1 answered 502`
      const answer = yield* http.send("POST", `/cb/${secret}${eventsOf(id)}`, {
        body: eventBody({ status: "failed", error_message: { message, message_code: "model_server_error" } })
      })
      const job = yield* http.send("GET", `${jobsPath}/${id}`)
      assert.deepStrictEqual([answer.status, job.text.includes(secret)], [200, false])
      assert.include(job.text, "http://127.0.0.1:1/cb/***/model/v1 answered 502")
    })
  )

  it.effect("another job, benchmark or name is forbidden or refused", () =>
    Effect.gen(function* () {
      const http = yield* HttpApp
      const id = idOf(yield* http.send("POST", jobsPath, { body: jobBody(two) }))
      const other = idOf(yield* http.send("POST", jobsPath, { body: jobBody(two) }))
      const { secret } = yield* issue(id, 0)
      const foreignJob = yield* http.send("POST", `/cb/${secret}${eventsOf(other)}`, { body: eventBody() })
      assert.deepStrictEqual([foreignJob.status, foreignJob.code], [403, "forbidden"])
      const foreignIndex = yield* http.send("POST", `/cb/${secret}${eventsOf(id)}`, {
        body: eventBody({ benchmark_index: 1 })
      })
      assert.deepStrictEqual([foreignIndex.status, foreignIndex.code], [403, "forbidden"])
      for (const wrong of [{ provider_id: "q" }, { id: "plain" }]) {
        const answer = yield* http.send("POST", `/cb/${secret}${eventsOf(id)}`, { body: eventBody(wrong) })
        assert.deepStrictEqual([answer.status, answer.code], [403, "forbidden"], JSON.stringify(wrong))
      }
      assert.strictEqual(at((yield* http.send("GET", `${jobsPath}/${other}`)).json, "status.state"), "pending")
    })
  )

  it.effect("everything else has the bytes of an unknown route", () =>
    Effect.gen(function* () {
      const http = yield* HttpApp
      const id = idOf(yield* http.send("POST", jobsPath, { body: jobBody() }))
      const { secret, unit } = yield* issue(id, 0)
      const headers = { "x-request-id": "same" }
      const unknown = (yield* http.send("GET", "/nowhere", { headers })).text
      const wrong = secret.replace(/.$/, secret.endsWith("A") ? "B" : "A")
      const paths: ReadonlyArray<readonly [string, string]> = [
        ["POST", `/cb/${wrong}${eventsOf(id)}`],
        ["POST", `/cb/short${eventsOf(id)}`],
        ["GET", `/cb/${secret}${eventsOf(id)}`],
        ["GET", `/cb/${secret}${jobsPath}/${id}`],
        ["GET", `/cb/${secret}`],
        ["GET", `/cb/${secret}/`],
        ["GET", `/cb/${secret}/api/v1/health`],
        ["POST", `/cb/${secret}/model/v1/chat/completions`],
        ["GET", `/cb/${secret}/v2/`],
        ["GET", "/cb/"],
        ["GET", "/cb"]
      ]
      for (const [method, path] of paths) {
        const answer = yield* http.send(method, path, { headers, ...(method === "POST" ? { body: eventBody() } : {}) })
        assert.deepStrictEqual([answer.status, answer.text], [404, unknown], `${method} ${path}`)
      }
      yield* (yield* UnitSecrets).retire(unit, 0)
      assert.strictEqual(
        (yield* http.send("POST", `/cb/${secret}${eventsOf(id)}`, { headers, body: eventBody() })).text,
        unknown
      )
    })
  )

  it.effect("secrets appear in no metric", () =>
    Effect.gen(function* () {
      const http = yield* HttpApp
      const id = idOf(yield* http.send("POST", jobsPath, { body: jobBody() }))
      const { secret } = yield* issue(id, 0)
      yield* http.send("POST", `/cb/${secret}${eventsOf(id)}`, { body: eventBody() })
      const { text } = yield* http.send("GET", "/metrics")
      assert.notInclude(text, secret)
      assert.include(text, 'route="/cb/:secret/*"')
      assert.include(text, 'evald_status_events_total{outcome="applied"}')
    })
  )

  it.effect("pages of other sites and other hosts are kept out", () =>
    Effect.gen(function* () {
      const http = yield* HttpApp
      for (const headers of [
        { host: "evil.example" },
        { host: "127.0.0.1.evil.example" },
        { origin: "http://evil.example" },
        { origin: "null" },
        { origin: `http://localhost:${http.port + 1}` }
      ]) {
        const answer = yield* http.send("GET", jobsPath, { headers })
        assert.deepStrictEqual([answer.status, answer.code], [403, "forbidden"], JSON.stringify(headers))
        assert.isUndefined(answer.headers["access-control-allow-origin"])
      }
      for (const headers of [
        { host: `localhost:${http.port}` },
        { host: "[::1]:80" },
        { host: `127.0.0.1:${http.port}`, origin: `http://127.0.0.1:${http.port}` }
      ]) {
        assert.strictEqual((yield* http.send("GET", jobsPath, { headers })).status, 200, JSON.stringify(headers))
      }
    })
  )

  it.effect("adapters without a tenant header reach a job of any tenant on the plain path", () =>
    Effect.gen(function* () {
      const http = yield* HttpApp
      const id = idOf(yield* http.send("POST", jobsPath, { headers: { "x-tenant": "team" }, body: jobBody() }))
      assert.strictEqual((yield* http.send("POST", eventsOf(id), { body: eventBody() })).status, 200)
      assert.strictEqual(
        (yield* http.send("POST", eventsOf(id), { headers: { "x-tenant": "other" }, body: eventBody() })).code,
        "resource_not_found"
      )
    })
  )
})

layer(app({ settings: { reporting: { secretOnly: true } } }), live)("with local.require_callback_secret", (it) => {
  it.effect("the plain path refuses events", () =>
    Effect.gen(function* () {
      const http = yield* HttpApp
      const id = idOf(yield* http.send("POST", jobsPath, { body: jobBody() }))
      const answer = yield* http.send("POST", eventsOf(id), { body: eventBody() })
      assert.deepStrictEqual([answer.status, answer.code], [403, "forbidden"])
      const { secret } = yield* issue(id, 0)
      assert.strictEqual((yield* http.send("POST", `/cb/${secret}${eventsOf(id)}`, { body: eventBody() })).status, 200)
    })
  )
})
