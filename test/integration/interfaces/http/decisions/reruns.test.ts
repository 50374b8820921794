/** Reruns over HTTP: new jobs, carried results with their samples, refusals, tenants, keys. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { JobStore } from "../../../../../application/ports/stores/job-store.ts"
import { layer as app, at, eventBody, HttpApp, idOf, jobBody, jobsPath } from "../../../../support/http-app.ts"

const live = { excludeTestServices: true } as const

const b = (given: { readonly [member: string]: unknown } = {}) => ({ id: "b", provider_id: "p", ...given })

const send = (method: string, path: string, body?: unknown, headers: { readonly [name: string]: string } = {}) =>
  Effect.flatMap(HttpApp, (http) => http.send(method, path, { headers, ...(body === undefined ? {} : { body }) }))

/** a job of two benchmarks, the first completed with three samples, the second failed */
const halfDone = (given: { readonly [member: string]: unknown } = {}) =>
  Effect.gen(function* () {
    const id = idOf(yield* send("POST", jobsPath, jobBody({ benchmarks: [b(), b({ weight: 2 })], ...given })))
    const path = `${jobsPath}/${id}`
    const records = [0, 1, 2].map((index) =>
      JSON.stringify({ v: 1, sample_id: `s${index}`, task: "t", index, repeat: 0, verdict: "correct" })
    )
    yield* send("POST", `${path}/benchmarks/0/samples`, records.join("\n"), { "content-type": "application/x-ndjson" })
    yield* send("POST", `${path}/events`, eventBody({ status: "completed", metrics: { acc: 1 } }))
    const failure = { message: "it broke", message_code: "framework_failed" }
    yield* send("POST", `${path}/events`, eventBody({ benchmark_index: 1, status: "failed", error_message: failure }))
    return id
  })

const rerun = (id: string, body: unknown, headers: { readonly [name: string]: string } = {}) =>
  send("POST", `${jobsPath}/${id}/rerun`, body, headers)

layer(app(), live)("reruns over HTTP", (it) => {
  it.effect("run what failed, carry the rest with its samples, and end with a score of both", () =>
    Effect.gen(function* () {
      const old = yield* halfDone()
      const before = (yield* send("GET", `${jobsPath}/${old}`)).text
      const made = yield* rerun(old, { which: "failed", reuse: true, overrides: { name: "again" } })
      assert.strictEqual(made.status, 202)
      const id = idOf(made)
      assert.strictEqual(made.headers["location"], `${jobsPath}/${id}`)
      assert.strictEqual((yield* send("GET", `${jobsPath}/${id}`)).text, made.text)
      assert.deepStrictEqual(
        [at(made.json, "name"), at(made.json, "rerun_of"), at(made.json, "status.state")],
        ["again", { job: old, which: "failed", reuse: true }, "running"]
      )
      const from = { job: old, benchmark_index: 0 }
      assert.deepStrictEqual(
        [at(made.json, "results.benchmarks.0.carried_from"), at(made.json, "status.benchmarks.0.carried_from")],
        [from, from]
      )
      assert.strictEqual(at(made.json, "status.benchmarks.1.status"), "pending")
      // nothing of the old job changed, and its reruns are found
      assert.strictEqual((yield* send("GET", `${jobsPath}/${old}`)).text, before)
      const found = yield* send("GET", `${jobsPath}?rerun_of=${old}`)
      assert.deepStrictEqual([at(found.json, "total_count"), at(found.json, "items.0.resource.id")], [1, id])
      const samples = `${jobsPath}/${id}/benchmarks/0/samples`
      assert.strictEqual(at((yield* send("GET", samples)).json, "total_count"), 3)
      assert.strictEqual((yield* send("GET", `${samples}/s1?task=t`)).status, 200)
      // a carried result is as fixed as any other
      const late = yield* send("POST", `${jobsPath}/${id}/events`, eventBody({ status: "failed" }))
      assert.strictEqual(late.code, "benchmark_can_not_be_updated")
      yield* send(
        "POST",
        `${jobsPath}/${id}/events`,
        eventBody({ benchmark_index: 1, status: "completed", metrics: { acc: 0.25 } })
      )
      const { json } = yield* send("GET", `${jobsPath}/${id}`)
      assert.deepStrictEqual(
        [at(json, "status.state"), at(json, "results.test.score"), at(json, "results.test.coverage")],
        ["completed", 0.5, 1]
      )
    })
  )

  it.effect("a comparison reads the samples of a carried result where they lie", () =>
    Effect.gen(function* () {
      const old = yield* halfDone()
      const id = idOf(yield* rerun(old, { which: "failed", reuse: true }))
      yield* send(
        "POST",
        `${jobsPath}/${id}/events`,
        eventBody({ benchmark_index: 1, status: "completed", metrics: { acc: 1 } })
      )
      const { status, json } = yield* send("POST", "/api/v1/evaluations/comparisons", {
        baseline: { job: old },
        candidate: { job: id }
      })
      assert.deepStrictEqual(
        [status, at(json, "candidates.0.benchmarks.0.n"), at(json, "candidates.0.benchmarks.0.difference")],
        [201, 3, 0]
      )
    })
  )

  it.effect("without reuse have the failed benchmarks alone; only these are launched", () =>
    Effect.gen(function* () {
      const old = yield* halfDone()
      const made = yield* rerun(old, { which: "failed", overrides: { parameters: { seed: 7 } } })
      assert.deepStrictEqual(at(made.json, "benchmarks"), [b({ weight: 2, parameters: { seed: 7 } })])
      const job = yield* (yield* JobStore).load("default", idOf(made))
      assert.deepStrictEqual(
        job.benchmarks.map(({ state }) => state),
        ["pending"]
      )
    })
  )

  it.effect("are made once under a key, which belongs to one job", () =>
    Effect.gen(function* () {
      const [one, other] = [yield* halfDone(), yield* halfDone()]
      const key = { "idempotency-key": "rerun-1" }
      const first = yield* rerun(one, { which: "failed" }, key)
      const again = yield* rerun(one, { which: "failed" }, key)
      assert.deepStrictEqual(
        [again.status, again.headers["idempotent-replayed"], idOf(again)],
        [202, "true", idOf(first)]
      )
      assert.strictEqual((yield* rerun(other, { which: "failed" }, key)).code, "idempotency_key_reused")
    })
  )

  it.effect("are refused with the member and the way out, and store nothing", () =>
    Effect.gen(function* () {
      const old = yield* halfDone()
      const before = at((yield* send("GET", jobsPath)).json, "total_count")
      const model = { url: "http://model.example.com/v1", name: "other" }
      const cases: ReadonlyArray<readonly [body: unknown, code: string, path: string]> = [
        [{}, "invalid_value", "/which"],
        [{ which: "some" }, "invalid_value", "/which"],
        [{ which: "invalid" }, "invalid_value", "/which"],
        [{ which: "failed", reuse: 1 }, "invalid_value", "/reuse"],
        [{ which: "failed", overrides: { benchmarks: [] } }, "invalid_value", "/overrides/benchmarks"],
        [{ which: "failed", reuse: true, overrides: { model } }, "invalid_value", "/overrides/model"],
        [{ which: "failed", overrides: { name: "" } }, "invalid_value", "/overrides/name"],
        [{ which: "failed", overrides: { model: { ...model, url: "x" } } }, "invalid_value", "/overrides/model/url"]
      ]
      for (const [body, code, path] of cases) {
        const answer = yield* rerun(old, body)
        assert.deepStrictEqual(
          [answer.status, answer.code, at(answer.json, "errors.0.path")],
          [400, code, path],
          JSON.stringify(body)
        )
      }
      assert.strictEqual((yield* rerun(old, { which: "all" }, { "x-tenant": "other" })).status, 404)
      assert.strictEqual(at((yield* send("GET", jobsPath)).json, "total_count"), before)
    })
  )
})
