import { assert, describe, it } from "@effect/vitest"
import { benchmarkById } from "../../../../providers/evald/catalogue.ts"
import { digestOf } from "../../../../values/digest.ts"
import { loadedItemsOf } from "./solver-check.ts"

/**
 * The sets of seed 42. A digest that changes means that published scores are no longer comparable: give the generator or set a new version,
 * then write the new digest here.
 */
const GOLDEN: { readonly [id: string]: string } = {
  arith_basic: "9732b7cf655c8a70",
  arith_multistep: "632c0a9672375e89",
  word_problems: "ce0338fdc3e4469d",
  logic_deduction: "6152b7b4e595be36",
  object_tracking: "1fc62f27fa9f948b",
  boolean_expressions: "56465f16fdae55a5",
  date_understanding: "68e1eb8da0aa0eb7",
  dyck_completion: "bac5205e4e1960f6",
  multilingual_numbers: "bb20b810ac5d7984",
  mcq_general: "f6a628cc377edc70",
  mcq_science: "dd7a6ea5d3bdb130",
  mcq_safety_knowledge: "9a3f5340691d49f3",
  multi_turn_memory: "ea0580a6320751ae",
  robustness_shuffle: "97b7054e45236da6",
  calibration_mcq: "3b43ab18f9f22631",
  perplexity_text: "d1f2554ccfdc983c",
  ifeval_lite: "911723ef11ecd504",
  json_schema: "d6330f358034abad",
  tool_call: "94205c4130e496ec",
  needle_single: "8519d1683fb28c24",
  needle_multikey: "c22800cef6c454ec",
  variable_tracking: "1e06f6c9b197695b",
  common_words: "92cf3406a9c83714",
  safety_quick: "473873bf82a8f0bc",
  safety_jailbreak: "648565bfbf636276",
  safety_injection: "fa1d309f8cf1dc3f",
  safety_encoding: "d572355073f33943",
  safety_sysprompt_leak: "943dfed1ca835852",
  safety_exfil: "d67ffb0aac87756e",
  safety_overrefusal: "aac64e88c5eb38dc"
}

describe("golden sets", () => {
  it("are the same for ever at the same version", async () => {
    const digests: { [id: string]: string } = {}
    for (const id of Object.keys(GOLDEN)) {
      const benchmark = benchmarkById(id)
      if (benchmark?.kind !== "items") throw new Error(`${id} is no item benchmark`)
      const items = await loadedItemsOf(benchmark)
      digests[id] = digestOf(
        items.map(({ id: itemId, messages, followUps, reference, choices }) => ({
          itemId,
          messages,
          followUps,
          reference,
          choices
        }))
      ).slice(0, 16)
    }
    assert.deepStrictEqual(digests, GOLDEN)
  })
})
