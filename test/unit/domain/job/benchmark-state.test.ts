import { assert, describe, it } from "@effect/vitest"
import {
  cancelled,
  canReport,
  isReportable,
  isTerminal,
  type ReportAnswer,
  type ReportableState
} from "../../../../domain/job/benchmark-state.ts"
import { type BenchmarkState, benchmarkStates } from "../../../../domain/job/job.ts"

describe("benchmark states", () => {
  const table: ReadonlyArray<readonly [BenchmarkState, ReportableState, ReportAnswer]> = [
    ["pending", "pending", "unchanged"],
    ["pending", "running", "apply"],
    ["pending", "completed", "apply"],
    ["pending", "failed", "apply"],
    ["running", "pending", "refuse"],
    ["running", "running", "apply"],
    ["running", "completed", "apply"],
    ["running", "failed", "apply"]
  ]
  for (const [from, to, want] of table) {
    it(`${from} + ${to} -> ${want}`, () => assert.strictEqual(canReport(from, to), want))
  }
  it("terminal states refuse every report and survive a cancellation", () => {
    for (const state of benchmarkStates.filter(isTerminal)) {
      for (const to of ["pending", "running", "completed", "failed"] as const)
        assert.strictEqual(canReport(state, to), "refuse")
      assert.strictEqual(cancelled(state), state)
    }
  })
  it("exactly completed, failed and cancelled are terminal", () => {
    assert.deepStrictEqual(benchmarkStates.filter(isTerminal), ["completed", "failed", "cancelled"])
  })
  it("what is not terminal is cancelled by a cancellation", () => {
    assert.strictEqual(cancelled("pending"), "cancelled")
    assert.strictEqual(cancelled("running"), "cancelled")
  })
  it("cancelled can not be reported", () => {
    assert.isFalse(isReportable("cancelled"))
    assert.isFalse(isReportable("done"))
    assert.isTrue(isReportable("failed"))
  })
})
