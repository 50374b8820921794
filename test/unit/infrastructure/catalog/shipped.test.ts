import { assert, describe, it } from "@effect/vitest"
import { describe as line } from "../../../../domain/file-problem.ts"
import { lintFolder } from "../../../../infrastructure/catalog/lint/lint.ts"
import { readDefinitions } from "../../../../infrastructure/catalog/read-definitions.ts"

const { definitions, problems } = lintFolder({ configDir: "config" })
const record = (id: string) => definitions.providers.find((definition) => definition.record.id === id)?.record

describe("shipped definitions", () => {
  it("offer the spec's 188, 9, 7 and 28 benchmarks and those that complete its resource table", () => {
    const counts = Object.fromEntries(
      definitions.providers.map(({ record: { id, benchmarks } }) => [id, benchmarks.length])
    )
    assert.deepStrictEqual(counts, {
      deepeval: 5,
      evald: 41,
      garak: 9,
      guidellm: 7,
      "ibm-clear": 1,
      inspect: 79,
      lighteval: 28,
      lm_evaluation_harness: 188,
      ragas: 2
    })
  })
  it("run the embedded provider in the server's own image, unless another one is given", () => {
    const imageOf = (given: { readonly images?: { readonly [id: string]: string }; readonly embeddedImage?: string }) =>
      readDefinitions({ configDir: "config", images: {}, ...given }).providers.find(
        (found) => found.record.id === "evald"
      )?.record.runtime.k8s?.image
    assert.isUndefined(imageOf({}))
    assert.strictEqual(imageOf({ embeddedImage: "reg/evald:1" }), "reg/evald:1")
    assert.strictEqual(imageOf({ embeddedImage: "reg/evald:1", images: { evald: "reg/other:2" } }), "reg/other:2")
    const others = readDefinitions({ configDir: "config", images: {}, embeddedImage: "reg/evald:1" }).providers
    assert.isFalse(others.some(({ record: { id, runtime } }) => id !== "evald" && runtime.k8s?.image === "reg/evald:1"))
  })
  it("carry the eight resource rows of the spec", () => {
    const rows = [
      "lm_evaluation_harness",
      "garak",
      "lighteval",
      "guidellm",
      "ragas",
      "inspect",
      "deepeval",
      "ibm-clear"
    ].map((id) => {
      const k8s = record(id)?.runtime.k8s
      return [k8s?.cpuRequest, k8s?.memoryRequest, k8s?.cpuLimit, k8s?.memoryLimit]
    })
    assert.deepStrictEqual(rows, [
      ["100m", "128Mi", "500m", "4Gi"],
      ["500m", "512Mi", "2000m", "4Gi"],
      ["500m", "1Gi", "4000m", "8Gi"],
      ["100m", "128Mi", "1000m", "2Gi"],
      ["100m", "128Mi", "1000m", "2Gi"],
      ["500m", "512Mi", "2000m", "4Gi"],
      ["100m", "256Mi", "500m", "1Gi"],
      ["100m", "128Mi", "500m", "1Gi"]
    ])
    assert.isUndefined(record("evald")?.runtime.k8s?.cpuRequest)
  })
  it("hold thirteen collections, 68 entries less the examples", () => {
    assert.strictEqual(definitions.collections.length, 13)
    assert.strictEqual(
      definitions.collections.reduce((sum, { record: { benchmarks } }) => sum + benchmarks.length, 0),
      68
    )
  })
  it("declare the scale of every primary metric, so that no value decides what it is", () => {
    const primaries = [
      ...definitions.providers.flatMap(({ record: { id, benchmarks } }) =>
        benchmarks.map((row) => [`${id}/${row.id}`, row.primaryScore] as const)
      ),
      ...definitions.collections.flatMap(({ record: { id, benchmarks } }) =>
        benchmarks.map((row) => [`${id}/${row.id}`, row.primaryScore] as const)
      )
    ]
    assert.isAbove(primaries.length, 400)
    assert.deepStrictEqual(
      primaries.filter(([, primary]) => primary !== undefined && primary.scale === undefined).map(([name]) => name),
      []
    )
  })
  it("let a smoke test on a busy machine say so instead of failing", () => {
    const loads = definitions.collections
      .filter(({ record: { id } }) => id?.endsWith("-smoke"))
      .flatMap(({ record: { benchmarks } }) => benchmarks.filter(({ id }) => id.startsWith("perf_")))
    assert.deepStrictEqual(
      loads.map(({ id, parameters }) => [id, parameters?.["on_saturation"]]),
      [
        ["perf_synchronous", "warn"],
        ["perf_concurrent", "warn"],
        ["perf_quick", "warn"],
        ["perf_quick", "warn"]
      ]
    )
  })
  it("lint clean: only the warnings that say what a framework or an image lacks", () => {
    const allowed = new Set(["L011", "L012", "L013", "L018", "L025"])
    assert.deepStrictEqual(
      problems.filter(({ code, severity }) => severity !== "info" && !allowed.has(code)).map(line),
      []
    )
  })
})
