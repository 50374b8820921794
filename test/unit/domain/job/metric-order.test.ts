import { assert, describe, it } from "@effect/vitest"
import { orderedMetrics, orderedSchema } from "../../../../domain/job/metric-order.ts"

describe("a person reads the primary metric first and its standard error next to it", () => {
  const table: ReadonlyArray<
    readonly [name: string, primary: string | undefined, reported: ReadonlyArray<string>, read: ReadonlyArray<string>]
  > = [
    [
      "errors first, as some adapters send them",
      "acc",
      ["f1_stderr", "acc_stderr", "f1", "acc"],
      ["acc", "acc_stderr", "f1", "f1_stderr"]
    ],
    ["the order of the others stays", "b", ["c", "a", "b"], ["b", "c", "a"]],
    [
      "filters of a framework",
      "acc,none",
      ["alias", "acc,none", "f1,none", "acc_stderr,none"],
      ["acc,none", "acc_stderr,none", "alias", "f1,none"]
    ],
    [
      "the error behind the filter",
      "acc,none",
      ["x", "acc,none_stderr", "acc,none"],
      ["acc,none", "acc,none_stderr", "x"]
    ],
    [
      "bounds of an interval",
      "acc",
      ["n", "acc_ci_high", "acc_ci_low", "acc"],
      ["acc", "acc_ci_high", "acc_ci_low", "n"]
    ],
    ["an error of nothing is a metric of its own", "acc", ["f1_stderr", "x", "acc"], ["acc", "f1_stderr", "x"]],
    ["an error of an error", "a", ["a_stderr_ci", "a_stderr", "b", "a"], ["a", "a_stderr", "a_stderr_ci", "b"]],
    ["no primary metric", undefined, ["b_stderr", "a", "b"], ["a", "b", "b_stderr"]],
    ["a primary metric that was not reported", "z", ["a_stderr", "a"], ["a", "a_stderr"]],
    ["names of the prototype", "acc", ["constructor_stderr", "acc"], ["acc", "constructor_stderr"]],
    ["nothing", "acc", [], []]
  ]
  for (const [name, primary, reported, read] of table) {
    it(name, () => {
      const metrics = Object.fromEntries(reported.map((metric, at) => [metric, at]))
      const ordered = orderedMetrics(metrics, primary)
      assert.deepStrictEqual(Object.keys(ordered), read)
      assert.deepStrictEqual(ordered, metrics)
    })
  }

  it("descriptions follow their metrics, those of nothing come last", () => {
    const schema = ["nothing", "b", "a"].map((name) => ({ name }))
    assert.deepStrictEqual(
      orderedSchema(schema, { a: 1, b: 2 }).map(({ name }) => name),
      ["a", "b", "nothing"]
    )
  })
})
