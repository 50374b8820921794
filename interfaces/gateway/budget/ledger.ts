/**
 * What was spent of a budget and what is held for requests under way. A request that fits only if those under way use less than they may
 * waits for them, so that nothing is refused that would have fitted. Reference: budgets.md, "How it is held".
 */
import {
  addSpending,
  type Budget,
  type BudgetMember,
  exceeded,
  nothingSpent,
  type Price,
  type Spending,
  subtractSpending
} from "../../../domain/budget/budget.ts"

export interface Ledger {
  readonly verdict: (most: Spending) => "fits" | "later" | { readonly over: BudgetMember }
  readonly take: (most: Spending) => void
  /** `used`: in place of what was held */
  readonly settle: (most: Spending, used: Spending) => void
  /** resolves when something was settled */
  readonly settled: () => Promise<void>
}

/** `clock`: monotonic milliseconds; `spent`: before this process */
export const makeLedger = (
  budget: Budget,
  price: Price | undefined,
  { clock, spent: before = nothingSpent }: { readonly clock: () => number; readonly spent?: Spending }
): Ledger => {
  let spent = before
  let held = nothingSpent
  let begun: number | undefined
  let waiting: Array<() => void> = []
  const isOver = (): boolean =>
    budget.seconds !== undefined && begun !== undefined && clock() - begun >= budget.seconds * 1000
  return {
    verdict: (most) => {
      if (isOver()) return { over: "seconds" }
      const over = exceeded(budget, addSpending(spent, most), price)
      if (over !== undefined) return { over }
      return exceeded(budget, addSpending(addSpending(spent, held), most), price) === undefined ? "fits" : "later"
    },
    take: (most) => {
      begun ??= clock()
      held = addSpending(held, most)
    },
    settle: (most, used) => {
      held = subtractSpending(held, most)
      spent = addSpending(spent, used)
      const woken = waiting
      waiting = []
      for (const wake of woken) wake()
    },
    settled: () => new Promise((resolve) => waiting.push(resolve))
  }
}
