import { assert, describe, it } from "@effect/vitest"
import { Either } from "effect"
import { decideCancel } from "../../../../domain/job/cancellation.ts"
import type { Message } from "../../../../domain/job/job.ts"
import { sampleJob, second } from "../../../support/sample-job.ts"

const now = second(60)
const changed = (job: Parameters<typeof decideCancel>[0]) => {
  const decision = Either.getOrThrow(decideCancel(job, now))
  if (decision._tag === "Unchanged") throw new Error("nothing changed")
  return decision
}

describe("cancelling a job", () => {
  it("cancels what is not terminal and leaves the rest", () => {
    const job = sampleJob([
      { state: "completed" },
      { state: "running", startedAt: second(10), phase: "loading_data", progress: { completed: 1 } },
      {}
    ])
    const { head, benchmarks } = changed(job)
    assert.deepStrictEqual(
      benchmarks.map(({ index, state, completedAt }) => [index, state, completedAt]),
      [
        [1, "cancelled", now],
        [2, "cancelled", now]
      ]
    )
    assert.isUndefined(benchmarks[0]?.phase)
    assert.isUndefined(benchmarks[0]?.progress)
    assert.strictEqual(head.state, "cancelled")
    assert.deepStrictEqual(head.counts, { pending: 0, running: 0, completed: 1, failed: 0, cancelled: 2 })
    assert.strictEqual(head.message.code, "evaluation_job_updated")
    assert.strictEqual(head.updatedAt, now)
  })
  it("keeps partial results and says that they do not cover the job", () => {
    const test = { primaryScore: 0.8, metric: "acc", lowerIsBetter: false }
    const { head } = changed(sampleJob([{ state: "completed", result: { metrics: { acc: 0.8 }, test } }, {}]))
    assert.deepStrictEqual(head.test, {
      score: 0.8,
      threshold: 0.5,
      pass: false,
      coverage: 0.5,
      decided: "inconclusive",
      notes: ["Benchmark 1 (p/b) is cancelled without a value."]
    })
  })
  it("says on every benchmark that it cancels why it ended, and on no other", () => {
    const failure: Message = { message: "no room", code: "out_of_memory", origin: "runtime" }
    const { benchmarks } = changed(
      sampleJob([{ state: "failed", error: failure }, { state: "running", error: failure }, {}])
    )
    const why: Message = { message: "Evaluation job cancelled", code: "evaluation_job_cancelled", origin: "server" }
    assert.deepStrictEqual(
      benchmarks.map(({ index, error }) => ({ index, error })),
      [1, 2].map((index) => ({ index, error: why }))
    )
  })
  it("never ends a benchmark before it started", () => {
    const { benchmarks } = changed(sampleJob([{ state: "running", startedAt: second(90) }]))
    assert.strictEqual(benchmarks[0]?.completedAt, second(90))
  })
  it("of a cancelled job changes nothing", () => {
    assert.deepStrictEqual(decideCancel(sampleJob([{ state: "cancelled" }]), now), Either.right({ _tag: "Unchanged" }))
  })
  for (const [state, states] of [
    ["completed", ["completed"]],
    ["failed", ["failed"]],
    ["partially_failed", ["completed", "failed"]]
  ] as const) {
    it(`of a job that is ${state} is refused`, () => {
      const refusal = Either.getOrThrow(
        Either.flip(decideCancel(sampleJob(states.map((one) => ({ state: one }))), now))
      )
      assert.deepStrictEqual(refusal, {
        _tag: "JobTerminal",
        code: "job_can_not_be_updated",
        message: `job job-1 can not be cancelled because it is ${state}`
      })
    })
  }
})
