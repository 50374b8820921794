/** What a tenant's benchmarks used of their models. Reference: budgets.md, "Usage of a tenant". */
import { Effect } from "effect"
import { addUsage, type Usage } from "../../domain/budget/usage.ts"
import type { Caller } from "../access/caller.ts"
import { type UsageQuery, UsageStore } from "../ports/stores/usage-store.ts"

/** by model, and together; `total` is absent when nothing was used */
export const usageOfTenant = Effect.fn("jobs.usage")(function* (caller: Caller, query: UsageQuery) {
  const models = yield* (yield* UsageStore).byModel(caller.tenant, query)
  const total = models.reduce<Usage | undefined>((sum, { usage }) => addUsage(sum, usage), undefined)
  return { models, total }
})
