/** Names of items: what a later run, a comparison and a stranger find them by. Reference: providers-and-collections.md, "Honesty rules". */
import { assert, describe, it } from "@effect/vitest"
import { benchmarkById, benchmarkIds } from "../../../../providers/evald/catalogue.ts"
import { stratifiedSample } from "../../../../providers/evald/sampling.ts"
import { digestOf } from "../../../../values/digest.ts"
import { loadedItemsOf } from "./solver-check.ts"

/** their items come from somebody's files, from a judge's parameters, or need a permission */
const elsewhere = new Set(["custom_jsonl", "judge_relevancy", "judge_faithfulness", "code_js_small"])
const families = benchmarkIds.filter((id) => benchmarkById(id)?.kind === "items" && !elsewhere.has(id))

const itemsOf = (id: string, seed: number) => {
  const benchmark = benchmarkById(id)
  if (benchmark?.kind !== "items") throw new Error(`${id} is no item benchmark`)
  return loadedItemsOf(benchmark, { seed })
}

describe("items of a family", () => {
  for (const id of families)
    it(`${id}: ids carry the revision, and the seed wherever it decides what is asked`, async () => {
      const [one, other] = [await itemsOf(id, 42), await itemsOf(id, 43)]
      const ids = one.map((item) => item.id)
      assert.strictEqual(new Set(ids).size, ids.length)
      for (const name of ids) assert.match(name, new RegExp(`^(${id}|safety_[a-z_]+):v?\\d+:`))
      const asked = new Map(one.map((item) => [item.id, digestOf([item.messages, item.followUps, item.reference])]))
      const changed = other.filter(
        (item) => asked.has(item.id) && asked.get(item.id) !== digestOf([item.messages, item.followUps, item.reference])
      )
      assert.deepStrictEqual(
        changed.map((item) => item.id),
        []
      )
    })

  for (const id of families)
    it(`${id}: a smaller number of examples is within every larger one (50 within 60)`, async () => {
      const all = await itemsOf(id, 42)
      const drawn = (count: number) => new Set(stratifiedSample(all, count, 42).map((item) => item.id))
      for (const [few, more] of [
        [5, 6],
        [10, 25],
        [50, 60]
      ] as const) {
        const larger = drawn(more)
        assert.deepStrictEqual(
          [...drawn(few)].filter((name) => !larger.has(name)),
          []
        )
      }
    })
})
