/** The reports are recordings of garak 0.17.1 (`npm run test:peers:heavy`): settings, texts and further outputs of an attempt are cut. */
import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Either } from "effect"
import { WRAPPER } from "../../../../providers/garak/main.ts"
import { readScan, scanMetrics } from "../../../../providers/garak/parse.ts"
import type { AdapterError, Metric } from "../../../../providers/sdk/adapter.ts"
import { explain } from "../../../../providers/sdk/framework/error-table.ts"
import type { ReadRequest } from "../../../../providers/sdk/framework/wrapper.ts"
import { readLeft } from "../../../support/wrapper-plan.ts"

const recorded = (name: string) => readFileSync(new URL(`./fixtures/${name}.report.jsonl`, import.meta.url), "utf8")
const three = recorded("three-probes")
const lines = (report: string) =>
  report
    .split("\n")
    .filter((line) => line !== "")
    .map((line): unknown => JSON.parse(line))

/** what the wrapper makes of a report; undefined: garak wrote none */
const read = (report: string | undefined, collected: ReadRequest["collected"] = {}) =>
  readLeft(WRAPPER, {
    benchmark: "quick",
    files: report === undefined ? {} : { "evald.report.jsonl": report },
    collected
  })
const codeOf = (result: Either.Either<unknown, AdapterError>) =>
  Either.match(result, { onLeft: ({ code }) => code, onRight: () => "read" })

describe("garak's report", () => {
  it("shares of successful attacks: over all, over each probe, mean of the probes; the framework's interval is of the same share", () => {
    const totals = scanMetrics(readScan(lines(three)))
    const interval = (at: number): Partial<Metric> => ({ ci: [at, at], ciMethod: "bootstrap", ciLevel: 0.95 })
    assert.deepStrictEqual(totals?.metrics, [
      { name: "attack_success_rate", value: 60 / 270, lowerIsBetter: true, n: 270 },
      { name: "attack_success_rate_macro", value: 0.5, lowerIsBetter: true, n: 3 },
      { name: "dan.Dan_11_0_asr", value: 0.5, lowerIsBetter: true, n: 60 },
      { name: "goodside.WhoIsRiley_asr", value: 0, lowerIsBetter: true, n: 180, ...interval(0) },
      { name: "test.Blank_asr", value: 1, lowerIsBetter: true, n: 30, ...interval(1) },
      { name: "attempts", value: 8 },
      { name: "error_rate", value: 0, lowerIsBetter: true, n: 270 }
    ])
  })
  it("the names of older versions", () => {
    const older = { entry_type: "eval", probe: "test.Blank", detector: "detector.any.AnyOutput", passed: 1, total: 4 }
    const [evaluation] = readScan([older]).evaluations
    assert.deepStrictEqual(evaluation, {
      probe: "test.Blank",
      detector: "any.AnyOutput",
      evaluated: 4,
      fails: 3,
      nones: 0
    })
  })
  it.effect(
    "only the completion line proves a finished run; nothing evaluated and too many unjudged outputs are no score",
    () =>
      Effect.gen(function* () {
        const finished = yield* read(three)
        assert.strictEqual(codeOf(finished), "read")
        assert.strictEqual(Either.getOrThrow(finished).version, "0.17.1")
        assert.strictEqual(codeOf(yield* read(undefined)), "framework_output_unreadable")
        assert.strictEqual(codeOf(yield* read(recorded("no-such-probe"))), "framework_output_unreadable")
        assert.strictEqual(codeOf(yield* read(three.replace(/^.*"completion".*$/m, ""))), "framework_output_unreadable")
        assert.strictEqual(codeOf(yield* read(three.replace(/^.*"eval".*\n/gm, ""))), "no_samples_scored")
        assert.strictEqual(codeOf(yield* read(recorded("half-of-requests-failed"))), "too_many_errors")
      })
  )
  it.effect("what the framework left out is said with the score", () =>
    Effect.gen(function* () {
      const said = (line: string) =>
        Object.fromEntries(
          Object.entries(WRAPPER.collect ?? {}).flatMap(([name, pattern]) =>
            pattern.test(line) ? [[name, [pattern.exec(line)?.[1] ?? ""]]] : []
          )
        )
      const collected = {
        ...said("SKIP probes.nothing.There"),
        ...said(" detector load failed: misleading.MustContradictNLI, skipping >>")
      }
      const { notes } = Either.getOrThrow(yield* read(three, collected))
      assert.deepStrictEqual(notes?.slice(0, 2), [
        "the installed version has no nothing.There: left out",
        "the score is without the detectors misleading.MustContradictNLI, which could not be loaded (they may want models of the data hub)"
      ])
    })
  )
  it("its messages have codes, and its bars are progress", () => {
    const code = (line: string) => explain([line], WRAPPER.errors)?.rule.code
    assert.strictEqual(code("❌Unknown run.spec❌: probes.nothing"), "benchmark_not_supported")
    assert.strictEqual(code("No probes, nothing to do"), "benchmark_not_supported")
    assert.strictEqual(
      code("OpenAICompatible target URI is not reachable: http://127.0.0.1:9/v1/"),
      "model_endpoint_unreachable"
    )
    const refused =
      "OpenAI API authentication failed (HTTP 401); verify OPENAICOMPATIBLE_API_KEY is valid. Original error: Error code: 401 - {'error': {}}"
    assert.strictEqual(code(refused), "model_authentication_failed")
    assert.deepInclude(WRAPPER.progress("probes.goodside.WhoIsRiley:  67%|██████▋   | 4/6 [00:00<00:00,  7.54it/s]"), {
      completed: 4,
      total: 6
    })
    assert.isUndefined(WRAPPER.progress("OpenAICompatible evald-demo:  50%|█████     | 1/2 [00:00<00:00,  9.35it/s]"))
  })
})
