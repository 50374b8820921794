/**
 * What a job or a benchmark may use of its model, and whether a request still fits: pure rules on sums. Reference: budgets.md, "Budgets",
 * "What counts".
 */
import { defined } from "../../values/defined.ts"
import type { Path } from "../path.ts"
import { member as named, say } from "../sentence.ts"
import { type Violation, violation } from "../violation.ts"

export const budgetMembers = ["requests", "tokens", "seconds", "cost"] as const
export type BudgetMember = (typeof budgetMembers)[number]

/** the most of each; absent: any. `seconds`: from the first request to the last one that leaves */
export type Budget = { readonly [Member in BudgetMember]?: number }

/** of a million tokens, in whatever the operator counts in */
export interface Price {
  readonly input: number
  readonly output: number
}

/** what requests use, or may use */
export interface Spending {
  readonly requests: number
  readonly inputTokens: number
  readonly outputTokens: number
}

export const nothingSpent: Spending = { requests: 0, inputTokens: 0, outputTokens: 0 }

export const addSpending = (one: Spending, other: Spending): Spending => ({
  requests: one.requests + other.requests,
  inputTokens: one.inputTokens + other.inputTokens,
  outputTokens: one.outputTokens + other.outputTokens
})

export const subtractSpending = (one: Spending, other: Spending): Spending => ({
  requests: one.requests - other.requests,
  inputTokens: one.inputTokens - other.inputTokens,
  outputTokens: one.outputTokens - other.outputTokens
})

export const costOf = ({ inputTokens, outputTokens }: Spending, { input, output }: Price): number =>
  (inputTokens * input + outputTokens * output) / 1e6

/** the first member that this would be more than; a cost without a price is never known to fit */
export const exceeded = (budget: Budget, spending: Spending, price: Price | undefined): BudgetMember | undefined => {
  const { requests, tokens, cost } = budget
  if (requests !== undefined && spending.requests > requests) return "requests"
  if (tokens !== undefined && spending.inputTokens + spending.outputTokens > tokens) return "tokens"
  if (cost !== undefined && (price === undefined || costOf(spending, price) > cost)) return "cost"
  return undefined
}

const least = (one: number | undefined, other: number | undefined): number | undefined =>
  one === undefined ? other : other === undefined ? one : Math.min(one, other)

const perMember = (of: (member: BudgetMember) => number | undefined): Budget =>
  defined({ requests: of("requests"), tokens: of("tokens"), seconds: of("seconds"), cost: of("cost") })

/** the smaller of both, member by member */
export const tighter = (one: Budget | undefined, other: Budget | undefined): Budget =>
  perMember((member) => least(one?.[member], other?.[member]))

/** what each of so many benchmarks may use where nobody sees them together; all may take the whole time */
export const shareOf = (budget: Budget | undefined, benchmarks: number): Budget =>
  perMember((member) => {
    const whole = budget?.[member]
    if (whole === undefined || member === "seconds") return whole
    return member === "cost" ? whole / benchmarks : Math.floor(whole / benchmarks)
  })

/** what a tenant's jobs get that ask for nothing, and what none of them may go beyond */
export interface TenantBudget {
  readonly defaults?: Budget
  readonly caps?: Budget
}

/** the job's own before its tenant's default, and never without the tenant's cap */
export const budgetOf = (asked: Budget | undefined, { defaults, caps }: TenantBudget): Budget =>
  perMember((member) => asked?.[member] ?? least(defaults?.[member], caps?.[member]))

export const isEmptyBudget = (budget: Budget): boolean => Object.keys(budget).length === 0

/** `path`: of the budget. Beyond the cap, or a cost that nobody can compute */
export const checkBudget = (
  budget: Budget | undefined,
  path: Path,
  { caps, price }: { readonly caps?: Budget | undefined; readonly price?: Price | undefined }
): ReadonlyArray<Violation> => {
  if (budget === undefined) return []
  return budgetMembers.flatMap((member) => {
    const value = budget[member]
    const cap = caps?.[member]
    if (value === undefined) return []
    const at = [...path, member]
    const refused = (why: string) => [violation(at, say`${named(at)} is ${String(value)}; ${why}`)]
    const isWhole = member === "requests" || member === "tokens"
    const least = member === "cost" ? 0 : 1
    if (!(value >= least) || (isWhole && !Number.isInteger(value)))
      return refused(`it must be a ${isWhole ? "whole number" : "number"} of at least ${least}`)
    if (isWhole && value > Number.MAX_SAFE_INTEGER)
      return refused(`it must be at most ${Number.MAX_SAFE_INTEGER}; without it there is no limit`)
    if (cap !== undefined && value > cap) return refused(`this tenant's jobs may use at most ${cap}; ask for no more`)
    return member === "cost" && price === undefined
      ? refused("the model has no price here, so that nobody can reckon it; leave it out, or set prices.<model>")
      : []
  })
}
