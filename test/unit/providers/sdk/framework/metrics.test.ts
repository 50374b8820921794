import { assert, describe, it } from "@effect/vitest"
import { Effect, Either } from "effect"
import { apiBase, serverBase } from "../../../../../providers/sdk/framework/base-url.ts"
import { finiteMetrics, requirePrimary, sharesFromPercent } from "../../../../../providers/sdk/framework/metrics.ts"

describe("metrics of a framework", () => {
  it("percentages become shares with their errors and intervals, and stay as raw values", () => {
    const metrics = [
      { name: "bleu", value: 31, stderr: 2, ci: [30, 32] as const },
      { name: "part/bleu", value: 40 },
      { name: "bleu,none", value: 50 },
      { name: "acc", value: 0.5 },
      { name: "bleu_like", value: 7 }
    ]
    assert.deepStrictEqual(sharesFromPercent(metrics, ["bleu"]), [
      { name: "bleu", value: 0.31, stderr: 0.02, ci: [0.3, 0.32] },
      { name: "bleu_raw", value: 31 },
      { name: "part/bleu", value: 0.4 },
      { name: "part/bleu_raw", value: 40 },
      { name: "bleu,none", value: 0.5 },
      { name: "bleu,none_raw", value: 50 },
      { name: "acc", value: 0.5 },
      { name: "bleu_like", value: 7 }
    ])
  })
  it("what is no number is left out", () => {
    assert.deepStrictEqual(
      finiteMetrics([
        { name: "a", value: Number.NaN },
        { name: "b", value: "x" },
        { name: "c", value: Number.POSITIVE_INFINITY }
      ]),
      [{ name: "b", value: "x" }]
    )
  })
  it.effect("a missing primary metric is told with what was reported", () =>
    Effect.gen(function* () {
      const failed = yield* Effect.either(
        requirePrimary("acc", [
          { name: "f1", value: 1 },
          { name: "em", value: 0 }
        ])
      )
      assert.strictEqual(
        Either.match(failed, { onLeft: ({ code, message }) => `${code}: ${message}`, onRight: () => "" }),
        "primary_metric_missing: the primary metric acc has no value; the framework reported f1, em"
      )
      assert.isTrue(Either.isLeft(yield* Effect.either(requirePrimary("acc", [{ name: "acc", value: Number.NaN }]))))
      yield* requirePrimary("acc", [{ name: "acc", value: 0 }])
      yield* requirePrimary(undefined, [])
    })
  )
})

describe("the forms of an address", () => {
  it("ends in a version once, without query; or is the server", () => {
    const cases = {
      "http://h": "http://h/v1",
      "http://h/": "http://h/v1",
      "http://h/v1/": "http://h/v1",
      "http://h/x/v2?a=b#c": "http://h/x/v2",
      "http://h/openai": "http://h/openai/v1"
    }
    for (const [url, base] of Object.entries(cases)) assert.strictEqual(apiBase(url), base)
    assert.strictEqual(serverBase("http://h:1/cb/S/model/v1"), "http://h:1/cb/S/model")
    assert.strictEqual(serverBase("http://h"), "http://h")
    assert.strictEqual(apiBase("http://localhost:8080/m"), "http://localhost:8080/m/v1")
    assert.strictEqual(serverBase("http://localhost:8080/m/v1"), "http://localhost:8080/m")
  })
})
