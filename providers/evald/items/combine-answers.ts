/** Several requests for one item, seen as one answer. */
import type { Answer, TokenUsage } from "../../sdk/model/model-exchange.ts"

const plus = (a: TokenUsage, b: TokenUsage): TokenUsage => ({
  prompt: a.prompt + b.prompt,
  completion: a.completion + b.completion,
  ...(a.reasoning === undefined && b.reasoning === undefined
    ? {}
    : { reasoning: (a.reasoning ?? 0) + (b.reasoning ?? 0) }),
  ...(a.cached === undefined && b.cached === undefined ? {} : { cached: (a.cached ?? 0) + (b.cached ?? 0) }),
  estimated: a.estimated || b.estimated
})

/** several answers seen as one: the last one's text, everyone's tokens, time and retries */
export const combineAnswers = (earlier: Answer, last: Answer): Answer => ({
  ...last,
  tokens: plus(earlier.tokens, last.tokens),
  latencyMs: earlier.latencyMs + last.latencyMs,
  retries: earlier.retries + last.retries,
  ...(earlier.askedAgain === true || last.askedAgain === true ? { askedAgain: true } : {})
})
