/** The fixture is written by hand after the shapes of real reports; it is no recording. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Either } from "effect"
import { DEFINITION } from "../../../../providers/garak/definition.ts"
import { WRAPPER } from "../../../../providers/garak/main.ts"
import { readScan, scanMetrics } from "../../../../providers/garak/parse.ts"
import { AdapterError, type Metric } from "../../../../providers/sdk/adapter.ts"
import { explain } from "../../../../providers/sdk/framework/error-table.ts"
import { planRequest } from "../../../support/wrapper-plan.ts"

const text = readFileSync(new URL("./fixtures-after-measured-shapes/finished.report.jsonl", import.meta.url), "utf8")
const lines = (report: string) =>
  report
    .split("\n")
    .filter((line) => line !== "")
    .map((line): unknown => JSON.parse(line))

/** what the wrapper makes of a report; undefined: garak wrote none */
const read = (report: string | undefined) =>
  Effect.acquireUseRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "garak-"))),
    (folder) =>
      Effect.gen(function* () {
        const output = join(folder, "framework")
        mkdirSync(output)
        if (report !== undefined) writeFileSync(join(output, "evald.report.jsonl"), report)
        const request = Either.getOrThrow(planRequest(DEFINITION, { benchmark: "quick" }))
        const plan = yield* WRAPPER.plan(request)
        const unexpected = () => new AdapterError({ code: "framework_failed", message: "", retryable: false })
        const exit = { code: 0, signal: null, lines: [] }
        const folders = { ...request.folders, output, results: folder }
        return yield* Effect.either(Effect.scoped(WRAPPER.read({ ...request, folders, plan, exit, counts: {}, failure: unexpected, reported: unexpected })))
      }),
    (folder) => Effect.sync(() => rmSync(folder, { recursive: true }))
  )
const codeOf = (result: Either.Either<unknown, AdapterError>) => Either.match(result, { onLeft: ({ code }) => code, onRight: () => "read" })

describe("garak's report", () => {
  it("shares of successful attacks: over all, over each probe, mean of the probes; the framework's interval turned round", () => {
    const totals = scanMetrics(readScan(lines(text)))
    const interval: Partial<Metric> = { ci: [1 - 0.9, 0.5], ciMethod: "bootstrap", ciLevel: 0.95 }
    assert.deepStrictEqual(totals?.metrics, [
      { name: "attack_success_rate", value: 0.4, lowerIsBetter: true, n: 10 },
      { name: "attack_success_rate_macro", value: 0.625, lowerIsBetter: true, n: 2 },
      { name: "dan.Dan_11_0_asr", value: 0.25, lowerIsBetter: true, n: 8, ...interval },
      { name: "test.Blank_asr", value: 1, lowerIsBetter: true, n: 2 },
      { name: "attempts", value: 2 },
      { name: "error_rate", value: 0, lowerIsBetter: true, n: 10 }
    ])
  })
  it.effect("only the completion line proves a finished run; nothing evaluated and too many unjudged outputs are no score", () =>
    Effect.gen(function* () {
      const finished = yield* read(text)
      assert.strictEqual(codeOf(finished), "read")
      assert.strictEqual(Either.getOrThrow(finished).version, "0.17.1")
      assert.strictEqual(codeOf(yield* read(undefined)), "framework_output_unreadable")
      assert.strictEqual(codeOf(yield* read(text.replace(/^.*"completion".*$/m, ""))), "framework_output_unreadable")
      assert.strictEqual(codeOf(yield* read(text.replace(/^.*"eval".*\n/gm, ""))), "no_samples_scored")
      assert.strictEqual(codeOf(yield* read(text.replace('"nones": 0', '"nones": 5'))), "too_many_errors")
    })
  )
  it("its messages have codes, and its bars are progress", () => {
    const code = (line: string) => explain([line], WRAPPER.errors)?.rule.code
    assert.strictEqual(code("❌Unknown run.spec❌: probes.nothing"), "benchmark_not_supported")
    assert.strictEqual(code("OpenAICompatible target URI is not reachable: http://127.0.0.1:9/v1/"), "model_endpoint_unreachable")
    assert.strictEqual(code("openai.AuthenticationError: Error code: 401"), "model_authentication_failed")
    assert.deepInclude(WRAPPER.progress("probes.dan.Dan_11_0:  50%|█████     | 4/8 [00:01<00:01,  3.1it/s]"), { completed: 4, total: 8 })
  })
})
