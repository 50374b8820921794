/** What becomes of a benchmark whose requests were refused: never a score. */
import { assert, describe, it } from "@effect/vitest"
import { Either } from "effect"
import { decideEnded } from "../../../../domain/job/runtime-fact.ts"
import { decideEvent } from "../../../../domain/job/status-event.ts"
import { noCounts } from "../../../../domain/validity/wire-counts.ts"
import { completedEvent, failedEvent, makeJob } from "../../../support/stored-jobs.ts"

const job = makeJob({ id: "job", tenant: "t", benchmarks: 1 })
const [benchmark] = job.benchmarks
const now = "2026-01-01T00:00:10.000Z"
const wire = { ...noCounts, sent: 5, inputTokens: 50, outputTokens: 5, overBudget: 2 }

const changedBy = (event: Parameters<typeof decideEvent>[2]) => {
  if (benchmark === undefined) throw new Error("no benchmark")
  const change = Either.getOrThrow(decideEvent(job, benchmark, event, now, { deferTrackerFailure: true }))
  if (change._tag !== "Changed") throw new Error(change._tag)
  return change
}

describe("a benchmark that was beyond its budget", () => {
  it("fails although its adapter reports a score, which is not kept, and says what it used", () => {
    const { benchmark: ended, head } = changedBy({ ...completedEvent(0), wire })
    assert.deepStrictEqual([ended.state, ended.error?.code], ["failed", "budget_exhausted"])
    assert.deepStrictEqual([ended.result?.metrics, ended.result?.test], [{}, undefined])
    assert.deepStrictEqual([ended.usage?.requests, head.usage?.inputTokens], [5, 50])
  })
  it("fails with the first cause, whatever its adapter made of it", () => {
    assert.strictEqual(changedBy({ ...failedEvent(0), wire }).benchmark.error?.code, "budget_exhausted")
    assert.notStrictEqual(
      changedBy({ ...failedEvent(0), wire: { ...wire, overBudget: 0 } }).benchmark.error?.code,
      "budget_exhausted"
    )
  })
  it("fails so when its adapter just ends", () => {
    if (benchmark === undefined) throw new Error("no benchmark")
    const fact = { attempt: 1, at: now, code: "adapter_exited_without_result", message: "", wire }
    const change = decideEnded(job, benchmark, fact, now)
    assert.strictEqual(change._tag === "Changed" ? change.benchmark.error?.code : "", "budget_exhausted")
    assert.strictEqual(change._tag === "Changed" ? change.benchmark.usage?.requests : 0, 5)
  })
  it("within it is scored as ever", () => {
    const { benchmark: ended } = changedBy({ ...completedEvent(0), wire: { ...wire, overBudget: 0 } })
    assert.strictEqual(ended.state, "completed")
  })
})
