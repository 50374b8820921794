/**
 * The benchmark state machine as data: what may be reported in which state, and what a cancellation does.
 * Reference: states-and-scores.md, "Benchmark states", "Transitions".
 */
import type { BenchmarkState } from "./job.ts"

/** states an adapter may report; `cancelled` is set by cancelling the job and by nothing else */
const reportableStates = ["pending", "running", "completed", "failed"] as const satisfies ReadonlyArray<BenchmarkState>
export type ReportableState = (typeof reportableStates)[number]

/** what a report does: it is taken, it is fine and changes nothing, or it is refused as a conflict */
export type ReportAnswer = "apply" | "unchanged" | "refuse"

const reports: { readonly [From in BenchmarkState]: { readonly [To in ReportableState]: ReportAnswer } } = {
  pending: { pending: "unchanged", running: "apply", completed: "apply", failed: "apply" },
  running: { pending: "refuse", running: "apply", completed: "apply", failed: "apply" },
  completed: { pending: "refuse", running: "refuse", completed: "refuse", failed: "refuse" },
  failed: { pending: "refuse", running: "refuse", completed: "refuse", failed: "refuse" },
  cancelled: { pending: "refuse", running: "refuse", completed: "refuse", failed: "refuse" }
}

const afterCancel: { readonly [From in BenchmarkState]: BenchmarkState } = {
  pending: "cancelled",
  running: "cancelled",
  completed: "completed",
  failed: "failed",
  cancelled: "cancelled"
}

const terminal: { readonly [State in BenchmarkState]: boolean } = {
  pending: false,
  running: false,
  completed: true,
  failed: true,
  cancelled: true
}

/** true when nothing changes this state any more */
export const isTerminal = (state: BenchmarkState): boolean => terminal[state]

/** what reporting `to` does to a benchmark in `from`; the replay of an accepted terminal event is recognised before this is asked */
export const canReport = (from: BenchmarkState, to: ReportableState): ReportAnswer => reports[from][to]

/** the state of a benchmark after its job was cancelled */
export const cancelled = (state: BenchmarkState): BenchmarkState => afterCancel[state]

/** is this text a state that an event may carry? */
export const isReportable = (status: string): status is ReportableState =>
  reportableStates.some((state) => state === status)
