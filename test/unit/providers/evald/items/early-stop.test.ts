/** A run that stops asking when its part in the gate is certain enough. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { JobSpec } from "../../../../../providers/contract/job-spec.ts"
import type { SampleRecord } from "../../../../../providers/contract/sample-record.ts"
import { arithmeticSolver } from "../../../../../providers/demo-model/solvers/arithmetic.ts"
import { arithBasic } from "../../../../../providers/evald/arithmetic/arith-basic.ts"
import { rescore } from "../../../../../providers/evald/rescore.ts"
import type { ChatMessage } from "../../../../../providers/sdk/model/model-exchange.ts"
import { failure, fakeClient, jobOf, metric, run, scoreOf, temporaryFolder } from "../fake-client.ts"

const right = (messages: ReadonlyArray<ChatMessage>): string =>
  arithmeticSolver.solve({ messages, tools: [] }, () => 0.5)?.right.text ?? "?"

const primary = "exact_match_flexible"
const stopping = (threshold: number, given: Partial<JobSpec["early_stop"]> = {}): Partial<JobSpec> => ({
  primary_score: { metric: primary, lower_is_better: false },
  early_stop: { alpha: 0.05, gating: 1, criteria: [{ threshold, alpha: 0.05 }], ...given }
})
const told = (results: { readonly additionalInfo?: { readonly [member: string]: unknown } }) =>
  results.additionalInfo?.["stopping"]

const recordsIn = (folder: string): ReadonlyArray<SampleRecord> =>
  readFileSync(join(folder, "samples", "arith_basic.ndjson"), "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as SampleRecord)

describe("early stop of the embedded provider", () => {
  it.effect("asks no more when a perfect model has passed for certain, and says so with an interval that holds", () =>
    Effect.gen(function* () {
      const client = fakeClient(right)
      const results = yield* run(arithBasic, client, { job: stopping(0.7), parameters: { num_concurrent: 1 } })
      const asked = client.chats.length
      assert.isBelow(asked, 60)
      assert.deepStrictEqual(told(results), { stopped: true, asked, alpha: 0.05, of: 200, outcome: "PASS" })
      const { value, n, ci, ciMethod, ciLevel, successes, stderr } = metric(results, primary)
      assert.deepStrictEqual(
        [value, n, ciMethod, ciLevel, successes, stderr],
        [1, asked, "betting", 0.9, undefined, undefined]
      )
      assert.isAbove(ci?.[0] ?? 0, 0.6)
      // of a number of items that was not fixed before
      assert.isUndefined(metric(results, "exact_match").ci)
      assert.isUndefined(metric(results, "error_rate").ci)
    })
  )

  it.effect(
    "a model that is wrong breaches; one at the threshold is asked everything, and has its usual interval",
    () =>
      Effect.gen(function* () {
        const bad = yield* run(
          arithBasic,
          fakeClient(() => "0"),
          { job: stopping(0.7) }
        )
        assert.deepInclude(told(bad), { stopped: true, outcome: "BREACH" })
        const middling = yield* run(
          arithBasic,
          fakeClient((messages, call) => (call % 10 < 7 ? right(messages) : "0")),
          { job: stopping(0.7), parameters: { num_concurrent: 1 } }
        )
        assert.deepStrictEqual(told(middling), { stopped: false, asked: 200, alpha: 0.05, of: 200 })
        assert.strictEqual(metric(middling, primary).ciMethod, "clopper_pearson")
      })
  )

  it.scoped(
    "items are asked in a seeded order of their own, which is that of the records; many at once stop as one at a time does",
    () =>
      Effect.gen(function* () {
        const folder = yield* temporaryFolder
        const plain = yield* temporaryFolder
        const first = yield* run(arithBasic, fakeClient(right), {
          job: stopping(0.7),
          folder,
          parameters: { num_concurrent: 1 }
        })
        yield* run(arithBasic, fakeClient(right), { folder: plain })
        const stopped = recordsIn(folder).map((record) => record.sample_id)
        assert.deepStrictEqual(
          recordsIn(folder).map(({ index }) => index),
          stopped.map((_, at) => at)
        )
        assert.notDeepEqual(
          stopped,
          recordsIn(plain)
            .slice(0, stopped.length)
            .map((record) => record.sample_id)
        )
        assert.deepInclude(first.additionalInfo?.["sampling"], { order: "shuffled", method: "all" })
        const many = yield* run(arithBasic, fakeClient(right), {
          job: stopping(0.7),
          parameters: { num_concurrent: 8 }
        })
        assert.deepInclude(told(many), { stopped: true, outcome: "PASS" })
        assert.closeTo(Number(metric(many, primary).n), stopped.length, 8)
      })
  )

  it.scoped(
    "goes on where it was interrupted, with the answers it has, and its records make the same metrics again",
    () =>
      Effect.gen(function* () {
        const folder = yield* temporaryFolder
        const job = { ...stopping(0.7), samples: { write: true, include_text: true } }
        const parameters = { num_concurrent: 1, max_error_rate: 0 }
        const reply = (messages: ReadonlyArray<ChatMessage>) => right(messages)
        yield* Effect.flip(
          run(
            arithBasic,
            fakeClient((messages, call) => (call > 10 ? failure("model_authentication_failed") : reply(messages))),
            {
              ...{ job, folder, parameters }
            }
          )
        )
        const second = fakeClient(reply)
        const results = yield* run(arithBasic, second, { job, folder, parameters })
        const asked = Number(metric(results, primary).n)
        assert.strictEqual(second.chats.length, asked - 10)
        const again = yield* rescore(jobOf(arithBasic, parameters, job), recordsIn(folder))
        assert.strictEqual(again.records, asked)
        assert.deepStrictEqual(
          again.metrics.map(({ name, value }) => [name, value]),
          results.metrics.map(({ name, value }) => [name, value])
        )
      })
  )

  it.effect("items that finally fail count against either outcome", () =>
    Effect.gen(function* () {
      const client = fakeClient((messages, call) => (call % 3 === 0 ? failure("model_server_error") : right(messages)))
      const results = yield* run(arithBasic, client, { job: stopping(0.7), parameters: { max_error_rate: 0.5 } })
      // of all items two thirds are right and a third may be anything
      assert.deepInclude(told(results), { stopped: false, asked: 200 })
      assert.strictEqual(scoreOf(results, primary), 1)
    })
  )

  it.effect("several criteria: all must pass, and a breach must survive their number", () =>
    Effect.gen(function* () {
      const two = { criteria: [0.5, 0.95].map((threshold) => ({ threshold, alpha: 0.05 })), gating: 2 }
      const good = yield* run(arithBasic, fakeClient(right), {
        job: stopping(0, two),
        parameters: { num_concurrent: 1 }
      })
      const one = yield* run(arithBasic, fakeClient(right), { job: stopping(0.5), parameters: { num_concurrent: 1 } })
      assert.deepInclude(told(good), { stopped: true, outcome: "PASS" })
      assert.isAbove(Number(metric(good, primary).n), Number(metric(one, primary).n))
    })
  )
})

/** every item of the benchmark with the same value */
const baselineOf = (
  results: { readonly additionalInfo?: { readonly [member: string]: unknown } },
  ids: ReadonlyArray<string>
) => {
  const dataset = results.additionalInfo?.["dataset"]
  return {
    dataset_sha256: String(
      typeof dataset === "object" && dataset !== null && "sha256" in dataset ? dataset.sha256 : ""
    ),
    items: Object.fromEntries(ids.map((id) => [id, 1]))
  }
}
const against = (
  tolerance: number,
  baseline: NonNullable<JobSpec["early_stop"]>["baseline"],
  kind: "relative_to_baseline" | "relative_fraction" = "relative_to_baseline"
) => stopping(0, { criteria: [{ kind, tolerance, alpha: 0.05 }], ...(baseline === undefined ? {} : { baseline }) })
const one = { num_concurrent: 1 }

describe("early stop against a baseline", () => {
  it.scoped(
    "an equal model has passed and a broken one breached long before all items; both kinds of tolerance do",
    () =>
      Effect.gen(function* () {
        const folder = yield* temporaryFolder
        const before = yield* run(arithBasic, fakeClient(right), { folder })
        const baseline = baselineOf(
          before,
          recordsIn(folder).map(({ sample_id }) => sample_id)
        )
        for (const kind of ["relative_to_baseline", "relative_fraction"] as const) {
          const job = against(0.1, baseline, kind)
          const client = fakeClient(right)
          const same = yield* run(arithBasic, client, { job, parameters: one })
          assert.deepInclude(told(same), { stopped: true, outcome: "PASS", of: 200 })
          assert.isBelow(client.chats.length, 160)
          assert.strictEqual(metric(same, primary).ciMethod, "betting")
          const worse = yield* run(
            arithBasic,
            fakeClient(() => "0"),
            { job, parameters: one }
          )
          assert.deepInclude(told(worse), { stopped: true, outcome: "BREACH" })
          assert.isBelow(Number(metric(worse, primary).n), 60)
        }
        // what the baseline got wrong tells nothing of a loss
        const wrong = { ...baseline, items: Object.fromEntries(Object.keys(baseline.items).map((id) => [id, 0])) }
        const better = yield* run(arithBasic, fakeClient(right), { job: against(0.02, wrong), parameters: one })
        assert.deepInclude(told(better), { stopped: true, outcome: "PASS" })
        const both = { ...against(0.1, baseline).early_stop, gating: 2 }
        const more = [...(both.criteria ?? []), { threshold: 0.5, alpha: 0.05 }]
        const mixed = yield* run(
          arithBasic,
          fakeClient(() => "0"),
          { job: stopping(0, { ...both, criteria: more }), parameters: one }
        )
        assert.deepInclude(told(mixed), { stopped: true, outcome: "BREACH" })
      })
  )

  it.scoped(
    "asks everything, and says why, when the baseline has other items or another state of the data set, or is not there",
    () =>
      Effect.gen(function* () {
        const folder = yield* temporaryFolder
        const before = yield* run(arithBasic, fakeClient(right), { folder })
        const ids = recordsIn(folder).map(({ sample_id }) => sample_id)
        const baseline = baselineOf(before, ids)
        const cases = [
          [{ ...baseline, dataset_sha256: "0".repeat(64) }, "another state of the data set"],
          [baselineOf(before, ids.slice(0, 150)), "50 of 200 items"],
          [baselineOf(before, [...ids, ...ids.map((id) => `other ${id}`)]), "200 of 400 items"],
          [undefined, "no items of the baseline"]
        ] as const
        for (const [given, why] of cases) {
          const results = yield* run(arithBasic, fakeClient(right), { job: against(0.1, given) })
          assert.deepInclude(told(results), { stopped: false, asked: 200 })
          assert.include(JSON.stringify(results.additionalInfo?.["notes"]), why)
          assert.strictEqual(metric(results, primary).ciMethod, "clopper_pearson")
        }
      })
  )
})
