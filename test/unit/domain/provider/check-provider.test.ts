import { assert, describe, it } from "@effect/vitest"
import { Either } from "effect"
import { inWireWords, wirePointer } from "../../../../config/wire-names.ts"
import { checkProvider } from "../../../../domain/provider/check-provider.ts"
import type { ProviderBenchmark, ProviderDefinition } from "../../../../domain/provider/provider.ts"
import { sampleProvider } from "../../../support/sample-definitions.ts"

const definition = (given: Partial<ProviderDefinition> = {}): ProviderDefinition => {
  const { name, runtime, benchmarks } = sampleProvider()
  return { name, runtime, benchmarks, ...given }
}
const problems = (given: Partial<ProviderDefinition>): ReadonlyArray<string> =>
  Either.match(checkProvider(definition(given)), {
    onLeft: (found) => found.map(({ path }) => wirePointer(path)),
    onRight: () => []
  })
const row = (given: Partial<ProviderBenchmark>): Partial<ProviderDefinition> => ({
  benchmarks: [{ id: "b", name: "b", category: "c", metrics: ["acc"], ...given }]
})
const k8s = (given: NonNullable<ProviderDefinition["runtime"]["k8s"]>): Partial<ProviderDefinition> => ({
  runtime: { k8s: given }
})

describe("a provider definition", () => {
  it("is stored with trimmed names", () => {
    const stored = Either.getOrThrow(
      checkProvider(
        definition({
          name: " p ",
          tags: [" t "],
          benchmarks: [{ id: " b ", name: " n ", category: " c ", metrics: [] }]
        })
      )
    )
    assert.strictEqual(stored.name, "p")
    assert.deepStrictEqual(stored.tags, ["t"])
    assert.deepStrictEqual(stored.benchmarks, [{ id: "b", name: "n", category: "c", metrics: [] }])
  })
  it("has a largest size, in benchmarks and in bytes", () => {
    const rows = (count: number, text = "") =>
      Array.from({ length: count }, (_, at) => ({
        id: `b${at}`,
        name: "n",
        category: "c",
        metrics: [],
        ...(text === "" ? {} : { description: text })
      }))
    const told = (given: Partial<ProviderDefinition>) =>
      Either.match(checkProvider(definition(given)), {
        onLeft: (found) => found.map(inWireWords).map(({ path, message }) => `${path} ${message}`),
        onRight: () => []
      })
    assert.deepStrictEqual(told({ benchmarks: rows(2000) }), [])
    assert.deepStrictEqual(told({ benchmarks: rows(2001) }), [
      "/benchmarks 'benchmarks' has 2001 entries; at most 2000 are allowed: split the provider"
    ])
    assert.deepStrictEqual(told({ benchmarks: rows(200, "x".repeat(4000)) }), [])
    assert.match(
      told({ benchmarks: rows(400, "ä".repeat(2000)) })[0] ?? "",
      /^ the provider takes \d+ bytes as JSON; at most 1048576 are allowed: /
    )
  })
  const table: ReadonlyArray<readonly [string, Partial<ProviderDefinition>, ReadonlyArray<string>]> = [
    ["nothing wrong", {}, []],
    ["blank name", { name: "" }, ["/name"]],
    ["long title", { title: "x".repeat(257) }, ["/title"]],
    ["long description", { description: "x".repeat(4097) }, ["/description"]],
    ["bad tag", { tags: ["a,b"] }, ["/tags/0"]],
    ["summary of 200 characters is fine", { agent: { summary: "🙂".repeat(200) } }, []],
    ["summary of 201 characters", { agent: { summary: "x".repeat(201) } }, ["/agent/summary"]],
    ["NUL in a hint", { agent: { hints: ["ok", "\0"] } }, ["/agent/hints/1"]],
    ["no runtime at all", { runtime: {} }, ["/runtime"]],
    ["an empty container runtime is fine", k8s({}), []],
    ["image with a blank", k8s({ image: "a b" }), ["/runtime/k8s/image"]],
    ["empty image", k8s({ image: "" }), ["/runtime/k8s/image"]],
    ["entry point without a program", k8s({ entrypoint: [""] }), ["/runtime/k8s/entrypoint/0"]],
    [
      "bad quantities",
      k8s({ cpuRequest: "x", memoryLimit: "-1" }),
      ["/runtime/k8s/cpu_request", "/runtime/k8s/memory_limit"]
    ],
    ["request above limit", k8s({ cpuRequest: "2", cpuLimit: "1500m" }), ["/runtime/k8s/cpu_request"]],
    ["request above the built-in limit", k8s({ memoryRequest: "4Gi" }), ["/runtime/k8s/memory_request"]],
    ["limit below the built-in request", k8s({ cpuLimit: "100m" }), ["/runtime/k8s/cpu_limit"]],
    [
      "illegal variable name",
      k8s({ env: [{ name: "A" }, { name: "1A", value: "\0" }] }),
      ["/runtime/k8s/env/1/name", "/runtime/k8s/env/1/value"]
    ],
    ["blank command", { runtime: { local: { command: " " } } }, ["/runtime/local/command"]],
    ["no benchmarks", { benchmarks: [] }, ["/benchmarks"]],
    [
      "benchmark ids twice",
      { benchmarks: [...(row({}).benchmarks ?? []), ...(row({ id: " b" }).benchmarks ?? [])] },
      ["/benchmarks/1/id"]
    ],
    [
      "blank benchmark texts",
      row({ id: "", name: " ", category: "" }),
      ["/benchmarks/0/id", "/benchmarks/0/name", "/benchmarks/0/category"]
    ],
    ["long category", row({ category: "x".repeat(129) }), ["/benchmarks/0/category"]],
    ["metric twice", row({ metrics: ["a", "a"] }), ["/benchmarks/0/metrics/1"]],
    [
      "negative and broken counts",
      row({ numFewShot: -1, datasetSize: 1.5 }),
      ["/benchmarks/0/num_few_shot", "/benchmarks/0/dataset_size"]
    ],
    [
      "blank primary metric",
      row({ primaryScore: { metric: "", lowerIsBetter: false } }),
      ["/benchmarks/0/primary_score/metric"]
    ],
    ["infinite threshold", row({ threshold: Number.POSITIVE_INFINITY }), ["/benchmarks/0/pass_criteria/threshold"]],
    [
      "score ranges",
      row({
        agent: {
          scoreRanges: ["0.0-0.5", "0.7", "5+", "<0.3", ">= -1", "high"].map((range) => ({ range, meaning: "m" }))
        }
      }),
      ["/benchmarks/0/agent/score_ranges/5/range"]
    ]
  ]
  for (const [name, given, want] of table) it(name, () => assert.deepStrictEqual(problems(given), want))
})

describe("parameter declarations", () => {
  const table: ReadonlyArray<readonly [string, NonNullable<ProviderDefinition["parameters"]>, ReadonlyArray<string>]> =
    [
      ["a good one", [{ name: "n", type: "integer", default: 1, minimum: 0, maximum: 2, aliases: ["m"] }], []],
      [
        "illegal names",
        [{ name: "1n", type: "any", aliases: ["a b"] }],
        ["/parameters/0/name", "/parameters/0/aliases/0"]
      ],
      ["default of another type", [{ name: "n", type: "integer", default: "1" }], ["/parameters/0/default"]],
      ["default out of range", [{ name: "n", type: "integer", default: 3, maximum: 2 }], ["/parameters/0/default"]],
      [
        "default outside the choices",
        [{ name: "n", type: "string", default: "c", enum: ["a", "b"] }],
        ["/parameters/0/default"]
      ],
      ["no choices", [{ name: "n", type: "string", enum: [] }], ["/parameters/0/enum"]],
      ["choice of another type", [{ name: "n", type: "string", enum: ["a", 1] }], ["/parameters/0/enum/1"]],
      ["empty range", [{ name: "n", type: "number", minimum: 2, maximum: 1 }], ["/parameters/0/minimum"]],
      [
        "one name for two parameters",
        [
          { name: "a", type: "any", aliases: ["b"] },
          { name: "b", type: "any" }
        ],
        ["/parameters/1/name"]
      ]
    ]
  for (const [name, parameters, want] of table) it(name, () => assert.deepStrictEqual(problems({ parameters }), want))
})
