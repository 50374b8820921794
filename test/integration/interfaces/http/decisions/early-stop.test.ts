/** A job that may stop early, from its submission to the decision of its gate, over HTTP. */
import { assert, layer } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { gateKeeper } from "../../../../../application/decisions/job-gate.ts"
import { layer as app, at, eventBody, HttpApp, idOf, jobsPath } from "../../../../support/http-app.ts"
import { stoppableProvider, submitted } from "./stoppable-job.ts"

const live = { excludeTestServices: true } as const
const criterion = { benchmark: "b", kind: "absolute", threshold: 0.7 }

const early = { early_stop: { alpha: 0.05 } }

layer(app(), live)("early stop over HTTP", (it) => {
  it.effect("is refused with the member and the way out where the items come in no order of ours", () =>
    Effect.gen(function* () {
      const own = yield* stoppableProvider
      const policy = (...criteria: ReadonlyArray<object>) => ({ ...early, gate: { policy: { criteria } } })
      const relative = { benchmark: "b", kind: "relative_to_baseline", tolerance: 0.1 }
      const cases: ReadonlyArray<readonly [given: object, path: string, says: RegExp]> = [
        [early, "/early_stop", /give it a gate/],
        [policy({ ...criterion, benchmark: "c" }), "/gate/policy/criteria/0/benchmark", /order of its items/],
        [
          policy(criterion, { ...criterion, metric: "f1", direction: "higher" }),
          "/gate/policy/criteria/1/metric",
          /watches the primary metric/
        ]
      ]
      for (const [given, path, says] of cases) {
        const { status, code, json } = yield* submitted(own, given, { model: "m" })
        assert.deepStrictEqual([status, code, at(json, "errors.0.path")], [400, "early_stop_unsupported", path])
        assert.match(String(at(json, "errors.0.message")), says)
      }
      const baseline = idOf(yield* submitted(own, {}, { model: "m" }))
      const difference = yield* submitted(own, {
        ...early,
        gate: { policy: { criteria: [relative] }, baseline: { job: baseline } }
      })
      assert.deepStrictEqual(
        [difference.code, at(difference.json, "errors.0.path")],
        ["early_stop_unsupported", "/gate/baseline/job"]
      )
      const wide = yield* submitted(own, { early_stop: { alpha: 0.5 }, gate: { policy: { criteria: [criterion] } } })
      assert.deepStrictEqual([wide.code, at(wide.json, "errors.0.path")], ["invalid_value", "/early_stop/alpha"])
    })
  )

  it.effect(
    "the result says where it stopped, has the interval of the stop, is decided by its gate and not compared",
    () =>
      Effect.gen(function* () {
        const http = yield* HttpApp
        const own = yield* stoppableProvider
        const keeper = yield* Effect.fork(gateKeeper({ holder: "test", leaseMillis: 30_000, pollMillis: 20 }))
        const made = yield* submitted(
          own,
          { ...early, gate: { policy: { criteria: [criterion] } } },
          { model: "stopped" }
        )
        assert.deepStrictEqual(at(made.json, "early_stop"), early.early_stop)
        const id = idOf(made)
        const asked = 60
        yield* http.send("POST", `${jobsPath}/${id}/benchmarks/0/samples`, {
          headers: { "content-type": "application/x-ndjson" },
          body: Array.from({ length: asked }, (_, index) =>
            JSON.stringify({
              ...{
                v: 1,
                sample_id: `t:${(index * 7) % asked}`,
                task: "t",
                index,
                repeat: 0,
                score: index % 20 === 3 ? 0 : 1
              },
              verdict: index % 20 === 3 ? "incorrect" : "correct"
            })
          ).join("\n")
        })
        const end = (index: number, given: object) =>
          http.send("POST", `${jobsPath}/${id}/events`, {
            body: eventBody({
              ...{ id: index === 0 ? "b" : "c", provider_id: own, benchmark_index: index, status: "completed" },
              ...given
            })
          })
        yield* end(0, {
          metrics: { acc: 0.95 },
          metrics_schema: [{ name: "acc", n: asked, ci: [0.78, 0.99], ci_level: 0.9, ci_method: "betting" }],
          additional_info: { stopping: { stopped: true, asked, of: 1000, alpha: 0.05, outcome: "PASS" } }
        })
        // says the same without being asked to stop
        yield* end(1, {
          metrics: { acc: 0.95 },
          additional_info: { stopping: { stopped: true, asked, of: 1000 } }
        })
        const { json } = yield* http.send("GET", `${jobsPath}/${id}`)
        assert.deepStrictEqual(at(json, "results.benchmarks.0.early_stopped"), { asked, of: 1000 })
        assert.deepInclude(at(json, "results.benchmarks.0.test.interval"), {
          low: 0.78,
          high: 0.99,
          level: 0.9,
          method: "betting",
          n: asked
        })
        assert.isUndefined(at(json, "results.benchmarks.1.early_stopped"))
        const gates = http.send("GET", `${jobsPath}/${id}/gates`)
        const decided = yield* Effect.repeat(Effect.zipLeft(gates, Effect.sleep("20 millis")), {
          until: ({ json }) => at(json, "total_count") === 1
        })
        yield* Fiber.interrupt(keeper)
        assert.strictEqual(at(decided.json, "items.0.outcome"), "GO")
        assert.deepInclude(at(decided.json, "items.0.criteria.0"), {
          ...{ outcome: "PASS", n: asked, alpha: 0.05 },
          early_stopped: { asked, of: 1000, alpha: 0.05 }
        })
        // a second job of the model is a second look, for which it is watched with what is left of alpha
        const second = yield* submitted(
          own,
          { ...early, gate: { policy: { criteria: [criterion] } } },
          { model: "stopped" }
        )
        assert.strictEqual(second.status, 202)
        const compared = yield* http.send("POST", "/api/v1/evaluations/comparisons", {
          body: { baseline: { job: id }, candidate: { job: idOf(second) } }
        })
        assert.include(compared.text, "early_stopped")
      })
  )
})
