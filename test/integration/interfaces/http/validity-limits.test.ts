/** Limits of validity that a job brings, from its body to its verdict. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { layer as app, at, eventBody, HttpApp, idOf, jobBody, jobsPath } from "../../../support/http-app.ts"

const empty = {
  ...{ code: "empty_responses", level: "blocking", count: 5, of: 100, limit: 0.01, samples: [] },
  message: "5 of 100 answers are empty"
}

layer(app(), { excludeTestServices: true })("limits of validity over HTTP", (it) => {
  const judged = (members: object) =>
    Effect.gen(function* () {
      const http = yield* HttpApp
      const job = yield* http.send("POST", jobsPath, { body: { ...jobBody(), ...members } })
      assert.strictEqual(job.status, 202, job.text)
      const path = `${jobsPath}/${idOf(job)}`
      const metrics = { acc: 0.9 }
      yield* http.send("POST", `${path}/events`, {
        body: eventBody({ status: "completed", metrics, additional_info: { flags: [empty] } })
      })
      const { json } = yield* http.send("GET", path)
      return { shown: at(json, "validity_limits"), validity: at(json, "results.benchmarks.0.validity.status") }
    })
  it.effect("the job's own limit is what its result is held against, and stands in its record", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* judged({}), { shown: undefined, validity: "invalid" })
      const validity_limits = { empty_responses: 0.1, few_items: 10 }
      assert.deepStrictEqual(yield* judged({ validity_limits }), { shown: validity_limits, validity: "valid" })
    })
  )
  it.effect("a limit that is none is refused with its place, and a misspelt one is not ignored", () =>
    Effect.gen(function* () {
      const http = yield* HttpApp
      const refused = yield* http.send("POST", jobsPath, {
        body: { ...jobBody(), validity_limits: { truncate: 0.1, error_share: 7 } }
      })
      assert.strictEqual(refused.status, 400)
      assert.deepStrictEqual(
        [at(refused.json, "errors.0.path"), at(refused.json, "errors.1.path")],
        ["/validity_limits/truncate", "/validity_limits/error_share"]
      )
      const unread = yield* http.send("POST", jobsPath, {
        body: { ...jobBody(), validity_limits: { truncated: "0.1" } }
      })
      assert.strictEqual(unread.status, 400, unread.text)
    })
  )
})
