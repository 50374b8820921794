import { assert, describe, it } from "@effect/vitest"
import type { Benchmark, Message } from "../../../../domain/job/job.ts"
import { type BenchmarkChange, headOf } from "../../../../domain/job/job-state.ts"
import {
  decideEnded,
  decideFailure,
  decideRecovered,
  decideStarted,
  decideWaiting,
  decideWarned
} from "../../../../domain/job/runtime-fact.ts"
import { utf8Length } from "../../../../domain/text.ts"
import { sampleBenchmark, sampleJob, second } from "../../../support/sample-job.ts"

const now = second(60)
const head = (benchmark: Partial<Benchmark>) => headOf(sampleJob([benchmark, {}]))
const changedBy = (change: BenchmarkChange): Benchmark => {
  if (change._tag === "Unchanged") throw new Error("nothing changed")
  return change.benchmark
}
const end = (benchmark: Partial<Benchmark>, fact: Partial<Parameters<typeof decideEnded>[2]> = {}) =>
  decideEnded(
    head(benchmark),
    sampleBenchmark(benchmark),
    {
      attempt: 1,
      at: second(50),
      code: "adapter_exited_without_result",
      message: "The adapter exited with code 1.",
      ...fact
    },
    now
  )

describe("a unit that started", () => {
  const start = (benchmark: Partial<Benchmark>, attempt = 1) =>
    decideStarted(head(benchmark), sampleBenchmark(benchmark), { attempt, at: second(10) }, now)
  it("is remembered; the state stays pending until the first event", () => {
    const next = changedBy(start({}))
    assert.strictEqual(next.spawnedAt, second(10))
    assert.strictEqual(next.state, "pending")
    assert.isUndefined(next.startedAt)
  })
  it("shows nothing of it yet, so that the job's message still says that it was created", () => {
    assert.strictEqual(start({})._tag, "Noted")
  })
  it("is shown when its warning goes, and the message stays until state, phase or result change", () => {
    const change = start({ warning: { message: "", code: "unschedulable", origin: "runtime" } })
    if (change._tag !== "Changed") throw new Error("nothing to see")
    assert.deepStrictEqual([change.head.message.code, change.head.updatedAt], ["evaluation_job_created", now])
  })
  it("no longer waits", () => {
    assert.isUndefined(changedBy(start({ warning: { message: "", code: "unschedulable", origin: "runtime" } })).warning)
  })
  it("keeps an adapter's warning", () => {
    const warning: Message = { message: "slow", code: "w1", origin: "adapter" }
    assert.deepStrictEqual(changedBy(start({ state: "running", warning })).warning, warning)
  })
  it("counts once", () => assert.strictEqual(start({ spawnedAt: second(5) })._tag, "Unchanged"))
  it("of an earlier attempt does not count", () => assert.strictEqual(start({ attempt: 2 }, 1)._tag, "Unchanged"))
  it("of a terminal benchmark does not count", () =>
    assert.strictEqual(start({ state: "cancelled" })._tag, "Unchanged"))
})

describe("a unit that waits", () => {
  const wait = (benchmark: Partial<Benchmark>, code = "unschedulable") =>
    decideWaiting(head(benchmark), sampleBenchmark(benchmark), { attempt: 1, code, message: "0/3 nodes are free" }, now)
  it("stays pending and says why", () => {
    const next = changedBy(wait({}))
    assert.strictEqual(next.state, "pending")
    assert.deepStrictEqual(next.warning, { message: "0/3 nodes are free", code: "unschedulable", origin: "runtime" })
  })
  it("does not count as an update of the job", () => {
    const change = wait({})
    assert.strictEqual(change._tag === "Changed" && change.head.message.code, "evaluation_job_created")
  })
  it("says it once", () => {
    assert.strictEqual(
      wait({ warning: { message: "0/3 nodes are free", code: "unschedulable", origin: "runtime" } })._tag,
      "Unchanged"
    )
  })
  it("says a new reason", () => {
    const before: Message = { message: "0/3 nodes are free", code: "unschedulable", origin: "runtime" }
    assert.strictEqual(changedBy(wait({ warning: before }, "queue_inadmissible")).warning?.code, "queue_inadmissible")
  })
  it("does not count once it runs", () => {
    assert.strictEqual(wait({ state: "running" })._tag, "Unchanged")
    assert.strictEqual(wait({ spawnedAt: second(1) })._tag, "Unchanged")
  })
})

describe("a unit that something is wrong with", () => {
  const warn = (
    benchmark: Partial<Benchmark>,
    more: { readonly interrupted?: boolean; readonly attempt?: number } = {}
  ) =>
    decideWarned(
      head(benchmark),
      sampleBenchmark(benchmark),
      { attempt: 1, code: "evicted", message: "preempted", ...more },
      now
    )
  const recover = (benchmark: Partial<Benchmark>, code = "evicted") =>
    decideRecovered(head(benchmark), sampleBenchmark(benchmark), { attempt: 1, code }, now)
  const warning: Message = { message: "preempted", code: "evicted", origin: "runtime" }
  it("says so in any state that is not final", () => {
    assert.deepStrictEqual(changedBy(warn({ state: "running", spawnedAt: second(1) })).warning, warning)
    assert.deepStrictEqual(changedBy(warn({})).warning, warning)
    for (const state of ["completed", "failed", "cancelled"] as const)
      assert.strictEqual(warn({ state })._tag, "Unchanged")
    assert.strictEqual(warn({}, { attempt: 2 })._tag, "Unchanged")
  })
  it("says it once", () => assert.strictEqual(warn({ warning })._tag, "Unchanged"))
  it("stays running when it starts again, without a phase", () => {
    const next = changedBy(warn({ state: "running", phase: "loading_data", warning }, { interrupted: true }))
    assert.strictEqual(next.state, "running")
    assert.isUndefined(next.phase)
    assert.strictEqual(changedBy(warn({ state: "running", phase: "loading_data" })).phase, "loading_data")
  })
  it("is timed neither while it is off its node nor for what was before", () => {
    const off = changedBy(warn({ state: "running", startedAt: second(1) }, { interrupted: true }))
    assert.strictEqual(off.interruptedAt, now)
    const told = { attempt: 1, code: "unschedulable", message: "no node" }
    assert.isUndefined(changedBy(decideWarned(head(off), off, { ...told, interrupted: true }, second(90))).resumedAt)
    const waiting = changedBy(decideWarned(head(off), off, told, second(90)))
    assert.deepStrictEqual([waiting.interruptedAt, waiting.resumedAt], [undefined, second(90)])
    const back = changedBy(decideRecovered(head(off), off, { attempt: 1, code: "evicted" }, second(95)))
    assert.deepStrictEqual([back.interruptedAt, back.resumedAt, back.warning], [undefined, second(95), undefined])
  })
  it("does not cover what the adapter warned of", () => {
    const slow: Message = { message: "slow", code: "w1", origin: "adapter" }
    assert.strictEqual(warn({ state: "running", warning: slow })._tag, "Unchanged")
    const off = changedBy(warn({ state: "running", warning: slow }, { interrupted: true }))
    assert.deepStrictEqual(
      changedBy(decideRecovered(head(off), off, { attempt: 1, code: "evicted" }, now)).warning,
      slow
    )
  })
  it("recovers from what it warned of, and from nothing else", () => {
    assert.isUndefined(changedBy(recover({ warning })).warning)
    assert.strictEqual(recover({ warning }, "unschedulable")._tag, "Unchanged")
    assert.strictEqual(recover({ warning: { ...warning, origin: "adapter" } })._tag, "Unchanged")
    assert.strictEqual(recover({})._tag, "Unchanged")
  })
})

describe("a unit that ended", () => {
  it("without a terminal event fails its benchmark, with the last log lines", () => {
    const next = changedBy(
      end({ state: "running", startedAt: second(5), phase: "loading_data" }, { logTail: ["Traceback", "boom"] })
    )
    assert.strictEqual(next.state, "failed")
    assert.deepStrictEqual(next.error, {
      code: "adapter_exited_without_result",
      message: "The adapter exited with code 1.\nLast log lines:\nTraceback\nboom",
      origin: "runtime"
    })
    assert.strictEqual(next.completedAt, second(50))
    assert.isUndefined(next.phase)
  })
  it("before any event started when it was spawned", () =>
    assert.strictEqual(changedBy(end({ spawnedAt: second(3) })).startedAt, second(3)))
  it("never ends before it started, nor in the future", () => {
    assert.strictEqual(changedBy(end({ state: "running", startedAt: second(55) })).completedAt, second(55))
    assert.strictEqual(changedBy(end({ spawnedAt: second(3) }, { at: second(3600) })).completedAt, now)
  })
  it("brings a held tracker failure into force", () => {
    const heldFailure: Message = { message: "no tracker", code: "mlflow_save_failed", origin: "sdk" }
    const next = changedBy(end({ state: "running", heldFailure, warning: heldFailure }))
    assert.deepStrictEqual(next.error, heldFailure)
    assert.isUndefined(next.warning)
    assert.isUndefined(next.heldFailure)
  })
  it("after a terminal event changes nothing", () => {
    for (const state of ["completed", "failed", "cancelled"] as const)
      assert.strictEqual(end({ state })._tag, "Unchanged")
  })
  it("of an earlier attempt changes nothing", () => assert.strictEqual(end({ attempt: 2 })._tag, "Unchanged"))
  it("explains itself when the runtime gives no words", () => {
    assert.strictEqual(
      changedBy(end({}, { message: "", exitCode: 0 })).error?.message,
      "The adapter exited with code 0 and reported no result."
    )
    assert.strictEqual(
      changedBy(end({}, { message: "", signal: "SIGKILL" })).error?.message,
      "The adapter was ended by SIGKILL and reported no result."
    )
  })
  it("keeps the newest log lines within the size of a message", () => {
    const logTail = Array.from({ length: 20 }, (_, line) => `${line} ${"ä".repeat(2000)}`)
    const message = changedBy(end({}, { logTail })).error?.message ?? ""
    assert.isAtMost(utf8Length(message), 8192)
    assert.include(message, "\n19 ä")
    assert.notInclude(message, "\n0 ä")
  })
  it("ends the job when it was the last one", () => {
    const job = sampleJob([{ state: "completed" }, {}])
    const change = decideEnded(
      headOf(job),
      sampleBenchmark({ index: 1 }),
      { attempt: 1, at: now, code: "evicted", message: "evicted" },
      now
    )
    assert.strictEqual(change._tag === "Changed" && change.head.state, "partially_failed")
  })
})

describe("a failure that ends a benchmark without its adapter", () => {
  it("carries code and words of the runtime", () => {
    const next = changedBy(
      decideFailure(head({}), sampleBenchmark(), { attempt: 1, code: "launch_failed", message: "no such image" }, now)
    )
    assert.deepStrictEqual(next.error, { code: "launch_failed", message: "no such image", origin: "runtime" })
    assert.strictEqual(next.completedAt, now)
    assert.isUndefined(next.startedAt)
  })
  it("changes no terminal benchmark", () => {
    const failure = { code: "runtime_object_lost", message: "gone" }
    assert.strictEqual(decideFailure(head({}), sampleBenchmark({ state: "completed" }), failure, now)._tag, "Unchanged")
  })
})
