/** Comparisons over HTTP: outcomes from uploaded samples, refusals, tenants, repetition. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { layer as app, at, HttpApp, jobsPath } from "../../../../support/http-app.ts"
import { ended, type Run } from "./ended-job.ts"

const live = { excludeTestServices: true } as const
const comparisonsPath = "/api/v1/evaluations/comparisons"

const compare = (body: unknown, headers: { readonly [name: string]: string } = {}) =>
  Effect.flatMap(HttpApp, (http) => http.send("POST", comparisonsPath, { headers, body }))

const get = (path: string, headers: { readonly [name: string]: string } = {}) =>
  Effect.flatMap(HttpApp, (http) => http.send("GET", path, { headers }))

const first = "candidates.0.benchmarks.0"

layer(app(), live)("comparisons over HTTP", (it) => {
  it.effect(
    "are made once, kept, found by each of their jobs, and answered again while their inputs are the same",
    () =>
      Effect.gen(function* () {
        const [baseline, candidate] = [yield* ended({ right: 180 }), yield* ended({ right: 150 })]
        const body = { baseline: { job: baseline }, candidate: { job: candidate }, tolerance: 0.05 }
        const made = yield* compare(body)
        assert.strictEqual(made.status, 201)
        const id = String(at(made.json, "resource.id"))
        assert.strictEqual(made.headers["location"], `${comparisonsPath}/${id}`)
        assert.deepInclude(at(made.json, first), {
          ...{ provider_id: "p", id: "b", outcome: "worse", metric: "acc", n: 200, b: 30, c: 0, difference: -0.15 },
          ...{ method: "bonett_price", discordance: 0.15, p_better: 1 }
        })
        assert.deepInclude(at(made.json, "candidates.0.overall"), { outcome: "worse", difference: -0.15 })
        assert.deepInclude(at(made.json, `${first}.baseline`), { score: 0.9 })
        const again = yield* compare(body)
        assert.deepStrictEqual([again.status, again.text], [200, made.text])
        const read = yield* get(`${comparisonsPath}/${id}`)
        assert.strictEqual(read.text, made.text)
        const etag = { "if-none-match": String(read.headers["etag"]) }
        assert.strictEqual((yield* get(`${comparisonsPath}/${id}`, etag)).status, 304)
        for (const job of [baseline, candidate]) {
          const list = yield* get(`${jobsPath}/${job}/comparisons`)
          assert.deepStrictEqual([at(list.json, "total_count"), at(list.json, "items.0")], [1, made.json])
        }
        // other words for the same thing
        const other = yield* compare({ ...body, tolerance: 0.2 })
        assert.deepStrictEqual([other.status, at(other.json, `${first}.outcome`)], [201, "not_worse"])
        const list = yield* get(`${jobsPath}/${baseline}/comparisons?limit=1`)
        assert.deepStrictEqual([at(list.json, "total_count"), at(list.json, "items.0")], [2, other.json])
      })
  )

  it.effect("hold several candidates against one baseline", () =>
    Effect.gen(function* () {
      const [baseline, same, better] = [
        yield* ended({ right: 100 }),
        yield* ended({ right: 100 }),
        yield* ended({ right: 140 })
      ]
      const made = yield* compare({ baseline: { job: baseline }, candidates: [{ job: same }, { job: better }] })
      const outcomes = [0, 1].map((number) => at(made.json, `candidates.${number}.benchmarks.0.outcome`))
      assert.deepStrictEqual(outcomes, ["no_difference_shown", "better"])
    })
  )

  it.effect("say why they compare nothing", () =>
    Effect.gen(function* () {
      const baseline = yield* ended({ right: 100 })
      const reasonOf = (run: Run) =>
        Effect.gen(function* () {
          const made = yield* compare({ baseline: { job: baseline }, candidate: { job: yield* ended(run) } })
          return [at(made.json, `${first}.outcome`), at(made.json, `${first}.reason`), at(made.json, `${first}.count`)]
        })
      assert.deepStrictEqual(yield* reasonOf({ right: 90, words: "b" }), ["not_comparable", "prompts_differ", 200])
      assert.deepStrictEqual(yield* reasonOf({ right: 90, value: 0.7 }), [
        "not_comparable",
        "metric_not_a_mean",
        undefined
      ])
      assert.deepStrictEqual(yield* reasonOf({ right: 80, of: 160 }), ["inconclusive", "incomplete_pairs", undefined])
    })
  )

  it.effect("a job of another tenant is answered as one that does not exist", () =>
    Effect.gen(function* () {
      const [own, foreign] = [
        yield* ended({ right: 100 }),
        yield* ended({ right: 90, headers: { "x-tenant": "other" } })
      ]
      const absent = "0198b2a0-0000-7000-8000-00000000dead"
      const answers = yield* Effect.forEach([foreign, absent], (job) =>
        Effect.map(compare({ baseline: { job: own }, candidate: { job } }), ({ status, text }) =>
          JSON.stringify([status, text.replaceAll(job, "JOB").replace(/"trace":"[^"]*"/, "")])
        )
      )
      assert.strictEqual(answers[0], answers[1])
      assert.match(answers[0] ?? "", /^\[400,.*resource_does_not_exist/)
      const made = yield* compare({ baseline: { job: own }, candidate: { job: yield* ended({ right: 90 }) } })
      const path = `${comparisonsPath}/${String(at(made.json, "resource.id"))}`
      assert.strictEqual((yield* get(path, { "x-tenant": "other" })).status, 404)
      assert.strictEqual((yield* get(`${jobsPath}/${own}/comparisons`, { "x-tenant": "other" })).status, 404)
    })
  )

  it.effect("refuse what cannot be meant, with the member and the way out", () =>
    Effect.gen(function* () {
      const job = yield* ended({ right: 100 })
      const other = { job: yield* ended({ right: 100 }) }
      const cases: ReadonlyArray<readonly [body: unknown, path: string]> = [
        [{ candidate: other }, "/baseline"],
        [{ baseline: { job } }, "/candidates"],
        [{ baseline: { job }, candidate: { job } }, "/candidate/job"],
        [{ baseline: { job }, candidates: [other, other] }, "/candidates/1/job"],
        [{ baseline: { job }, candidate: other, alpha: 0.3 }, "/alpha"],
        [{ baseline: { job }, candidate: other, alpha: 0 }, "/alpha"],
        [{ baseline: { job }, candidate: other, tolerance: -1 }, "/tolerance"],
        [{ baseline: { job }, candidate: other, benchmarks: [{ id: "unknown" }] }, "/benchmarks/0/id"],
        [{ baseline: { job }, candidate: other, tolerence: 1 }, "/tolerence"]
      ]
      for (const [body, path] of cases) {
        const { status, json } = yield* compare(body)
        assert.deepStrictEqual([status, at(json, "errors.0.path")], [400, path])
      }
    })
  )
})
