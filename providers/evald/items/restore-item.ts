/** An item's answer and verdict out of its record. Reference: adapter-contract.md, "Sample records". */

import { defined } from "../../../values/defined.ts"
import { isObject, listMember, parseJson, textMember } from "../../../values/json.ts"
import type { SampleRecord } from "../../contract/sample-record.ts"
import type { Answer } from "../../sdk/model/model-exchange.ts"
import type { AskedItem } from "../benchmark.ts"
import { noAnswerKind } from "../no-answer.ts"

/** a response with calls is recorded as `{content?, tool_calls: [{name, arguments}]}` */
const toolCallsOf = (response: string | undefined): Pick<Answer, "text" | "toolCalls"> | undefined => {
  if (response?.startsWith("{") !== true || !response.includes('"tool_calls"')) return undefined
  const recorded = parseJson(response)
  const calls = listMember(recorded, "tool_calls")
  if (!isObject(recorded) || calls.length === 0) return undefined
  return {
    text: textMember(recorded, "content") ?? "",
    toolCalls: calls.map((call, at) => ({
      id: `call_${at}`,
      name: textMember(call, "name") ?? "",
      arguments: textMember(call, "arguments") ?? ""
    }))
  }
}

/** the record holds everything that metrics need, but of log-probabilities no more than decided */
export const restore = (record: SampleRecord): AskedItem | undefined => {
  if (record.verdict === "error" || record.verdict === "skipped") return undefined
  const finish = record.finish_reason === undefined ? {} : { finishReason: record.finish_reason }
  const calls = toolCallsOf(record.response)
  const isNoAnswer = record.reason?.startsWith("no_answer") === true
  return {
    answer: {
      text: calls === undefined ? (record.response ?? "") : calls.text,
      ...defined({ reasoning: record.reasoning }),
      toolCalls: calls?.toolCalls ?? [],
      ...finish,
      tokens: {
        prompt: record.tokens?.prompt ?? 0,
        completion: record.tokens?.completion ?? 0,
        estimated: record.tokens?.estimated ?? false
      },
      latencyMs: record.latency_ms ?? 0,
      retries: 0
    },
    verdict: {
      verdict: record.verdict,
      ...defined({ extracted: record.extracted }),
      ...(isNoAnswer ? { reason: "no_answer", noAnswer: noAnswerKind(finish) } : {}),
      scores: record.scores ?? {}
    }
  }
}
