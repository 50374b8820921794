/** The budgets that hold one benchmark, its own and its job's: asked before each request leaves. Reference: budgets.md, "How it is held". */
import { type BudgetMember, nothingSpent, type Spending } from "../../../domain/budget/budget.ts"
import { isObject, numberMember } from "../../../values/json.ts"
import type { Ledger } from "./ledger.ts"

export interface Held {
  /** once: what the request used; nothing when it never left */
  readonly settle: (used: Spending | undefined) => void
}

/** which member is used up; `unknown`: what was used before a restart can not be told */
export type OverBudget = BudgetMember | "unknown"

export interface UnitBudget {
  /** what is used up, or what is held for the request; `isGone`: its caller left while it waited */
  readonly hold: (most: Spending, isGone: () => boolean) => Promise<Held | { readonly over: OverBudget }>
}

/** tokens of an answer whose request sets no limit */
const assumedAnswer = 1024
/** bytes of a question for each of its tokens, as far as anybody can tell beforehand */
const bytesPerToken = 4

/** the most that a request is expected to use; `body`: as it was read, undefined for one that is not JSON or too long */
export const mostOf = (bytes: number, body: unknown): Spending => {
  const inputTokens = Math.ceil(bytes / bytesPerToken)
  if (!isObject(body) || (body["messages"] === undefined && body["prompt"] === undefined))
    return { requests: 1, inputTokens, outputTokens: 0 }
  const limit = numberMember(body, "max_completion_tokens") ?? numberMember(body, "max_tokens") ?? assumedAnswer
  const choices = Math.max(1, numberMember(body, "n") ?? 1, numberMember(body, "best_of") ?? 1)
  const { prompt } = body
  const prompts = Array.isArray(prompt) && typeof prompt[0] !== "number" ? Math.max(1, prompt.length) : 1
  return { requests: 1, inputTokens, outputTokens: Math.max(0, limit) * choices * prompts }
}

/** of a unit of which nobody knows what it used: nothing more; `onOver`: told once */
export const unknownBudget = (onOver: (over: OverBudget) => void): UnitBudget => {
  let told = false
  return {
    hold: async () => {
      if (!told) onOver("unknown")
      told = true
      return { over: "unknown" }
    }
  }
}

/** `onOver`: told once, when nothing of this benchmark is under way any more */
export const makeUnitBudget = (ledgers: ReadonlyArray<Ledger>, onOver: (over: OverBudget) => void): UnitBudget => {
  let open = 0
  let over: BudgetMember | undefined
  let told = false
  const tell = () => {
    if (over === undefined || told || open > 0) return
    told = true
    onOver(over)
  }
  const taken = (most: Spending): Held => {
    for (const ledger of ledgers) ledger.take(most)
    open += 1
    let done = false
    return {
      settle: (used = nothingSpent) => {
        if (done) return
        done = true
        open -= 1
        for (const ledger of ledgers) ledger.settle(most, used)
        tell()
      }
    }
  }
  return {
    hold: async (most, isGone) => {
      while (!isGone()) {
        const verdicts = ledgers.map((ledger) => ({ ledger, verdict: ledger.verdict(most) }))
        const first = verdicts.flatMap(({ verdict }) => (typeof verdict === "object" ? [verdict] : []))[0]
        if (first !== undefined) {
          over ??= first.over
          tell()
          return { over }
        }
        const later = verdicts.find(({ verdict }) => verdict === "later")
        if (later === undefined) return taken(most)
        await later.ledger.settled()
      }
      return { settle: () => {} }
    }
  }
}

/** what a failure says */
export const overBudgetText = (over: OverBudget): string =>
  over === "unknown"
    ? "What the benchmark used of its budget before a restart is not known, so that nothing more may be used. Run it again."
    : `The budget of ${over} is used up: further requests to the model were refused, so that there is no score. Run it again with a larger budget: a rerun takes it in overrides.budget.`
