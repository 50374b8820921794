/** Budgets of a submitted job: which are refused, and what each benchmark may use alone. Reference: budgets.md, "Budgets". */
import { defined } from "../../../values/defined.ts"
import { type Budget, checkBudget, isEmptyBudget, type Price, type TenantBudget, tighter } from "../../budget/budget.ts"
import { shown, type Violation, violation } from "../../violation.ts"
import type { BenchmarkEntry, JobRequest } from "../job.ts"

interface Metering {
  readonly budgets?: TenantBudget
  readonly price?: Price
}

/** the job's own budget, and a cost that its tenant sets where nobody knows prices */
export const checkBudgets = (
  request: JobRequest,
  { cost }: Budget,
  { budgets, price }: Metering
): ReadonlyArray<Violation> => {
  const own = checkBudget(request.budget, ["budget"], { caps: budgets?.caps, price })
  const isOwnCost = request.budget?.cost !== undefined
  return isOwnCost || price !== undefined || cost === undefined
    ? own
    : [
        ...own,
        violation(
          ["model", "name"],
          `this tenant's jobs have a budget of cost, and model ${shown(request.model.name)} has no price here; name another model, or set prices.<model>`
        )
      ]
}

/** what holds this benchmark alone, and what its tokens cost */
export const meteringOf = (
  { budget: own }: BenchmarkEntry,
  share: Budget,
  { price }: Metering
): { readonly budget?: Budget; readonly price?: Price } => {
  const budget = own === undefined ? share : tighter(own, share)
  return defined({ budget: isEmptyBudget(budget) ? undefined : budget, price })
}
