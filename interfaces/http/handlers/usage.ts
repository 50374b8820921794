/** Handler of the usage route. Reference: budgets.md, "Usage of a tenant". */
import { Effect } from "effect"
import { usageOfTenant } from "../../../application/usage/usage-of-tenant.ts"
import { estimatedShare, type Usage } from "../../../domain/budget/usage.ts"
import { defined } from "../../../values/defined.ts"
import { json } from "../exchange.ts"
import type { Handler } from "../handler.ts"
import { readQuery } from "./read-request.ts"

const usageWire = (usage: Usage) => {
  const { requests, retries, replayed, cost } = usage
  const tokens = { input: usage.inputTokens, output: usage.outputTokens, reasoning: usage.reasoningTokens }
  return { requests, retries, replayed, tokens, estimated_share: estimatedShare(usage), ...defined({ cost }) }
}

export const ofTenant: Handler<"getUsage"> = (request) =>
  Effect.gen(function* () {
    const { from, to, model } = yield* readQuery(request)
    const { models, total } = yield* usageOfTenant(request.caller, { ...defined({ from, to, model }) })
    const answer = {
      models: models.map(({ usage, ...rest }) => ({ ...rest, usage: usageWire(usage) })),
      ...(total === undefined ? {} : { total: usageWire(total) })
    }
    return json(answer, { "cache-control": "no-store" })
  })
