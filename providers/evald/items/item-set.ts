/** What was drawn and its fingerprints, so that two runs can be compared only when they asked the same. Reference: providers-and-collections.md, "Honesty rules". */

import { defined } from "../../../values/defined.ts"
import { digestOf } from "../../../values/digest.ts"
import type { Item } from "../benchmark.ts"
import type { Parameters } from "../parameters.ts"
import { seededRandom } from "../random.ts"
import { stratifiedSample } from "../sampling.ts"

export interface DrawnSet {
  readonly items: ReadonlyArray<Item>
  /** `additional_info.dataset` */
  readonly dataset: { readonly id: string; readonly sha256: string; readonly size: number; readonly used: number }
  /** `additional_info.sampling` */
  readonly sampling: { readonly [key: string]: unknown }
  readonly notes: ReadonlyArray<string>
}

/** everything of an item that decides what is asked and what is right */
const content = ({ id, messages, followUps, tools, reference, choices }: Item) => ({
  id,
  messages,
  followUps,
  tools,
  reference,
  choices
})

const fingerprint = (items: ReadonlyArray<Item>) => digestOf(items.map(content))

/** `shuffled`: in a seeded order of their own, not that of the set */
export const drawItems = (id: string, all: ReadonlyArray<Item>, parameters: Parameters, shuffled = false): DrawnSet => {
  const asked = parameters.numExamples
  const taken = asked === undefined ? all : stratifiedSample(all, asked, parameters.seed)
  const items = shuffled ? seededRandom("early-stop", id, parameters.seed).shuffle(taken) : taken
  const sampled = items.length < all.length
  return {
    items,
    dataset: { id, sha256: fingerprint(all), size: all.length, used: items.length },
    sampling: {
      seed: parameters.seed,
      ...defined({ num_examples: asked }),
      method: sampled ? "stratified" : "all",
      ...(sampled || shuffled ? { sha256: fingerprint(items) } : {}),
      ...(shuffled ? { order: "shuffled" } : {})
    },
    notes:
      asked !== undefined && asked > all.length
        ? [`num_examples ${asked} is more than the ${all.length} items there are: all were used`]
        : []
  }
}
