/** Gates over HTTP: decisions, looks, refusals, tenants. */
import { assert, layer } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { gateKeeper } from "../../../../../application/decisions/job-gate.ts"
import { layer as app, at, HttpApp, jobBody, jobsPath } from "../../../../support/http-app.ts"
import { ended } from "./ended-job.ts"

const live = { excludeTestServices: true } as const

const absolute = { benchmark: "b", kind: "absolute", threshold: 0.8 }
const relative = { benchmark: "b", kind: "relative_to_baseline", tolerance: 0.05 }

const judge = (job: string, body: unknown, headers: { readonly [name: string]: string } = {}) =>
  Effect.flatMap(HttpApp, (http) => http.send("POST", `${jobsPath}/${job}/gates`, { headers, body }))

const get = (path: string, headers: { readonly [name: string]: string } = {}) =>
  Effect.flatMap(HttpApp, (http) => http.send("GET", path, { headers }))

layer(app(), live)("gates over HTTP", (it) => {
  it.effect("decide, are kept, found by job and baseline, and answered again while their inputs are the same", () =>
    Effect.gen(function* () {
      const [baseline, good, bad] = [
        yield* ended({ right: 190 }),
        yield* ended({ right: 188 }),
        yield* ended({ right: 130, model: "other" })
      ]
      const body = { policy: { name: "release", criteria: [absolute, relative] }, baseline: { job: baseline } }
      const made = yield* judge(good, body)
      assert.deepStrictEqual([made.status, at(made.json, "outcome"), at(made.json, "look")], [201, "GO", 1])
      const id = String(at(made.json, "resource.id"))
      assert.strictEqual(made.headers["location"], `${jobsPath}/${good}/gates/${id}`)
      assert.deepInclude(at(made.json, "criteria.0"), {
        ...{ benchmark: "b", metric: "acc", direction: "higher", kind: "absolute", threshold: 0.8, tier: "gating" },
        ...{ alpha: 0.05, outcome: "PASS", value: 0.94, n: 200 }
      })
      assert.deepInclude(at(made.json, "criteria.1"), { outcome: "PASS", baseline_value: 0.95, tolerance: 0.05 })
      assert.closeTo(Number(at(made.json, "criteria.1.loss")), 0.01, 1e-12)
      const again = yield* judge(good, body)
      assert.deepStrictEqual([again.status, again.text], [200, made.text])
      for (const job of [good, baseline]) {
        assert.strictEqual((yield* get(`${jobsPath}/${job}/gates/${id}`)).text, made.text)
        assert.deepStrictEqual(at((yield* get(`${jobsPath}/${job}/gates`)).json, "items.0"), made.json)
      }
      assert.strictEqual((yield* get(`${jobsPath}/${bad}/gates/${id}`)).status, 404)
      const refused = yield* judge(bad, body)
      assert.deepStrictEqual(
        [at(refused.json, "outcome"), at(refused.json, "criteria.0.outcome"), at(refused.json, "criteria.1.outcome")],
        ["NO-GO", "BREACH", "BREACH"]
      )
    })
  )

  it.effect("a comparison that was stored before leads to the same answer, and not to an older one", () =>
    Effect.gen(function* () {
      const http = yield* HttpApp
      const criteria = [relative, { ...relative, kind: "relative_fraction" }]
      const judged = (job: string, baseline: string, name: string) =>
        Effect.map(judge(job, { policy: { name, criteria }, baseline: { job: baseline } }), ({ json }) => [
          at(json, "outcome"),
          ...["value", "baseline_value", "n", "loss", "bounds", "p"].map((member) => at(json, `criteria.0.${member}`))
        ])
      const [baseline, candidate] = [yield* ended({ right: 190 }), yield* ended({ right: 184, model: "compared" })]
      const before = yield* judged(candidate, baseline, "before")
      const pair = { baseline: { job: baseline }, candidate: { job: candidate } }
      const comparison = yield* http.send("POST", "/api/v1/evaluations/comparisons", { body: pair })
      assert.strictEqual(comparison.status, 201)
      // another policy, so that it is no further look
      assert.deepStrictEqual(yield* judged(candidate, baseline, "after"), before)
      // of two other jobs
      const other = yield* ended({ right: 120, model: "compared with nothing" })
      assert.notDeepEqual(yield* judged(other, baseline, "other"), before)
    })
  )

  it.effect("another job of the same model is a further look, which has less of alpha left", () =>
    Effect.gen(function* () {
      const policy = { criteria: [{ ...absolute, threshold: 0.7 }] }
      const looks: Array<unknown> = []
      for (const right of [150, 151, 152]) {
        const { json } = yield* judge(yield* ended({ right, model: "tried" }), { policy })
        looks.push([at(json, "look"), at(json, "criteria.0.alpha")])
      }
      assert.deepStrictEqual(looks, [
        [1, 0.05],
        [2, 0.0125],
        [3, 0.00625]
      ])
      // another model, another policy: a first look
      const other = yield* judge(yield* ended({ right: 150, model: "fresh" }), { policy })
      assert.strictEqual(at(other.json, "look"), 1)
    })
  )

  it.effect("two that ask at the same moment have two looks", () =>
    Effect.gen(function* () {
      const policy = { criteria: [{ ...absolute, threshold: 0.6 }] }
      const jobs = yield* Effect.forEach([140, 141, 142, 143], (right) => ended({ right, model: "busy" }))
      const answers = yield* Effect.forEach(jobs, (job) => judge(job, { policy }), { concurrency: 4 })
      assert.sameMembers(
        answers.map(({ json }) => at(json, "look")),
        [1, 2, 3, 4]
      )
    })
  )

  it.effect("refuse what cannot be meant, with the member and the way out", () =>
    Effect.gen(function* () {
      const job = yield* ended({ right: 150 })
      const cases: ReadonlyArray<readonly [criteria: ReadonlyArray<unknown>, path: string, says: RegExp]> = [
        [[], "/policy/criteria", /1 to 100/],
        [[{ ...absolute, tier: "advisory" }], "/policy/criteria", /tier gating/],
        [[{ ...absolute, benchmark: "c" }], "/policy/criteria/0/benchmark", /there are 'b'/],
        [[{ ...absolute, metric: "accuracy" }], "/policy/criteria/0/metric", /it has 'acc'/],
        [[{ ...absolute, direction: "lower" }], "/policy/criteria/0/direction", /set it to higher/],
        [[{ ...absolute, threshold: 80 }], "/policy/criteria/0/threshold", /outside the scale/],
        [[absolute, { ...absolute, tolerance: 1 }], "/policy/criteria/1/tolerance", /relative_to_baseline/],
        [[relative], "/baseline", /name a finished job/]
      ]
      for (const [criteria, path, says] of cases) {
        const { status, code, json } = yield* judge(job, { policy: { criteria } })
        assert.deepStrictEqual([status, code, at(json, "errors.0.path")], [400, "policy_invalid", path])
        assert.match(String(at(json, "errors.0.message")), says)
      }
    })
  )

  it.effect("a policy that comes with a job is hashed with it and judges it when it has ended", () =>
    Effect.gen(function* () {
      const gate = { policy: { criteria: [absolute, relative] }, baseline: { job: yield* ended({ right: 190 }) } }
      const keeper = yield* Effect.fork(gateKeeper({ holder: "test", leaseMillis: 30_000, pollMillis: 20 }))
      const job = yield* ended({ right: 120, model: "gated", gate })
      const record = (yield* get(`${jobsPath}/${job}`)).json
      assert.deepStrictEqual(at(record, "gate.baseline"), gate.baseline)
      const gates = get(`${jobsPath}/${job}/gates`)
      const made = yield* Effect.repeat(Effect.zipLeft(gates, Effect.sleep("20 millis")), {
        until: ({ json }) => at(json, "total_count") === 1
      })
      yield* Fiber.interrupt(keeper)
      assert.strictEqual(at(made.json, "items.0.outcome"), "NO-GO")
      assert.strictEqual(at(made.json, "items.0.policy_sha256"), at(record, "gate.policy_sha256"))
    })
  )

  it.effect("a policy that comes with a job is checked before anything is stored", () =>
    Effect.gen(function* () {
      const http = yield* HttpApp
      const submit = (gate: unknown) => http.send("POST", jobsPath, { body: jobBody({ gate }) })
      const cases: ReadonlyArray<readonly [gate: unknown, code: string, path: string]> = [
        [
          { policy: { criteria: [{ ...absolute, benchmark: "c" }] } },
          "policy_invalid",
          "/gate/policy/criteria/0/benchmark"
        ],
        [{ policy: { criteria: [relative] } }, "policy_invalid", "/gate/baseline"],
        [
          { policy: { criteria: [relative] }, baseline: { job: "none" } },
          "resource_does_not_exist",
          "/gate/baseline/job"
        ],
        [{ policy: { criteria: [{ ...absolute, kind: "x" }] } }, "invalid_value", "/gate/policy/criteria/0/kind"]
      ]
      const before = at((yield* get(jobsPath)).json, "total_count")
      for (const [gate, code, path] of cases) {
        const answer = yield* submit(gate)
        assert.deepStrictEqual([answer.status, answer.code, at(answer.json, "errors.0.path")], [400, code, path])
      }
      assert.strictEqual(at((yield* get(jobsPath)).json, "total_count"), before)
    })
  )

  it.effect("jobs of another tenant are answered as absent ones", () =>
    Effect.gen(function* () {
      const [own, foreign] = [
        yield* ended({ right: 150 }),
        yield* ended({ right: 150, headers: { "x-tenant": "other" } })
      ]
      const policy = { criteria: [relative] }
      assert.strictEqual((yield* judge(foreign, { policy: { criteria: [absolute] } })).status, 404)
      const { status, code, json } = yield* judge(own, { policy, baseline: { job: foreign } })
      assert.deepStrictEqual(
        [status, code, at(json, "errors.0.path")],
        [400, "resource_does_not_exist", "/baseline/job"]
      )
    })
  )
})
