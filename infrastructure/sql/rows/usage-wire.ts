/** What was used of the model, as it goes out. Reference: budgets.md, "Usage". */
import { estimatedShare, type Usage } from "../../../domain/budget/usage.ts"
import { defined } from "../../../values/defined.ts"

export const usageWire = (usage: Usage | undefined) =>
  usage === undefined
    ? undefined
    : {
        requests: usage.requests,
        retries: usage.retries,
        replayed: usage.replayed,
        tokens: { input: usage.inputTokens, output: usage.outputTokens, reasoning: usage.reasoningTokens },
        estimated_share: estimatedShare(usage),
        ...defined({ cost: usage.cost })
      }
