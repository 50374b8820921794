/** Random events, runtime facts and cancellations against a model of a few lines: what the states of benchmarks and job must be. */
import { assert, describe, it } from "@effect/vitest"
import { Either } from "effect"
import * as fc from "effect/FastCheck"
import { decideCancel } from "../../../../domain/job/cancellation.ts"
import {
  type Benchmark,
  type BenchmarkState,
  benchmarkStates,
  type Job,
  type JobState
} from "../../../../domain/job/job.ts"
import {
  aggregate,
  type BenchmarkChange,
  countsOf,
  headOf,
  isTerminalJob,
  moved
} from "../../../../domain/job/job-state.ts"
import { decideEnded, decideFailure, decideStarted, decideWaiting } from "../../../../domain/job/runtime-fact.ts"
import { decideEvent, type StatusEvent } from "../../../../domain/job/status-event.ts"
import { sampleEvent, sampleJob, second } from "../../../support/sample-job.ts"

type Step =
  | {
      readonly kind: "event"
      readonly index: number
      readonly status: StatusEvent["status"]
      readonly digest: string
      readonly held: boolean
    }
  | { readonly kind: "started" | "waiting" | "ended" | "failure"; readonly index: number }
  | { readonly kind: "cancel" }

/** the model: only states, and the digest of the terminal event that was taken */
interface Model {
  readonly states: Array<BenchmarkState>
  readonly digests: Array<string | undefined>
}

const jobState = (states: ReadonlyArray<BenchmarkState>): JobState => {
  const all = (...allowed: ReadonlyArray<BenchmarkState>) => states.every((state) => allowed.includes(state))
  if (all("pending")) return "pending"
  if (!all("completed", "failed", "cancelled")) return "running"
  if (states.includes("cancelled")) return "cancelled"
  if (all("completed")) return "completed"
  return all("failed") ? "failed" : "partially_failed"
}
const isFinal = (state: BenchmarkState | undefined) =>
  state === "completed" || state === "failed" || state === "cancelled"
const isFinalJob = (states: ReadonlyArray<BenchmarkState>) => !["pending", "running"].includes(jobState(states))

/** whether the step is taken, according to the rules in words */
const expected = (model: Model, step: Step): "applied" | "unchanged" | "refused" => {
  if (step.kind === "cancel") {
    const state = jobState(model.states)
    if (state === "cancelled") return "unchanged"
    if (isFinalJob(model.states)) return "refused"
    model.states.forEach((one, index) => {
      if (!isFinal(one)) model.states[index] = "cancelled"
    })
    return "applied"
  }
  const state = model.states[step.index]
  if (step.kind !== "event") {
    if (step.kind === "started" || step.kind === "waiting" || isFinal(state)) return "unchanged"
    model.states[step.index] = "failed"
    return "applied"
  }
  if (isFinalJob(model.states)) return "refused"
  if (isFinal(state)) return model.digests[step.index] === step.digest ? "unchanged" : "refused"
  if (step.status === "pending") return state === "pending" ? "unchanged" : "refused"
  const held = step.status === "failed" && step.held
  model.states[step.index] = held ? "running" : step.status
  if (!held && step.status !== "running") model.digests[step.index] = step.digest
  return "applied"
}

const eventOf = (step: Extract<Step, { kind: "event" }>): StatusEvent =>
  sampleEvent({
    index: step.index,
    status: step.status,
    digest: step.digest,
    ...(step.held ? { error: { code: "mlflow_save_failed", message: "no tracker", origin: "sdk" } } : {}),
    ...(step.status === "completed" ? { metrics: { acc: 0.5 }, completedAt: second(-100) } : {})
  })

const changeOf = (
  job: Job,
  benchmark: Benchmark,
  step: Exclude<Step, { kind: "cancel" }>,
  now: string
): Either.Either<BenchmarkChange, unknown> => {
  const head = headOf(job)
  const { attempt } = benchmark
  switch (step.kind) {
    case "event":
      return decideEvent(head, benchmark, eventOf(step), now, { deferTrackerFailure: true })
    case "started":
      return Either.right(decideStarted(head, benchmark, { attempt, at: now }, now))
    case "waiting":
      return Either.right(decideWaiting(head, benchmark, { attempt, code: "unschedulable", message: "no node" }, now))
    case "ended":
      return Either.right(
        decideEnded(head, benchmark, { attempt, at: now, code: "adapter_exited_without_result", message: "" }, now)
      )
    case "failure":
      return Either.right(decideFailure(head, benchmark, { code: "runtime_object_lost", message: "gone" }, now))
  }
}

/** what a store does with a decision */
const take = (
  job: Job,
  step: Step,
  now: string
): { readonly job: Job; readonly answer: "applied" | "unchanged" | "refused" } => {
  if (step.kind === "cancel")
    return Either.match(decideCancel(job, now), {
      onLeft: () => ({ job, answer: "refused" }),
      onRight: (decision) => {
        if (decision._tag === "Unchanged") return { job, answer: "unchanged" }
        const byIndex = new Map(decision.benchmarks.map((benchmark) => [benchmark.index, benchmark]))
        return {
          job: { ...job, ...decision.head, benchmarks: job.benchmarks.map((one) => byIndex.get(one.index) ?? one) },
          answer: "applied"
        }
      }
    })
  const benchmark = job.benchmarks[step.index]
  if (benchmark === undefined) throw new Error("the step names a benchmark that does not exist")
  return Either.match(changeOf(job, benchmark, step, now), {
    onLeft: () => ({ job, answer: "refused" }),
    onRight: (change) =>
      change._tag === "Unchanged"
        ? { job, answer: "unchanged" }
        : {
            job: {
              ...job,
              ...(change._tag === "Changed" ? change.head : {}),
              benchmarks: job.benchmarks.map((one) => (one.index === step.index ? change.benchmark : one))
            },
            answer: "applied"
          }
  })
}

const size = 3
const anyIndex = fc.nat(size - 1)
const anyStep: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant("event" as const),
      index: anyIndex,
      status: fc.constantFrom("pending" as const, "running" as const, "completed" as const, "failed" as const),
      digest: fc.constantFrom("d1", "d2"),
      held: fc.boolean()
    })
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constantFrom("started" as const, "waiting" as const, "ended" as const, "failure" as const),
      index: anyIndex
    })
  },
  { weight: 1, arbitrary: fc.constant<Step>({ kind: "cancel" }) }
)

describe("any sequence of steps", () => {
  it("leads where the rules say, one step at a time", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(anyStep, fc.integer({ min: -3600, max: 3600 })), { maxLength: 40 }), (steps) => {
        const model: Model = {
          states: Array.from({ length: size }, () => "pending"),
          digests: Array.from({ length: size }, () => undefined)
        }
        let job = sampleJob(Array.from({ length: size }, () => ({})))
        for (const [step, clock] of steps) {
          // the clock jumps back and forth
          const now = second(clock)
          const before = job
          const want = expected(model, step)
          const taken = take(job, step, now)
          job = taken.job
          if (step.kind !== "started" && step.kind !== "waiting") assert.strictEqual(taken.answer, want)
          assert.deepStrictEqual(
            job.benchmarks.map(({ state }) => state),
            model.states
          )
          assert.strictEqual(job.state, jobState(model.states))
          assert.deepStrictEqual(job.counts, countsOf(job.benchmarks))
          assert.isAtLeast(Date.parse(job.updatedAt), Date.parse(before.updatedAt))
          before.benchmarks.forEach((one, index) => {
            if (isFinal(one.state)) assert.deepStrictEqual(job.benchmarks[index], one)
          })
          if (isTerminalJob(before.state)) assert.deepStrictEqual(job, before)
          for (const { state, startedAt, completedAt, error, phase } of job.benchmarks) {
            assert.strictEqual(completedAt !== undefined, isFinal(state))
            if (startedAt !== undefined && completedAt !== undefined)
              assert.isAtLeast(Date.parse(completedAt), Date.parse(startedAt))
            if (state === "failed") assert.isDefined(error)
            if (isFinal(state)) assert.isUndefined(phase)
          }
          // the same step again never applies a second time once it ended something
          if (taken.answer === "applied" && step.kind === "event" && isFinal(job.benchmarks[step.index]?.state)) {
            const again = take(job, step, now)
            assert.strictEqual(again.answer, isTerminalJob(job.state) ? "refused" : "unchanged")
            assert.deepStrictEqual(again.job, job)
          }
        }
      }),
      { numRuns: 300 }
    )
  })
})

describe("aggregation", () => {
  const anyStates = fc.array(fc.constantFrom(...benchmarkStates), { minLength: 1, maxLength: 12 })
  it("does not depend on the order of benchmarks", () => {
    fc.assert(
      fc.property(
        anyStates,
        fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 12, maxLength: 12 }),
        (states, keys) => {
          const shuffled = states
            .map((state, index) => [keys[index] ?? 0, state] as const)
            .toSorted(([a], [b]) => a - b)
          assert.strictEqual(
            aggregate(countsOf(shuffled.map(([, state]) => ({ state })))),
            aggregate(countsOf(states.map((state) => ({ state }))))
          )
        }
      )
    )
  })
  it("of moved counts equals a full recount", () => {
    fc.assert(
      fc.property(anyStates, fc.nat(11), fc.constantFrom(...benchmarkStates), (states, at, to) => {
        const index = at % states.length
        const from = states[index] ?? "pending"
        const counts = countsOf(states.map((state) => ({ state })))
        assert.deepStrictEqual(
          moved(counts, from, to),
          countsOf(states.map((state, one) => ({ state: one === index ? to : state })))
        )
      })
    )
  })
})
