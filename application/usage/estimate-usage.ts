/** What the benchmarks of a job may use, told before it runs. Reference: budgets.md, "Estimates". */
import { Effect, Either } from "effect"
import { costOf } from "../../domain/budget/budget.ts"
import type { Benchmark } from "../../domain/job/job.ts"
import { numExamplesOf } from "../../domain/job/submission/parameters.ts"
import { defined } from "../../values/defined.ts"
import { UsageStore } from "../ports/stores/usage-store.ts"

export interface Estimate {
  readonly requests: number
  /** absent where nothing tells them */
  readonly tokens?: { readonly input: number; readonly output: number }
  /** absent without tokens or a price */
  readonly cost?: number
  /** means over the tenant's last runs of the benchmark, whatever their parameters were; else a request for each example */
  readonly basis: { readonly kind: "earlier_runs"; readonly runs: number } | { readonly kind: "num_examples" }
}

const mostRuns = 10

/** undefined: nothing tells it */
export const estimateUsage = (tenant: string, { entry, snapshot }: Benchmark) =>
  Effect.gen(function* () {
    const runs = (yield* (yield* UsageStore).lately(tenant, entry, mostRuns)).filter(({ replayed }) => replayed === 0)
    const examples = Either.getOrUndefined(numExamplesOf(entry.parameters))
    if (runs.length === 0) {
      const known: Estimate | undefined =
        examples === undefined ? undefined : { requests: examples, basis: { kind: "num_examples" } }
      return known
    }
    const mean = (of: (run: (typeof runs)[number]) => number) =>
      Math.ceil(runs.reduce((sum, run) => sum + of(run), 0) / runs.length)
    const spending = {
      requests: mean(({ requests }) => requests),
      inputTokens: mean(({ inputTokens }) => inputTokens),
      outputTokens: mean(({ outputTokens }) => outputTokens)
    }
    const estimate: Estimate = {
      requests: spending.requests,
      tokens: { input: spending.inputTokens, output: spending.outputTokens },
      ...defined({ cost: snapshot.price === undefined ? undefined : costOf(spending, snapshot.price) }),
      basis: { kind: "earlier_runs", runs: runs.length }
    }
    return estimate
  })
