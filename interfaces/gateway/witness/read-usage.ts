/**
 * Tokens of one exchange with a model: as its answer reports them, else told from the size of its texts. Only the end of a text is searched,
 * because answers of likelihoods are long. Reference: budgets.md, "What counts".
 */
import type { Spending } from "../../../domain/budget/budget.ts"
import { readAnswer } from "./read-exchange.ts"

export interface TokensUsed extends Omit<Spending, "requests"> {
  readonly reasoningTokens: number
  /** of all, those that are told from sizes */
  readonly estimatedTokens: number
}

const none: TokensUsed = { inputTokens: 0, outputTokens: 0, reasoningTokens: 0, estimatedTokens: 0 }
const bytesPerToken = 4
/** longer than any usage block that endpoints write */
const usageLength = 2_000

const numberAt = (text: string, names: string): number | undefined => {
  const found = new RegExp(`"(?:${names})"\\s*:\\s*(\\d{1,15})\\b`).exec(text)?.[1]
  return found === undefined ? undefined : Number(found)
}

/** the last block named `usage`; in a stream all but the last event may have it as null */
const reported = (text: string): TokensUsed | undefined => {
  for (let at = text.lastIndexOf('"usage"'); at >= 0; at = at === 0 ? -1 : text.lastIndexOf('"usage"', at - 1)) {
    const block = text.slice(at, at + usageLength)
    if (!/^"usage"\s*:\s*\{/.test(block)) continue
    const inputTokens = numberAt(block, "prompt_tokens|input_tokens")
    const outputTokens = numberAt(block, "completion_tokens|output_tokens")
    if (inputTokens === undefined && outputTokens === undefined) return undefined
    const reasoningTokens = numberAt(block, "reasoning_tokens") ?? 0
    return { ...none, inputTokens: inputTokens ?? 0, outputTokens: outputTokens ?? 0, reasoningTokens }
  }
  return undefined
}

/** `askedBytes`: length of the question; `answer`: text of a 2xx answer, as much of it as came; undefined when it can not be read. `isText`: it is generated text that was asked for */
export const readUsage = (
  askedBytes: number,
  answer: { readonly contentType: string; readonly text: string | undefined },
  isText: boolean
): TokensUsed => {
  const told = answer.text === undefined ? undefined : reported(answer.text)
  if (told !== undefined || !isText) return told ?? none
  const inputTokens = Math.ceil(askedBytes / bytesPerToken)
  const textBytes = answer.text === undefined ? 0 : readAnswer(answer.contentType, answer.text).textBytes
  const outputTokens = Math.ceil(textBytes / bytesPerToken)
  return { ...none, inputTokens, outputTokens, estimatedTokens: inputTokens + outputTokens }
}
