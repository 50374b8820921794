import { assert, describe, it } from "@effect/vitest"
import { Either } from "effect"
import { wirePointer, wireSentence } from "../../../../config/wire-names.ts"
import type { Benchmark, Message } from "../../../../domain/job/job.ts"
import { headOf } from "../../../../domain/job/job-state.ts"
import { decideEvent, type EventRefusal, type StatusEvent } from "../../../../domain/job/status-event.ts"
import { sampleBenchmark, sampleEvent, sampleJob, sampleSnapshot, second } from "../../../support/sample-job.ts"

const now = second(60)
const deferring = { deferTrackerFailure: true }

const decide = (benchmark: Partial<Benchmark>, event: Partial<StatusEvent>, options = deferring, at = now) => {
  // a second benchmark keeps the job open
  const job = sampleJob([benchmark, {}])
  return decideEvent(headOf(job), sampleBenchmark(benchmark), sampleEvent(event), at, options)
}
const applied = (
  benchmark: Partial<Benchmark>,
  event: Partial<StatusEvent>,
  options = deferring,
  at = now
): Benchmark => {
  const change = Either.getOrThrow(decide(benchmark, event, options, at))
  if (change._tag === "Unchanged") throw new Error("nothing changed")
  return change.benchmark
}
const refused = (benchmark: Partial<Benchmark>, event: Partial<StatusEvent>): EventRefusal =>
  Either.getOrThrow(Either.flip(decide(benchmark, event)))
const isUnchanged = (benchmark: Partial<Benchmark>, event: Partial<StatusEvent>): boolean =>
  Either.match(decide(benchmark, event), { onLeft: () => false, onRight: ({ _tag }) => _tag === "Unchanged" })

const problem: Message = { message: "401", code: "model_authentication_failed", origin: "adapter" }
const trackerFailure: Message = { message: "no tracker", code: "mlflow_save_failed", origin: "sdk" }

describe("first running event", () => {
  it("starts the benchmark at the server's time and keeps the phase", () => {
    const next = applied({}, { phase: "initializing" })
    assert.strictEqual(next.state, "running")
    assert.strictEqual(next.phase, "initializing")
    assert.strictEqual(next.startedAt, now)
    assert.isUndefined(next.completedAt)
  })
  it("takes the event's start when it has one", () =>
    assert.strictEqual(applied({}, { startedAt: second(7) }).startedAt, second(7)))
  it("drops the reason for not starting", () => {
    const warning: Message = { message: "0/3 nodes", code: "unschedulable", origin: "runtime" }
    assert.isUndefined(applied({ warning }, {}).warning)
  })
  it("recomputes the job's state", () => {
    const change = Either.getOrThrow(decide({}, {}))
    assert.strictEqual(change._tag, "Changed")
    if (change._tag === "Changed") {
      assert.strictEqual(change.head.state, "running")
      assert.deepStrictEqual(change.head.counts, { pending: 1, running: 1, completed: 0, failed: 0, cancelled: 0 })
      assert.strictEqual(change.head.message.code, "evaluation_job_updated")
    }
  })
})

describe("further running events", () => {
  const before: Partial<Benchmark> = {
    state: "running",
    phase: "loading_data",
    startedAt: second(1),
    warning: { message: "slow", code: "w1", origin: "adapter" },
    progress: { completed: 3, total: 10 },
    result: { metrics: { a: 1 } }
  }
  it("erase nothing that they leave out", () => {
    const next = applied(before, {})
    assert.deepStrictEqual(next, sampleBenchmark(before))
  })
  it("merge progress member by member", () => {
    assert.deepStrictEqual(applied(before, { progress: { completed: 4, message: "half" } }).progress, {
      completed: 4,
      total: 10,
      message: "half"
    })
  })
  it("replace phase and warning", () => {
    const warning: Message = { message: "slower", code: "w2", origin: "adapter" }
    const next = applied(before, { phase: "post_processing", warning })
    assert.strictEqual(next.phase, "post_processing")
    assert.deepStrictEqual(next.warning, warning)
  })
  it("may bring metrics early", () =>
    assert.deepStrictEqual(applied(before, { metrics: { b: 2 } }).result?.metrics, { b: 2 }))
})

describe("pending events", () => {
  it("change nothing while pending", () => assert.isTrue(isUnchanged({}, { status: "pending" })))
  it("conflict while running", () => {
    assert.strictEqual(refused({ state: "running" }, { status: "pending" })._tag, "BenchmarkTerminal")
  })
})

describe("completed events", () => {
  it("store result, verdict, times and digest, and drop phase and progress", () => {
    const before = {
      state: "running",
      phase: "post_processing",
      progress: { completed: 1 },
      startedAt: second(10)
    } as const
    const next = applied(before, {
      status: "completed",
      metrics: { acc: 0.5, note: "ok" },
      completedAt: second(50),
      trackerRunId: "r1",
      artifacts: { oci_digest: "sha256:1" },
      digest: "last"
    })
    assert.strictEqual(next.state, "completed")
    assert.isUndefined(next.phase)
    assert.isUndefined(next.progress)
    assert.strictEqual(next.completedAt, second(50))
    assert.strictEqual(next.terminalDigest, "last")
    assert.deepStrictEqual(next.result, {
      metrics: { acc: 0.5, note: "ok" },
      trackerRunId: "r1",
      artifacts: { oci_digest: "sha256:1" },
      test: { primaryScore: 0.5, metric: "acc", lowerIsBetter: false }
    })
  })
  it("judge by the snapshot's threshold", () => {
    const snapshot = sampleSnapshot({ threshold: { value: 0.6, source: "job" } })
    const next = applied({ snapshot }, { status: "completed", metrics: { acc: 0.5 } })
    assert.deepStrictEqual(next.result?.test, {
      primaryScore: 0.5,
      metric: "acc",
      lowerIsBetter: false,
      threshold: 0.6,
      pass: false,
      decided: "inconclusive"
    })
  })
  it("say which names were reported when the primary metric is not among them", () => {
    const next = applied({}, { status: "completed", metrics: { f1: 1 } })
    assert.isUndefined(next.result?.test)
    assert.deepStrictEqual(next.result?.notes, ["Primary metric 'acc' was not reported. Reported: 'f1'."])
  })
  it("as the very first event start when the unit was spawned", () => {
    assert.strictEqual(applied({ spawnedAt: second(3) }, { status: "completed" }).startedAt, second(3))
  })
  it("without any known start have none", () => assert.isUndefined(applied({}, { status: "completed" }).startedAt))
  it("never end before they start", () => {
    const next = applied({ state: "running", startedAt: second(30) }, { status: "completed", completedAt: second(20) })
    assert.strictEqual(next.completedAt, second(30))
  })
  it("clamp against a start in the same event", () => {
    const next = applied({}, { status: "completed", startedAt: second(40), completedAt: second(20) })
    assert.strictEqual(next.completedAt, second(40))
  })
  it("end at the server's time when they do not say when", () =>
    assert.strictEqual(applied({}, { status: "completed" }).completedAt, now))
  it("keep an earlier error as a warning", () => {
    const next = applied({ state: "running", error: problem }, { status: "completed" })
    assert.isUndefined(next.error)
    assert.deepStrictEqual(next.warning, problem)
  })
  it("keep what an earlier event reported", () => {
    const next = applied({ state: "running", result: { metrics: { acc: 1 }, logsPath: "/l" } }, { status: "completed" })
    assert.deepStrictEqual(next.result?.metrics, { acc: 1 })
    assert.strictEqual(next.result?.logsPath, "/l")
  })
})

describe("failed events", () => {
  it("keep the adapter's error and drop the phase `completed`", () => {
    const next = applied({}, { status: "failed", phase: "completed", error: problem })
    assert.strictEqual(next.state, "failed")
    assert.deepStrictEqual(next.error, problem)
    assert.isUndefined(next.phase)
  })
  it("without an error get benchmark_failed", () => {
    const next = applied({}, { status: "failed" })
    assert.strictEqual(next.error?.code, "benchmark_failed")
    assert.strictEqual(next.error?.origin, "server")
  })
  it("keep reported metrics and give no verdict", () => {
    const next = applied({}, { status: "failed", metrics: { acc: 1 } })
    assert.deepStrictEqual(next.result, { metrics: { acc: 1 } })
  })
})

describe("terminal benchmarks of an open job", () => {
  const failed: Partial<Benchmark> = { state: "failed", error: problem, terminalDigest: "d1", completedAt: second(1) }
  it("take the same terminal event again without a change", () =>
    assert.isTrue(isUnchanged(failed, { status: "failed", digest: "d1" })))
  it("refuse another terminal event", () => {
    const refusal = refused(failed, { status: "failed", digest: "d2" })
    assert.strictEqual(refusal._tag, "BenchmarkTerminal")
    if (refusal._tag === "BenchmarkTerminal") {
      assert.strictEqual(refusal.code, "benchmark_can_not_be_updated")
      assert.strictEqual(refusal.message, "benchmark 0 of job job-1 can not become failed because it is failed")
    }
  })
  it("refuse a running event", () => assert.strictEqual(refused(failed, { digest: "d2" })._tag, "BenchmarkTerminal"))
  it("that the runtime failed have no digest and refuse all events", () => {
    const { terminalDigest: _digest, ...lost } = failed
    assert.strictEqual(refused(lost, { status: "completed" })._tag, "BenchmarkTerminal")
  })
})

describe("terminal jobs", () => {
  for (const state of ["completed", "failed", "cancelled"] as const) {
    it(`refuse a replay too when ${state}`, () => {
      const job = sampleJob([{ state, terminalDigest: "d1" }])
      const refusal = Either.getOrThrow(
        Either.flip(
          decideEvent(
            headOf(job),
            sampleBenchmark({ state, terminalDigest: "d1" }),
            sampleEvent({ status: "failed" }),
            now,
            deferring
          )
        )
      )
      assert.strictEqual(refusal._tag, "JobTerminal")
      if (refusal._tag === "JobTerminal")
        assert.strictEqual(refusal.message, `job job-1 can not be updated because it is ${state}`)
    })
  }
})

describe("identity", () => {
  it("must match the benchmark at the index: both problems at once", () => {
    const refusal = refused({}, { benchmarkId: "x", providerId: "y" })
    assert.strictEqual(refusal._tag, "InvalidEvent")
    if (refusal._tag === "InvalidEvent") {
      assert.deepStrictEqual(
        refusal.violations.map(({ path, code }) => [wirePointer(path), code]),
        [
          ["/benchmark_status_event/id", "invalid_value"],
          ["/benchmark_status_event/provider_id", "invalid_value"]
        ]
      )
      assert.include(
        wireSentence(refusal.violations[0].message),
        "id 'x' does not match benchmark 0 of the job, which is 'p/b'"
      )
    }
  })
  it("needs no provider", () => {
    const { providerId: _provider, ...event } = sampleEvent()
    const change = Either.getOrThrow(decideEvent(headOf(sampleJob()), sampleBenchmark(), event, now, deferring))
    assert.strictEqual(change._tag, "Changed")
  })
})

describe("a tracker failure after a finished evaluation", () => {
  it("is held as a warning", () => {
    const next = applied({ state: "running", startedAt: second(1) }, { status: "failed", error: trackerFailure })
    assert.strictEqual(next.state, "running")
    assert.deepStrictEqual(next.heldFailure, trackerFailure)
    assert.deepStrictEqual(next.warning, trackerFailure)
    assert.isUndefined(next.error)
    assert.isUndefined(next.terminalDigest)
  })
  it("is forgotten as a failure and kept as a warning when the benchmark completes", () => {
    const next = applied(
      { state: "running", heldFailure: trackerFailure, warning: trackerFailure },
      { status: "completed", metrics: { acc: 1 } }
    )
    assert.strictEqual(next.state, "completed")
    assert.isUndefined(next.heldFailure)
    assert.deepStrictEqual(next.warning, trackerFailure)
  })
  it("is the failure when the next event fails without a reason", () => {
    const next = applied(
      { state: "running", heldFailure: trackerFailure, warning: trackerFailure },
      { status: "failed" }
    )
    assert.strictEqual(next.state, "failed")
    assert.deepStrictEqual(next.error, trackerFailure)
  })
  it("fails at once when deferring is off", () => {
    const next = applied(
      { state: "running" },
      { status: "failed", error: trackerFailure },
      { deferTrackerFailure: false }
    )
    assert.strictEqual(next.state, "failed")
    assert.deepStrictEqual(next.error, trackerFailure)
  })
})
