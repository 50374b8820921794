import { assert, describe, it } from "@effect/vitest"
import { Either } from "effect"
import { inWireWords } from "../../../../config/wire-names.ts"
import { checkCollection } from "../../../../domain/collection/check-collection.ts"
import type { CollectionDefinition, CollectionEntry } from "../../../../domain/collection/collection.ts"
import { sampleProvider } from "../../../support/sample-definitions.ts"

const provider = sampleProvider({ parameters: [{ name: "n", type: "integer" }] })
const check = (given: Partial<CollectionDefinition>) =>
  checkCollection({ name: "c", category: "general", benchmarks: [{ id: "b", providerId: "p" }], ...given }, (id) =>
    id === "p" ? provider : undefined
  )
const problems = (given: Partial<CollectionDefinition>): ReadonlyArray<string> =>
  Either.match(check(given), {
    onLeft: (found) => found.map(inWireWords).map(({ path, code }) => `${path} ${code}`),
    onRight: () => []
  })
const entry = (given: Partial<CollectionEntry>): Partial<CollectionDefinition> => ({
  benchmarks: [{ id: "b", providerId: "p", ...given }]
})

describe("a collection definition", () => {
  it("is stored with trimmed names", () => {
    const stored = Either.getOrThrow(
      check({ name: " c ", category: " g ", benchmarks: [{ id: " b", providerId: "p " }] })
    )
    assert.deepStrictEqual(stored, { name: "c", category: "g", benchmarks: [{ id: "b", providerId: "p" }] })
  })
  const table: ReadonlyArray<readonly [string, Partial<CollectionDefinition>, ReadonlyArray<string>]> = [
    ["nothing wrong", { description: "", custom: {}, threshold: 0.5, agent: { summary: "s" } }, []],
    ["blank name and category", { name: " ", category: "" }, ["/name invalid_value", "/category invalid_value"]],
    ["long category", { category: "x".repeat(129) }, ["/category invalid_value"]],
    ["NUL in custom", { custom: { a: "\0" } }, ["/custom/a invalid_value"]],
    ["infinite threshold", { threshold: Number.POSITIVE_INFINITY }, ["/pass_criteria/threshold invalid_value"]],
    ["long summary", { agent: { summary: "x".repeat(201) } }, ["/agent/summary invalid_value"]],
    ["no benchmarks", { benchmarks: [] }, ["/benchmarks invalid_value"]],
    [
      "too many benchmarks",
      { benchmarks: Array.from({ length: 1001 }, () => ({ id: "b", providerId: "p" })) },
      ["/benchmarks invalid_value"]
    ],
    [
      "blank ids",
      entry({ id: "", providerId: "" }),
      ["/benchmarks/0/id invalid_value", "/benchmarks/0/provider_id invalid_value"]
    ],
    ["unknown provider", entry({ providerId: "q" }), ["/benchmarks/0/provider_id resource_does_not_exist"]],
    ["unknown benchmark", entry({ id: "x" }), ["/benchmarks/0/id resource_does_not_exist"]],
    [
      "declared parameter of another type",
      entry({ parameters: { n: "1" } }),
      ["/benchmarks/0/parameters/n invalid_value"]
    ],
    ["undeclared parameters are passed on", entry({ parameters: { other: 1 } }), []],
    [
      "rules of every entry",
      entry({ weight: -1, parameters: { num_examples: 0 } }),
      ["/benchmarks/0/weight invalid_value", "/benchmarks/0/parameters/num_examples invalid_value"]
    ],
    ["the same benchmark twice is fine", { benchmarks: [1, 2].map(() => ({ id: "b", providerId: "p" })) }, []]
  ]
  for (const [name, given, want] of table) it(name, () => assert.deepStrictEqual(problems(given), want))
})
