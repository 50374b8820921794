/** What was used of the model reaches the benchmark at any time, after its end too: what was spent is spent. Reference: budgets.md, "Usage". */
import { type CountedSpent, usedAfter, type WireSpent, wireSpent } from "../budget/usage.ts"
import type { Benchmark, JobHead } from "./job.ts"
import { type BenchmarkChange, changed, unchanged } from "./job-state.ts"

/** by the gateway of the server that launched it */
export const countedHere = (attempt: number, wire: WireSpent): CountedSpent => ({
  by: String(attempt),
  spent: wireSpent(wire)
})

/** what comes along with an event or a fact; `told` says who counted, without it the server's own gateway did */
export const withSpent = (
  benchmark: Benchmark,
  { told, wire }: { readonly told?: CountedSpent | undefined; readonly wire?: WireSpent | undefined }
): Benchmark => {
  const counted = told ?? (wire === undefined ? undefined : countedHere(benchmark.attempt, wire))
  return counted === undefined ? benchmark : usedAfter(benchmark, counted, benchmark.snapshot.price)
}

/** nothing but the usage changes, whatever the state is */
export const decideSpent = (
  head: JobHead,
  benchmark: Benchmark,
  told: { readonly told?: CountedSpent | undefined; readonly wire?: WireSpent | undefined },
  now: string
): BenchmarkChange => {
  const next = withSpent(benchmark, told)
  return next === benchmark ? unchanged : changed(head, benchmark, next, now)
}
