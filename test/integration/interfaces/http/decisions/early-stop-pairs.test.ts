/** Jobs that may stop early on a difference to their baseline, over HTTP, with servers that keep no texts: from the submission to the gate, and in a rerun. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { JobStore } from "../../../../../application/ports/stores/job-store.ts"
import { SamplePolicy } from "../../../../../application/samples/add-samples.ts"
import { layer as app, at, eventBody, HttpApp, idOf, jobsPath } from "../../../../support/http-app.ts"
import { type Submitted, stoppableProvider, submitted } from "./stoppable-job.ts"

const live = { excludeTestServices: true } as const
const hashed = Layer.succeed(SamplePolicy, { maxPerJob: 10_000, content: "hash" })
const of = 200

const end = (id: string, providerId: string, index: number, given: object) =>
  Effect.flatMap(HttpApp, (http) =>
    http.send("POST", `${jobsPath}/${id}/events`, {
      body: eventBody({ id: index === 0 ? "b" : "c", provider_id: providerId, benchmark_index: index, ...given })
    })
  )

/** every tenth is wrong; a run that stops asks them in another order */
const records = (asked: number) =>
  Array.from({ length: asked }, (_, index) => {
    const item = asked === of ? index : (index * 7) % of
    const verdict = item % 10 === 3 ? "incorrect" : "correct"
    const prompt = `what is ${item}?`
    const digest = `${"a".repeat(60)}${String(item).padStart(4, "0")}`
    return JSON.stringify({
      v: 1,
      sample_id: `i${item}`,
      task: "b",
      index,
      repeat: 0,
      prompt,
      prompt_sha256: digest,
      verdict,
      score: Number(verdict === "correct")
    })
  }).join("\n")

const asked = 150
const acc = (count: number) => {
  const right = records(count).split('"verdict":"correct"').length - 1
  return right / count
}

const upload = (id: string, count: number) =>
  Effect.flatMap(HttpApp, (http) =>
    http.send("POST", `${jobsPath}/${id}/benchmarks/0/samples`, {
      headers: { "content-type": "application/x-ndjson" },
      body: records(count)
    })
  )

/** a job that asked all items, both of whose benchmarks have ended */
const wholeJob = (providerId: string, given: Submitted & { readonly samples?: boolean } = {}) =>
  Effect.gen(function* () {
    const id = idOf(yield* submitted(providerId, {}, given))
    if (given.samples !== false) yield* upload(id, of)
    yield* end(id, providerId, 0, { status: "completed", metrics: { acc: acc(of) } })
    yield* end(id, providerId, 1, { status: "completed", metrics: { acc: 1 } })
    return id
  })

const early = (baseline: string, alpha = 0.05) => ({
  early_stop: { alpha },
  gate: {
    policy: { criteria: [{ benchmark: "b", kind: "relative_to_baseline", tolerance: 0.2 }] },
    baseline: { job: baseline }
  }
})

const planOf = (id: string) =>
  Effect.gen(function* () {
    const { benchmark } = yield* (yield* JobStore).loadBenchmark(id, 0)
    return benchmark.snapshot.earlyStop
  })

/** by the policy that came with the job */
const decided = (id: string, baseline: string) =>
  Effect.gen(function* () {
    const { gate } = early(baseline)
    const answer = yield* (yield* HttpApp).send("POST", `${jobsPath}/${id}/gates`, { body: gate })
    return answer.json
  })

layer(app().pipe(Layer.provide(hashed)), live)("early stop against a baseline over HTTP", (it) => {
  it.effect(
    "its items are what is watched for; the gate tells the loss; a rerun carries it, and each look has less of alpha",
    () =>
      Effect.gen(function* () {
        const http = yield* HttpApp
        const own = yield* stoppableProvider
        const baseline = yield* wholeJob(own)
        const made = yield* submitted(own, early(baseline))
        const id = idOf(made)
        const plan = yield* planOf(id)
        assert.deepStrictEqual(plan?.criteria, [{ kind: "relative_to_baseline", tolerance: 0.2, alpha: 0.05 }])
        assert.strictEqual(Object.keys(plan?.baseline?.items ?? {}).length, of)
        assert.deepInclude(plan?.baseline?.items, { i0: 1, i3: 0 })
        assert.notInclude(made.text, "i199")
        yield* upload(id, asked)
        yield* end(id, own, 0, {
          status: "completed",
          metrics: { acc: acc(asked) },
          additional_info: { stopping: { stopped: true, asked, of, alpha: 0.05, outcome: "PASS" } }
        })
        yield* end(id, own, 1, {
          status: "failed",
          error_message: { message: "it broke", message_code: "framework_failed" }
        })
        const first = yield* decided(id, baseline)
        assert.strictEqual(at(first, "outcome"), "GO")
        assert.deepInclude(at(first, "criteria.0"), {
          ...{ kind: "relative_to_baseline", outcome: "PASS", n: asked, loss: 0, alpha: 0.05 },
          baseline_value: acc(of),
          early_stopped: { asked, of, alpha: 0.05 }
        })
        // the second look: carried as it stopped, and judged with a quarter of alpha
        const again = idOf(
          yield* http.send("POST", `${jobsPath}/${id}/rerun`, { body: { which: "failed", reuse: true } })
        )
        const rerun = (yield* http.send("GET", `${jobsPath}/${again}`)).json
        assert.deepStrictEqual(
          [at(rerun, "early_stop"), at(rerun, "results.benchmarks.0.early_stopped"), at(rerun, "gate.baseline.job")],
          [{ alpha: 0.05 }, { asked, of }, baseline]
        )
        yield* end(again, own, 1, { status: "completed", metrics: { acc: 1 } })
        const second = yield* decided(again, baseline)
        assert.deepStrictEqual([at(second, "look"), at(second, "outcome")], [2, "GO"])
        assert.deepInclude(at(second, "criteria.0"), {
          ...{ outcome: "PASS", alpha: 0.05 / 4 },
          early_stopped: { asked, of, alpha: 0.05 }
        })
        // what the next one is stopped for is what it will be judged by
        const third = yield* planOf(idOf(yield* submitted(own, early(baseline))))
        assert.deepStrictEqual(
          third?.criteria.map(({ alpha }) => alpha),
          [0.05 / 8]
        )
      })
  )

  it.effect("is refused with the reason at the baseline where its items can not be paired", () =>
    Effect.gen(function* () {
      const own = yield* stoppableProvider
      const running = idOf(yield* submitted(own))
      const bare = yield* wholeJob(own, { samples: false })
      const seeded = yield* wholeJob(own, { parameters: { seed: 7 } })
      const stopped = idOf(yield* submitted(own, early(yield* wholeJob(own))))
      yield* upload(stopped, asked)
      const stopping = { stopping: { stopped: true, asked, of } }
      yield* end(stopped, own, 0, { status: "completed", metrics: { acc: acc(asked) }, additional_info: stopping })
      const cases: ReadonlyArray<readonly [baseline: string, code: string, says: RegExp]> = [
        ["nowhere", "resource_does_not_exist", /does not exist/],
        [running, "early_stop_unsupported", /is pending there, not completed; name one that serves/],
        [bare, "early_stop_unsupported", /has no scored samples/],
        [seeded, "early_stop_unsupported", /seed 7, num_examples all\) than it will here \(seed 42/],
        [stopped, "early_stop_unsupported", /stopped early after 150 of 200 items there/]
      ]
      for (const [baseline, code, says] of cases) {
        const { status, json } = yield* submitted(own, early(baseline))
        assert.deepStrictEqual(
          [status, at(json, "errors.0.message_code") ?? code, at(json, "errors.0.path")],
          [400, code, "/gate/baseline/job"]
        )
        assert.match(String(at(json, "errors.0.message")), says)
      }
    })
  )
})
