/**
 * tool_call: 60 authored requests, each with four tools of which one serves it. `tool_name_acc`: the first call names the right tool;
 * `args_acc`: there is exactly one call and its arguments are the expected ones; `no_call_rate`: answered in prose. A call that is written into the
 * text counts as the answer, but not in `args_acc_strict`, and raises `format_error_rate`. Texts are compared
 * without regard to case and outer white space. Guessing the name scores 0.25, guessing arguments 0. Reference:
 * providers-and-collections.md, "Embedded benchmarks".
 */
import { Effect } from "effect"
import type { Answer, ToolDefinition } from "../../sdk/model/model-exchange.ts"
import { jsonEqual } from "../answers/json-equal.ts"
import { type ReadCall, readToolCalls } from "../answers/tool-answer.ts"
import type { Item, ItemBenchmark, ItemVerdict } from "../benchmark.ts"
import { tools } from "./tool-definitions.ts"
import { type ToolRequest, toolRequests } from "./tool-requests.ts"

const GENERATOR_VERSION = 1
const DISTRACTORS = 3

/** the right tool among three others, at a place that changes from item to item; no other tool shares a request */
const offeredTools = (request: ToolRequest, number: number): ReadonlyArray<ToolDefinition> => {
  const at = tools.findIndex(({ name }) => name === request.tool)
  const others = Array.from(
    { length: DISTRACTORS },
    (_, index) => tools[(at + 1 + ((number + index * 5) % (tools.length - 1))) % tools.length]
  )
  const all = [...others, tools[at]].filter((tool) => tool !== undefined)
  const turn = number % all.length
  return [...all.slice(turn), ...all.slice(0, turn)]
}

const normalised = (value: unknown): unknown => (typeof value === "string" ? value.trim().toLowerCase() : value)

const normalisedMembers = (values: { readonly [name: string]: unknown }) =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, normalised(value)]))

const sameArguments = (given: ReadCall["arguments"], wanted: ToolRequest["arguments"]): boolean =>
  given !== undefined && jsonEqual(normalisedMembers(given), normalisedMembers(wanted))

export const scoreToolCall =
  (request: ToolRequest) =>
  (answer: Answer): ItemVerdict => {
    const { calls, strict } = readToolCalls(answer)
    const [first] = calls
    const form = { format_error_rate: strict ? 0 : 1 }
    if (first === undefined) {
      const reason = answer.text.trim() === "" ? "no_answer" : "answer_not_found"
      return {
        verdict: "invalid",
        reason,
        scores: { args_acc: 0, args_acc_strict: 0, tool_name_acc: 0, no_call_rate: 1, ...form }
      }
    }
    const named = first.name === request.tool
    const right = named && calls.length === 1 && sameArguments(first.arguments, request.arguments)
    return {
      verdict: right ? "correct" : "incorrect",
      extracted: calls.map((call) => `${call.name}(${JSON.stringify(call.arguments ?? null)})`).join(", "),
      scores: {
        args_acc: right ? 1 : 0,
        args_acc_strict: right && strict ? 1 : 0,
        tool_name_acc: named ? 1 : 0,
        no_call_rate: 0,
        ...form
      }
    }
  }

/** the authored set, the same for every seed */
export const toolCallItems: ReadonlyArray<Item> = toolRequests.map((request, number) => ({
  id: `tool_call:${GENERATOR_VERSION}:${request.tool}-${(number % 4) + 1}`,
  stratum: request.tool,
  messages: [{ role: "user", content: request.text }],
  tools: offeredTools(request, number),
  maxTokens: 1024,
  chance: 0,
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
    { name: "args_acc_strict", lowerIsBetter: false },
    { name: "format_error_rate", lowerIsBetter: true },
    { name: "tool_name_acc", lowerIsBetter: false },
    { name: "no_call_rate", lowerIsBetter: true }
  ],
  readings: { flexible: "args_acc", strict: "args_acc_strict" }
}
