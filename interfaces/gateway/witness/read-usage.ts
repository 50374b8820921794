/**
 * Tokens of one exchange with a model: as its answer reports them, else told from the size of its texts. Only the end of a text is searched,
 * because answers of likelihoods are long. Reference: budgets.md, "What counts".
 */
import type { Spending } from "../../../domain/budget/budget.ts"

export interface TokensUsed extends Omit<Spending, "requests"> {
  readonly reasoningTokens: number
  /** of all, those that are told from sizes */
  readonly estimatedTokens: number
}

const none: TokensUsed = { inputTokens: 0, outputTokens: 0, reasoningTokens: 0, estimatedTokens: 0 }
const bytesPerToken = 4
/** longer than any usage block that endpoints write */
const usageLength = 2_000

const counted = (names: string): RegExp => new RegExp(`"(?:${names})"\\s*:\\s*(\\d{1,15})\\b`)
const input = counted("prompt_tokens|input_tokens")
const output = counted("completion_tokens|output_tokens")
const reasoning = counted("reasoning_tokens")

const numberAt = (text: string, name: RegExp): number | undefined => {
  const found = name.exec(text)?.[1]
  return found === undefined ? undefined : Number(found)
}

/** the last block named `usage`; in a stream all but the last event may have it as null */
const reported = (text: string): TokensUsed | undefined => {
  for (let at = text.lastIndexOf('"usage"'); at >= 0; at = at === 0 ? -1 : text.lastIndexOf('"usage"', at - 1)) {
    const block = text.slice(at, at + usageLength)
    if (!/^"usage"\s*:\s*\{/.test(block)) continue
    const inputTokens = numberAt(block, input)
    const outputTokens = numberAt(block, output)
    if (inputTokens === undefined && outputTokens === undefined) return undefined
    const reasoningTokens = numberAt(block, reasoning) ?? 0
    return { ...none, inputTokens: inputTokens ?? 0, outputTokens: outputTokens ?? 0, reasoningTokens }
  }
  return undefined
}

/** `askedBytes`: length of the question; `answer`: as much of its text as came; undefined when it can not be read. `textBytes`: of the generated text in it; undefined: something else was asked for */
export const readUsage = (
  askedBytes: number,
  answer: string | undefined,
  textBytes: (() => number) | undefined
): TokensUsed => {
  const told = answer === undefined ? undefined : reported(answer)
  if (told !== undefined || textBytes === undefined) return told ?? none
  const inputTokens = Math.ceil(askedBytes / bytesPerToken)
  const outputTokens = Math.ceil((answer === undefined ? 0 : textBytes()) / bytesPerToken)
  return { ...none, inputTokens, outputTokens, estimatedTokens: inputTokens + outputTokens }
}
