import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { parse } from "yaml"
import { benchmarkById, benchmarkIds } from "../../../../providers/evald/catalogue.ts"

interface Row {
  readonly id: string
  readonly metrics: ReadonlyArray<string>
  readonly dataset_size?: number
  readonly primary_score?: { readonly metric: string; readonly scale?: unknown }
  readonly requirements?: { readonly endpoint?: string; readonly flags?: ReadonlyArray<string> }
}

const { benchmarks } = parse(
  readFileSync(new URL("../../../../config/providers/evald.yaml", import.meta.url), "utf8")
) as { benchmarks: ReadonlyArray<Row> }

describe("catalogue", () => {
  it("holds every benchmark of the shipped provider and no other, each once", () => {
    assert.sameMembers(
      [...benchmarkIds],
      benchmarks.map(({ id }) => id)
    )
    assert.strictEqual(new Set(benchmarkIds).size, benchmarkIds.length)
    assert.isUndefined(benchmarkById("arith"))
  })

  it("plain means are named in the provider file, or are additional shares", () => {
    const additional = new Set([
      "invalid_rate",
      "exact_match_flexible",
      "format_error_rate",
      "acc_norm",
      "acc_strict",
      "judge_score"
    ])
    for (const { id, metrics } of benchmarks) {
      const benchmark = benchmarkById(id)
      if (benchmark?.kind !== "items") continue
      for (const { name } of benchmark.metrics)
        assert.isTrue(metrics.includes(name) || additional.has(name), `${id} reports ${name}`)
    }
  })

  it("may stop early exactly where its primary metric is a mean of items on a scale with two ends", () => {
    const expected = benchmarks.filter(({ id, primary_score: primary }) => {
      const benchmark = benchmarkById(id)
      return (
        benchmark?.kind === "items" &&
        primary?.scale !== "unbounded" &&
        benchmark.metrics.some(({ name }) => name === primary?.metric)
      )
    })
    assert.deepStrictEqual(
      benchmarks.filter(({ requirements }) => requirements?.flags?.includes("stoppable")).map(({ id }) => id),
      expected.map(({ id }) => id)
    )
    assert.isAbove(expected.length, 20)
  })

  it("needs what the provider file says of the endpoint", () => {
    const said: { readonly [endpoint: string]: ReadonlyArray<string> } = {
      generate: ["generate"],
      chat: ["chat"],
      chat_stream: ["chat", "stream"],
      chat_tools: ["chat", "tools"],
      chat_logprobs: ["chat", "logprobs"],
      completions_echo: ["completions", "echo"]
    }
    for (const { id, requirements } of benchmarks) {
      const needs = benchmarkById(id)?.needs
      if (needs === undefined) continue
      const expected = said[requirements?.endpoint ?? ""] ?? []
      assert.isTrue(
        expected.every((capability) => (needs as ReadonlyArray<string>).includes(capability) || capability === "chat"),
        `${id} needs ${needs.join(", ")}, the provider file says ${requirements?.endpoint}`
      )
    }
  })
})
