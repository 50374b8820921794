import { assert, describe, it } from "@effect/vitest"
import { deadlineOf, overdue } from "../../../../domain/job/deadline.ts"
import type { Benchmark } from "../../../../domain/job/job.ts"
import { sampleBenchmark, second } from "../../../support/sample-job.ts"

const timeouts = { pendingSeconds: 60, benchmarkSeconds: 600 }
const due = (benchmark: Partial<Benchmark>, given = timeouts as Parameters<typeof deadlineOf>[1]) => {
  const at = deadlineOf(sampleBenchmark(benchmark), given)
  return at === undefined ? undefined : new Date(at).toISOString()
}

describe("deadlines", () => {
  const table: ReadonlyArray<readonly [string, Partial<Benchmark>, string | undefined]> = [
    ["waiting for a worker has none", {}, undefined],
    ["spawned and silent: from the spawn", { spawnedAt: second(10) }, second(70)],
    ["running: from the start", { state: "running", startedAt: second(10), spawnedAt: second(1) }, second(610)],
    ["taken off its node: none", { state: "running", startedAt: second(10), interruptedAt: second(30) }, undefined],
    [
      "back again: from zero",
      { state: "running", startedAt: second(10), spawnedAt: second(1), resumedAt: second(40) },
      second(640)
    ],
    ["terminal has none", { state: "completed", startedAt: second(10) }, undefined]
  ]
  for (const [name, benchmark, want] of table) it(name, () => assert.strictEqual(due(benchmark), want))
  it("0 and absent are off", () => {
    assert.isUndefined(due({ spawnedAt: second(1) }, {}))
    assert.isUndefined(due({ state: "running", startedAt: second(1) }, { benchmarkSeconds: 0, pendingSeconds: 0 }))
  })
  it("a silent unit is bounded by the benchmark's limit when there is no other", () => {
    assert.strictEqual(due({ spawnedAt: second(10) }, { benchmarkSeconds: 600 }), second(610))
  })
  it("the earlier of two limits counts", () => {
    assert.strictEqual(due({ spawnedAt: second(10) }, { pendingSeconds: 60, benchmarkSeconds: 20 }), second(30))
  })
})

describe("overdue benchmarks", () => {
  const running = sampleBenchmark({ state: "running", startedAt: second(0), attempt: 2 })
  it("fail with deadline_exceeded and the limit that was passed", () => {
    const failure = overdue(running, timeouts, second(600))
    assert.strictEqual(failure?.code, "deadline_exceeded")
    assert.strictEqual(failure?.attempt, 2)
    assert.include(failure?.message, "600 seconds (timeouts.benchmark_seconds)")
  })
  it("are not overdue a millisecond earlier", () =>
    assert.isUndefined(overdue(running, timeouts, "2026-08-17T10:09:59.999Z")))
  it("that never reported name the other limit", () => {
    const failure = overdue(sampleBenchmark({ spawnedAt: second(0) }), timeouts, second(61))
    assert.include(failure?.message, "timeouts.pending_seconds")
  })
})
