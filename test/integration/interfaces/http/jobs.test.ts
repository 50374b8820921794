import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { layer as app, at, eventBody, HttpApp, idOf, jobBody, jobsPath } from "../../../support/http-app.ts"

const live = { excludeTestServices: true } as const

layer(app(), live)("jobs over HTTP", (it) => {
  it.effect("a submitted job answers 202 with exactly what the following GET answers", () =>
    Effect.gen(function* () {
      const http = yield* HttpApp
      const created = yield* http.send("POST", jobsPath, {
        body: jobBody({ description: "d", tags: ["a", "b"], custom: { any: [1, { deep: null }] } })
      })
      assert.strictEqual(created.status, 202)
      assert.strictEqual(created.headers["location"], `${jobsPath}/${idOf(created)}`)
      const read = yield* http.send("GET", `${jobsPath}/${idOf(created)}`)
      assert.strictEqual(read.status, 200)
      assert.strictEqual(read.text, created.text)
      assert.strictEqual(read.headers["etag"], created.headers["etag"])
      assert.deepStrictEqual(at(read.json, "status.benchmarks.0.status"), "pending")
      assert.deepStrictEqual(at(read.json, "custom"), { any: [1, { deep: null }] })
    })
  )

  it.effect("every benchmark is listed as pending from the first answer on", () =>
    Effect.gen(function* () {
      const http = yield* HttpApp
      const benchmarks = Array.from({ length: 3 }, () => ({ id: "b", provider_id: "p" }))
      const created = yield* http.send("POST", jobsPath, { body: jobBody({ benchmarks }) })
      const states = (
        at(created.json, "status.benchmarks") as ReadonlyArray<{
          readonly status: string
          readonly benchmark_index: number
        }>
      ).map((one) => [one.benchmark_index, one.status])
      assert.deepStrictEqual(states, [
        [0, "pending"],
        [1, "pending"],
        [2, "pending"]
      ])
      assert.strictEqual(at(created.json, "status.message.message_code"), "evaluation_job_created")
    })
  )

  it.effect("events drive a job to completed with a score", () =>
    Effect.gen(function* () {
      const http = yield* HttpApp
      const id = idOf(yield* http.send("POST", jobsPath, { body: jobBody() }))
      const started = yield* http.send("POST", `${jobsPath}/${id}/events`, {
        body: eventBody({ phase: "initializing" })
      })
      assert.deepStrictEqual(
        [started.status, at(started.json, "state"), at(started.json, "applied")],
        [200, "running", true]
      )
      const done = yield* http.send("POST", `${jobsPath}/${id}/events`, {
        body: eventBody({ status: "completed", metrics: { acc: 0.75 } })
      })
      assert.strictEqual(at(done.json, "state"), "completed")
      const job = yield* http.send("GET", `${jobsPath}/${id}`)
      assert.strictEqual(at(job.json, "results.benchmarks.0.test.primary_score"), 0.75)
      assert.strictEqual(at(job.json, "results.benchmarks.0.test.pass"), true)
      assert.strictEqual(at(job.json, "results.test.score"), 0.75)
      assert.strictEqual(at(job.json, "status.message.message_code"), "evaluation_job_updated")
      const late = yield* http.send("POST", `${jobsPath}/${id}/events`, { body: eventBody() })
      assert.deepStrictEqual([late.status, late.code], [409, "job_can_not_be_updated"])
    })
  )

  it.effect(
    "an event without provider_id is taken when the benchmark's id is unique in the job, and refused otherwise",
    () =>
      Effect.gen(function* () {
        const http = yield* HttpApp
        const submit = (...names: ReadonlyArray<string>) =>
          Effect.map(
            http.send("POST", jobsPath, {
              body: jobBody({ benchmarks: names.map((id) => ({ id, provider_id: "p" })) })
            }),
            idOf
          )
        const plain = { benchmark_status_event: { id: "b", status: "running" } }
        const taken = yield* http.send("POST", `${jobsPath}/${yield* submit("plain", "b")}/events`, { body: plain })
        assert.deepStrictEqual([taken.status, at(taken.json, "benchmark.benchmark_index")], [200, 1])
        const refused = yield* http.send("POST", `${jobsPath}/${yield* submit("b", "b")}/events`, { body: plain })
        assert.deepStrictEqual([refused.status, refused.code], [400, "invalid_value"])
      })
  )

  it.effect("a repeated tags filter asks for all of them, together with what each one says", () =>
    Effect.gen(function* () {
      const http = yield* HttpApp
      const headers = { "x-tenant": "tagged" }
      const submit = (...tags: ReadonlyArray<string>) =>
        Effect.map(http.send("POST", jobsPath, { headers, body: jobBody({ tags }) }), idOf)
      const [ab, abc, ac] = [yield* submit("a", "b"), yield* submit("a", "b", "c"), yield* submit("a", "c")]
      const found = (query: string) =>
        Effect.map(http.send("GET", `${jobsPath}?${query}`, { headers }), ({ json }) =>
          (at(json, "items") as ReadonlyArray<unknown>).map((item) => at(item, "resource.id"))
        )
      assert.sameMembers(yield* found("tags=a&tags=b"), [ab, abc])
      assert.sameMembers(yield* found("tags=a&tags=b|c"), [ab, abc, ac])
      assert.sameMembers(yield* found("tags=a,b&tags=c"), [abc])
      const first = yield* http.send("GET", `${jobsPath}?tags=a&tags=b&limit=1`, { headers })
      const next = yield* http.send("GET", String(at(first.json, "next.href")), { headers })
      assert.strictEqual(at(next.json, "items.0.resource.id"), ab, "the links keep both")
      assert.strictEqual(
        (yield* http.send("GET", `${jobsPath}?status=pending&status=running`, { headers })).code,
        "query_parameter_invalid"
      )
    })
  )

  it.effect("a terminal event is never refused over a side detail: defaults are used and a Warning says so", () =>
    Effect.gen(function* () {
      const http = yield* HttpApp
      const id = idOf(yield* http.send("POST", jobsPath, { body: jobBody() }))
      const body = eventBody({ status: "failed", completed_at: 1_765_000_000, error_message: { message: "broke" } })
      const taken = yield* http.send("POST", `${jobsPath}/${id}/events`, { body })
      assert.deepStrictEqual([taken.status, at(taken.json, "state")], [200, "failed"], taken.text)
      assert.strictEqual(at(taken.json, "benchmark.error_message.message_code"), "benchmark_failed")
      assert.include(String(at(taken.json, "benchmark.completed_at")), "T")
      assert.include(
        String(taken.headers["warning"]),
        "completed_at must be a string, got 1765000000; the server's clock is used"
      )
      assert.include(String(taken.headers["warning"]), "error_message has no message_code; benchmark_failed is used")
    })
  )

  it.effect(
    "what was changed of a result is in the Warning header and in the record, and the primary metric is never dropped",
    () =>
      Effect.gen(function* () {
        const http = yield* HttpApp
        const id = idOf(yield* http.send("POST", jobsPath, { body: jobBody() }))
        const many = Object.fromEntries(Array.from({ length: 5000 }, (_, at) => [`m${at}`, at]))
        const body = JSON.stringify(
          eventBody({
            status: "completed",
            metrics: { ...many, text: "x", acc: 0.75 },
            artifacts: { big: "x".repeat(70_000) },
            additional_info: { id: 0 }
          })
        ).replace('"id":0', '"id":9007199254740993')
        const path = `${jobsPath}/${id}/events`
        const taken = yield* http.send("POST", path, { body })
        assert.strictEqual(taken.status, 200, taken.text)
        const notes = [
          "integers beyond 2^53 were rounded, send them as texts to keep every digit: /benchmark_status_event/additional_info/id became 9007199254740992",
          "2 of 5002 metrics were dropped: at most 5000 with a usable name are kept, the primary one always",
          "the artifacts big are larger than 65536 bytes and were replaced by a note"
        ]
        for (const note of notes) assert.include(String(taken.headers["warning"]), note)
        const { json } = yield* http.send("GET", `${jobsPath}/${id}`)
        assert.deepStrictEqual(at(json, "results.benchmarks.0.notes"), notes)
        assert.strictEqual(at(json, "results.benchmarks.0.test.primary_score"), 0.75)
        const metrics = at(json, "results.benchmarks.0.metrics") as object
        assert.deepStrictEqual(
          [Object.keys(metrics).length, Object.keys(metrics)[0], "m4999" in metrics],
          [5000, "acc", false]
        )
      })
  )

  it.effect("cancelling is repeatable, cancelling a finished job is a conflict, a hard delete works in any state", () =>
    Effect.gen(function* () {
      const http = yield* HttpApp
      const id = idOf(yield* http.send("POST", jobsPath, { body: jobBody() }))
      assert.strictEqual(
        (yield* http.send("DELETE", `${jobsPath}/${id}`, { headers: { "content-type": "application/json" } })).status,
        204
      )
      assert.strictEqual((yield* http.send("DELETE", `${jobsPath}/${id}`)).status, 204)
      const { json } = yield* http.send("GET", `${jobsPath}/${id}`)
      assert.strictEqual(at(json, "status.state"), "cancelled")
      const why = {
        message: "Evaluation job cancelled",
        message_code: "evaluation_job_cancelled",
        message_origin: "server"
      }
      assert.deepStrictEqual(at(json, "status.benchmarks.0.error_message"), why)
      const event = yield* http.send("POST", `${jobsPath}/${id}/events`, { body: eventBody() })
      assert.strictEqual(event.code, "job_can_not_be_updated")

      const done = idOf(yield* http.send("POST", jobsPath, { body: jobBody() }))
      yield* http.send("POST", `${jobsPath}/${done}/events`, { body: eventBody({ status: "failed" }) })
      const refused = yield* http.send("DELETE", `${jobsPath}/${done}`)
      assert.deepStrictEqual(
        [refused.status, at(refused.json, "message")],
        [409, `job ${done} can not be cancelled because it is failed`]
      )
      assert.strictEqual((yield* http.send("DELETE", `${jobsPath}/${done}?hard_delete=true`)).status, 204)
      assert.strictEqual((yield* http.send("GET", `${jobsPath}/${done}`)).code, "resource_not_found")
      assert.strictEqual(
        (yield* http.send("POST", `${jobsPath}/${done}/events`, { body: eventBody() })).code,
        "resource_not_found"
      )
    })
  )
})
