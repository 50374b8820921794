/** Explanations over HTTP: what is said of a real record, of whose tenant, and that a runtime that does not answer is no hindrance. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { Unavailable } from "../../../../../application/errors.ts"
import {
  layer as app,
  at,
  eventBody,
  HttpApp,
  idleRuntime,
  idOf,
  jobBody,
  jobsPath
} from "../../../../support/http-app.ts"

const live = { excludeTestServices: true } as const

const submitted = Effect.gen(function* () {
  const http = yield* HttpApp
  return idOf(yield* http.send("POST", jobsPath, { body: jobBody() }))
})

const explained = (id: string, headers: { readonly [name: string]: string } = {}) =>
  Effect.flatMap(HttpApp, (http) => http.send("GET", `${jobsPath}/${id}/explain`, { headers }))

const report = (id: string, event: { readonly [member: string]: unknown }) =>
  Effect.flatMap(HttpApp, (http) => http.send("POST", `${jobsPath}/${id}/events`, { body: eventBody(event) }))

layer(app(), live)("explanations over HTTP", (it) => {
  it.effect("follow the job: waiting for a place, failed by its first cause, and well after the remedy", () =>
    Effect.gen(function* () {
      const id = yield* submitted
      const queued = yield* explained(id)
      assert.deepStrictEqual(
        [queued.status, queued.headers["cache-control"], at(queued.json, "job"), at(queued.json, "state")],
        [200, "no-store", id, "pending"]
      )
      assert.strictEqual(at(queued.json, "findings.0.code"), "waiting_for_slot")
      yield* report(id, {
        status: "failed",
        error_message: { message: "lm_eval ended\nHTTP status 401 Unauthorized", message_code: "framework_failed" }
      })
      const failed = yield* explained(id)
      assert.deepStrictEqual(
        [at(failed.json, "state"), at(failed.json, "findings.0.code"), at(failed.json, "findings.0.evidence.0.kind")],
        ["failed", "model_authentication_failed", "log"]
      )
      assert.match(String(at(failed.json, "findings.0.remedy")), /secret_ref/)
      const again = yield* submitted
      yield* report(again, { status: "completed", metrics: { acc: 0.9 } })
      const well = yield* explained(again)
      assert.strictEqual(at(well.json, "state"), "completed")
      assert.notInclude(well.text, "model_authentication_failed")
    })
  )

  it.effect(
    "a job that waits for a place is told which job of its tenant has it, and of others only that they have one",
    () =>
      Effect.gen(function* () {
        const http = yield* HttpApp
        const first = yield* submitted
        yield* report(first, { status: "running" })
        const theirs = { "x-tenant": "others" }
        const foreign = idOf(yield* http.send("POST", jobsPath, { body: jobBody(), headers: theirs }))
        yield* http.send("POST", `${jobsPath}/${foreign}/events`, { body: eventBody(), headers: theirs })
        const waiting = yield* explained(yield* submitted)
        assert.strictEqual(at(waiting.json, "findings.0.code"), "waiting_for_slot")
        assert.include(waiting.text, `"ref":"jobs/${first}"`)
        assert.notInclude(waiting.text, foreign)
        assert.include(waiting.text, "another tenant has 1 place")
      })
  )

  it.effect("a gate that says NO-GO is the first thing to say of a job that completed", () =>
    Effect.gen(function* () {
      const http = yield* HttpApp
      const id = yield* submitted
      const lines = Array.from({ length: 100 }, (_, index) =>
        JSON.stringify({
          v: 1,
          sample_id: `s:${index}`,
          task: "t",
          index,
          repeat: 0,
          verdict: index < 50 ? "correct" : "incorrect"
        })
      )
      yield* http.send("POST", `${jobsPath}/${id}/benchmarks/0/samples`, {
        headers: { "content-type": "application/x-ndjson" },
        body: lines.join("\n")
      })
      yield* report(id, { status: "completed", metrics: { acc: 0.5 } })
      const policy = { criteria: [{ benchmark: "b", kind: "absolute", threshold: 0.9 }] }
      const gate = at((yield* http.send("POST", `${jobsPath}/${id}/gates`, { body: { policy } })).json, "resource.id")
      const { json } = yield* explained(id)
      assert.deepStrictEqual(
        [at(json, "findings.0.code"), at(json, "findings.0.evidence.0.ref")],
        ["gate_no_go", `gates/${String(gate)}`]
      )
    })
  )

  it.effect("a job of another tenant is answered as an absent one, and a query is refused", () =>
    Effect.gen(function* () {
      const id = yield* submitted
      const foreign = yield* explained(id, { "x-tenant": "other" })
      assert.deepStrictEqual([foreign.status, foreign.code], [404, "resource_not_found"])
      const http = yield* HttpApp
      assert.strictEqual((yield* http.send("GET", `${jobsPath}/${id}/explain?verbose=1`)).code, "query_bad_parameter")
    })
  )
})

const deaf = idleRuntime({
  kind: "cluster",
  observe: () => Effect.fail(new Unavailable({ peer: "cluster", operation: "observe" }))
})

layer(app({ runtime: deaf }), live)("explanations while the cluster does not answer", (it) => {
  it.effect("are made of the record alone", () =>
    Effect.gen(function* () {
      const { status, json } = yield* explained(yield* submitted)
      assert.deepStrictEqual([status, at(json, "findings.0.code")], [200, "launching"])
    })
  )
})
