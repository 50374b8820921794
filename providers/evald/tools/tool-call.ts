/**
 * tool_call: 60 authored requests, each with four tools of which one serves it. `tool_name_acc`: the first call names the right tool;
 * `args_acc`: there is exactly one call and its arguments are the expected ones; `no_call_rate`: answered in prose. Texts are compared
 * without regard to case and outer white space. Guessing the name scores 0.25, guessing arguments 0. Reference: providers-and-collections.md, "Embedded benchmarks".
 */
import { Effect } from "effect"
import type { Answer, ToolCall, ToolDefinition } from "../../sdk/model-client.ts"
import type { Item, ItemBenchmark, ItemVerdict } from "../benchmark.ts"
import { jsonEqual } from "../structure/schema-validator.ts"
import { tools } from "./tool-definitions.ts"
import { type ToolRequest, toolRequests } from "./tool-requests.ts"

const GENERATOR_VERSION = 1
const DISTRACTORS = 3

/** the right tool among three others, at a place that changes from item to item; no other tool shares a request */
const offeredTools = (request: ToolRequest, number: number): ReadonlyArray<ToolDefinition> => {
  const at = tools.findIndex(({ name }) => name === request.tool)
  const others = Array.from({ length: DISTRACTORS }, (_, index) => tools[(at + 1 + ((number + index * 5) % (tools.length - 1))) % tools.length])
  const all = [...others, tools[at]].filter((tool) => tool !== undefined)
  const turn = number % all.length
  return [...all.slice(turn), ...all.slice(0, turn)]
}

const normalised = (value: unknown): unknown => (typeof value === "string" ? value.trim().toLowerCase() : value)

const argumentsOf = (call: ToolCall): { readonly [name: string]: unknown } | undefined => {
  try {
    const parsed: unknown = JSON.parse(call.arguments)
    return typeof parsed === "object" && parsed !== null && !Array.isArray(parsed) ? (parsed as { readonly [name: string]: unknown }) : undefined
  } catch {
    return undefined
  }
}

const normalisedMembers = (values: { readonly [name: string]: unknown }) =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, normalised(value)]))

const sameArguments = (call: ToolCall, wanted: ToolRequest["arguments"]): boolean => {
  const given = argumentsOf(call)
  return given !== undefined && jsonEqual(normalisedMembers(given), normalisedMembers(wanted))
}

export const scoreToolCall =
  (request: ToolRequest) =>
  ({ toolCalls }: Answer): ItemVerdict => {
    const [first] = toolCalls
    if (first === undefined) return { verdict: "invalid", scores: { args_acc: 0, tool_name_acc: 0, no_call_rate: 1 } }
    const named = first.name === request.tool
    const right = named && toolCalls.length === 1 && sameArguments(first, request.arguments)
    return {
      verdict: right ? "correct" : "incorrect",
      extracted: toolCalls.map((call) => `${call.name}(${call.arguments})`).join(", "),
      scores: { args_acc: right ? 1 : 0, tool_name_acc: named ? 1 : 0, no_call_rate: 0 }
    }
  }

/** the authored set, the same for every seed */
export const toolCallItems: ReadonlyArray<Item> = toolRequests.map((request, number) => ({
  id: `tool_call:${GENERATOR_VERSION}:${request.tool}-${(number % 4) + 1}`,
  stratum: request.tool,
  messages: [{ role: "user", content: request.text }],
  tools: offeredTools(request, number),
  maxTokens: 256,
  reference: { name: request.tool, arguments: request.arguments },
  score: scoreToolCall(request)
}))

export const toolCall: ItemBenchmark = {
  kind: "items",
  id: "tool_call",
  needs: ["chat", "tools"],
  items: () => Effect.succeed(toolCallItems),
  metrics: [
    { name: "args_acc", lowerIsBetter: false },
    { name: "tool_name_acc", lowerIsBetter: false },
    { name: "no_call_rate", lowerIsBetter: true }
  ]
}
