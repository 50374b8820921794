/** Where finished items are written down, and where an interrupted run finds them again. Contract: adapter 9.2. */
import type { Effect } from "effect"
import type { AdapterError } from "../sdk/adapter.ts"
import type { Answer } from "../sdk/model-client.ts"
import type { Item, ItemVerdict, ScoredItem } from "./benchmark.ts"

/** an item finished by an earlier run of the same unit */
export interface FinishedItem {
  readonly promptSha256: string
  readonly verdict: ItemVerdict
  readonly answer: Answer
}

export interface ItemRecord {
  readonly index: number
  readonly scored: ScoredItem
  readonly promptSha256: string
  /** RFC 3339 */
  readonly startedAt: string
}

export interface ItemLog {
  /** by item id; items that ended with an error are not in it and are asked again */
  readonly finished: ReadonlyMap<string, FinishedItem>
  readonly write: (record: ItemRecord) => Effect.Effect<void, AdapterError>
  /** `additional_info.samples`; undefined when samples are not written */
  readonly close: Effect.Effect<{ readonly path: string; readonly sha256: string; readonly lines: number } | undefined, AdapterError>
}

/** the exact question: everything that is sent before the model's first word */
export const questionOf = (item: Item) => ({
  messages: item.messages,
  ...(item.followUps === undefined ? {} : { followUps: item.followUps }),
  ...(item.tools === undefined ? {} : { tools: item.tools })
})
