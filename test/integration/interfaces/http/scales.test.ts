/** Scales of metrics and limits of validity, from what is asked for to the verdict. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { layer as app, at, eventBody, HttpApp, idOf, jobBody, jobsPath } from "../../../support/http-app.ts"

const providersPath = "/api/v1/evaluations/providers"
const provider = (benchmark: object) => ({
  name: "own",
  runtime: { local: { command: "run" } },
  benchmarks: [{ id: "b", ...benchmark }]
})

/** a job of one's own provider whose adapter reports `acc` */
const judged = (benchmark: object, acc: number, entry: object = {}) =>
  Effect.gen(function* () {
    const http = yield* HttpApp
    const made = yield* http.send("POST", providersPath, { body: provider(benchmark) })
    assert.strictEqual(made.status, 201, made.text)
    const provider_id = idOf(made)
    const job = yield* http.send("POST", jobsPath, {
      body: jobBody({ benchmarks: [{ id: "b", provider_id, ...entry }] })
    })
    assert.strictEqual(job.status, 202, job.text)
    const path = `${jobsPath}/${idOf(job)}`
    const metrics_schema = [{ name: "acc", n: 200, stderr: 3.4, clusters: 200 }]
    yield* http.send("POST", `${path}/events`, {
      body: eventBody({ provider_id, status: "completed", metrics: { acc }, metrics_schema })
    })
    const { json } = yield* http.send("GET", path)
    return {
      test: at(json, "results.benchmarks.0.test"),
      job: at(json, "results.test"),
      notes: at(json, "results.benchmarks.0.notes")
    }
  })

layer(app(), { excludeTestServices: true })("scales over HTTP", (it) => {
  it.effect(
    "40 percent against a threshold of 0.5 is no pass (it was 1.000 PASS), and the note says how to mend it",
    () =>
      Effect.gen(function* () {
        const result = yield* judged({ primary_score: { metric: "acc" }, pass_criteria: { threshold: 0.5 } }, 40)
        assert.deepStrictEqual(result.test, {
          ...{ primary_score: 40, primary_score_metric: "acc", lower_is_better: false, threshold: 0.5 },
          decided: "inconclusive"
        })
        assert.isUndefined(result.job)
        assert.match(
          JSON.stringify(result.notes),
          /value_outside_scale: 'acc' is 40, outside its scale 0\.\.1.*primary_score\.scale/
        )
      })
  )
  it.effect("with its scale declared it is what it is: 40 of 100, judged on its own scale", () =>
    Effect.gen(function* () {
      const declared = { primary_score: { metric: "acc", scale: "percent" }, pass_criteria: { threshold: 50 } }
      const result = yield* judged(declared, 40)
      assert.deepInclude(result.test, { pass: false, decided: "fail" })
      assert.deepInclude(result.job, { score: 0.4, coverage: 1, pass: false, decided: "fail" })
      assert.isUndefined(result.notes)
      // an entry that names the same metric need not say it again; its own threshold stands on that scale
      const entry = { primary_score: { metric: "acc" }, pass_criteria: { threshold: 30 } }
      assert.deepInclude((yield* judged(declared, 40, entry)).test, { threshold: 30, pass: true, decided: "pass" })
      const rating = { primary_score: { metric: "acc", scale: { min: 1, max: 5 } }, pass_criteria: { threshold: 3 } }
      assert.deepInclude((yield* judged(rating, 4)).job, { score: 0.75, pass: true })
    })
  )
  it.effect(
    "a provider shows its scale again; what is none, or stands beside a threshold that is not on it, is refused with its place",
    () =>
      Effect.gen(function* () {
        const http = yield* HttpApp
        const scale = { min: -1, max: 1 }
        const made = yield* http.send("POST", providersPath, {
          body: provider({ primary_score: { metric: "acc", scale } })
        })
        assert.deepStrictEqual(at(made.json, "benchmarks.0.primary_score"), {
          metric: "acc",
          lower_is_better: false,
          scale
        })
        const refusedWith = (primary: object, threshold?: number) =>
          Effect.map(
            http.send("POST", providersPath, {
              body: provider({
                primary_score: { metric: "acc", ...primary },
                ...(threshold === undefined ? {} : { pass_criteria: { threshold } })
              })
            }),
            ({ status, json }) => [status, at(json, "errors.0.path"), at(json, "errors.0.message_code")]
          )
        const at0 = "/benchmarks/0"
        assert.deepStrictEqual(yield* refusedWith({ scale: { min: 5, max: 1 } }), [
          400,
          `${at0}/primary_score/scale`,
          "invalid_value"
        ])
        assert.deepStrictEqual(yield* refusedWith({ scale: "unit" }, 38), [
          400,
          `${at0}/pass_criteria/threshold`,
          "invalid_value"
        ])
        for (const wrong of ["Percent", { min: 1 }, 7, { min: 0, max: 1, unit: "x" }]) {
          const [status, path] = yield* refusedWith({ scale: wrong })
          assert.strictEqual(status, 400, JSON.stringify(wrong))
          assert.match(String(path), /^\/benchmarks\/0\/primary_score\/scale/)
        }
        const job = jobBody({
          benchmarks: [
            {
              id: "b",
              provider_id: "p",
              primary_score: { metric: "acc", scale: "percent" },
              pass_criteria: { threshold: 101 }
            }
          ]
        })
        const refused = yield* http.send("POST", jobsPath, { body: job })
        assert.deepStrictEqual(
          [refused.status, at(refused.json, "errors.0.path"), at(refused.json, "errors.0.message")],
          [
            400,
            "/benchmarks/0/pass_criteria/threshold",
            "'benchmarks.0.pass_criteria.threshold' 101 lies outside the scale 0..100 of 'acc'"
          ]
        )
      })
  )
})

/** what an adapter says against its score */
const empty = {
  ...{ code: "empty_responses", level: "blocking", count: 5, of: 100, limit: 0.01, samples: [] },
  message: "5 of 100 answers are empty"
}

layer(app(), { excludeTestServices: true })("limits of validity over HTTP", (it) => {
  const believed = (members: object) =>
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
      assert.deepStrictEqual(yield* believed({}), { shown: undefined, validity: "invalid" })
      const validity_limits = { empty_responses: 0.1, few_items: 10 }
      assert.deepStrictEqual(yield* believed({ validity_limits }), { shown: validity_limits, validity: "valid" })
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
