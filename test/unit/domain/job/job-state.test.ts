import { assert, describe, it } from "@effect/vitest"
import type { BenchmarkState, JobState } from "../../../../domain/job/job.ts"
import { aggregate, countsOf, headOf, moved, recounted } from "../../../../domain/job/job-state.ts"
import { sampleJob, second, t0 } from "../../../support/sample-job.ts"

describe("aggregation", () => {
  const table: ReadonlyArray<readonly [string, ReadonlyArray<BenchmarkState>, JobState]> = [
    ["none has reported", ["pending", "pending"], "pending"],
    ["one has reported", ["pending", "running"], "running"],
    ["one ended, one has not reported", ["completed", "pending"], "running"],
    ["one failed, one has not reported", ["failed", "pending"], "running"],
    ["one runs, one ended", ["running", "failed"], "running"],
    ["all completed", ["completed", "completed"], "completed"],
    ["all failed", ["failed", "failed"], "failed"],
    ["completed and failed", ["completed", "failed"], "partially_failed"],
    ["all cancelled", ["cancelled", "cancelled"], "cancelled"],
    ["all terminal, one cancelled", ["completed", "failed", "cancelled"], "cancelled"],
    ["single completed", ["completed"], "completed"]
  ]
  for (const [name, states, want] of table) {
    it(`${name}: ${want}`, () => assert.strictEqual(aggregate(countsOf(states.map((state) => ({ state })))), want))
  }
})

describe("head", () => {
  it("is the job without request and benchmarks", () => {
    const head = headOf(sampleJob())
    assert.isFalse("request" in head || "benchmarks" in head)
    assert.strictEqual(head.id, "job-1")
  })
  it("gets state, message code and time from new counts", () => {
    const head = headOf(sampleJob([{}, {}]))
    const next = recounted(head, moved(head.counts, "pending", "completed"), second(5))
    assert.strictEqual(next.state, "running")
    assert.deepStrictEqual(next.message, {
      code: "evaluation_job_updated",
      message: "Evaluation job is running: 1 of 2 benchmarks ended.",
      origin: "server"
    })
    assert.strictEqual(next.updatedAt, second(5))
  })
  it("never goes back in time when the clock does", () => {
    const head = headOf(sampleJob())
    assert.strictEqual(recounted(head, head.counts, second(-3600)).updatedAt, t0)
  })
})
