/** Stand-ins for what the runner hands to a benchmark. */
import type { Item, ItemContext, ScoredItem } from "../../../../providers/evald/benchmark.ts"
import { AdapterError } from "../../../../providers/sdk/adapter.ts"
import type { Answer, ToolCall } from "../../../../providers/sdk/model/model-exchange.ts"
import { allCapabilities } from "../../../support/framework-request.ts"

export const answerOf = (text: string, toolCalls: ReadonlyArray<ToolCall> = []): Answer => ({
  text,
  toolCalls,
  finishReason: "stop",
  tokens: { prompt: 10, completion: 5, estimated: false },
  latencyMs: 1,
  retries: 0
})

export const itemContext = (overrides: Partial<ItemContext> = {}): ItemContext => ({
  job: {
    id: "job",
    provider_id: "evald",
    benchmark_id: "any",
    benchmark_index: 0,
    model: { url: "http://127.0.0.1:1/v1", name: "demo" },
    parameters: {},
    callback_url: "http://127.0.0.1:1"
  },
  seed: 42,
  fewShot: 0,
  difficulty: "mixed",
  parameters: {},
  capabilities: { ...allCapabilities, demo: true },
  ...overrides
})

export const scoredItem = (item: Item, text: string, toolCalls: ReadonlyArray<ToolCall> = []): ScoredItem => {
  const answer = answerOf(text, toolCalls)
  return { item, outcome: { _tag: "Scored", answer, verdict: item.score(answer) } }
}

export const failedItem = (item: Item): ScoredItem => ({
  item,
  outcome: { _tag: "Failed", error: new AdapterError({ code: "model_server_error", message: "500", retryable: true }) }
})
