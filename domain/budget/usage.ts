/** What a benchmark and its job used of the model, from what was seen on the wire. Reference: budgets.md, "Usage". */
import { defined } from "../../values/defined.ts"
import type { WireCounts } from "../validity/wire-counts.ts"
import { costOf, type Price } from "./budget.ts"

export interface Usage {
  /** that left for the model */
  readonly requests: number
  /** of these, the same question again after a failure */
  readonly retries: number
  /** answers out of the log of an earlier run: no request left for them */
  readonly replayed: number
  readonly inputTokens: number
  readonly outputTokens: number
  /** of the generated ones */
  readonly reasoningTokens: number
  /** tokens that no answer reported */
  readonly estimatedTokens: number
  /** absent without a price */
  readonly cost?: number
}

/** undefined: nobody looked, or nothing was asked */
export const usageOf = (wire: WireCounts | undefined, price: Price | undefined): Usage | undefined => {
  if (wire === undefined || wire.sent + wire.fromLog + wire.overBudget === 0) return undefined
  const { sent, retries, fromLog, inputTokens, outputTokens, reasoningTokens, estimatedTokens } = wire
  const spending = { requests: sent, inputTokens, outputTokens }
  return {
    ...{ requests: sent, retries, replayed: fromLog, inputTokens, outputTokens, reasoningTokens, estimatedTokens },
    ...defined({ cost: price === undefined ? undefined : costOf(spending, price) })
  }
}

/** the cost of both is known only where each is */
export const addUsage = (one: Usage | undefined, other: Usage): Usage =>
  one === undefined
    ? other
    : {
        requests: one.requests + other.requests,
        retries: one.retries + other.retries,
        replayed: one.replayed + other.replayed,
        inputTokens: one.inputTokens + other.inputTokens,
        outputTokens: one.outputTokens + other.outputTokens,
        reasoningTokens: one.reasoningTokens + other.reasoningTokens,
        estimatedTokens: one.estimatedTokens + other.estimatedTokens,
        ...(one.cost === undefined || other.cost === undefined ? {} : { cost: one.cost + other.cost })
      }

/** of all tokens, 0..1 */
export const estimatedShare = ({ inputTokens, outputTokens, estimatedTokens }: Usage): number =>
  inputTokens + outputTokens === 0 ? 0 : estimatedTokens / (inputTokens + outputTokens)
