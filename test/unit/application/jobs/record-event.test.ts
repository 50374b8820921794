import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { recordEvent } from "../../../../application/jobs/record-event.ts"
import { applyTo } from "../../../../application/runtime/apply.ts"
import { wireSpent } from "../../../../domain/budget/usage.ts"
import type { Job } from "../../../../domain/job/job.ts"
import { noCounts } from "../../../../domain/validity/wire-counts.ts"
import { benchmarkOf, layer, submit, unitIn } from "../../../support/runtime-workers.ts"
import { cancel } from "../../../support/store-actions.ts"
import { completedEvent, runningEvent } from "../../../support/stored-jobs.ts"

describe("a good end", () => {
  it.scoped("of a benchmark that the job has not is refused at its index: the job itself is there", () =>
    Effect.gen(function* () {
      const job = yield* submit()
      const refused = yield* Effect.flip(recordEvent({ jobId: job.id }, completedEvent(1)))
      assert.strictEqual(refused._tag, "Invalid")
      if (refused._tag !== "Invalid") return
      assert.deepStrictEqual(
        refused.violations.map(({ path, message }) => [path, message]),
        [[["statusEvent", "benchmarkIndex"], "the job has no benchmark with index 1"]]
      )
    }).pipe(Effect.provide(layer))
  )

  it.scoped("of a job that is not there says so", () =>
    Effect.gen(function* () {
      const unknown = "01890000-0000-7000-8000-000000000000"
      assert.strictEqual((yield* Effect.flip(recordEvent({ jobId: unknown }, completedEvent(0))))._tag, "NotFound")
    }).pipe(Effect.provide(layer))
  )
})

describe("an event from a pod", () => {
  it.scoped("is held against the name that its benchmark was launched under, whatever the prefix is now", () =>
    Effect.gen(function* () {
      const job = yield* submit()
      const backing = { name: "before-0-1", uid: "u1" }
      yield* applyTo(unitIn(job), (_head, benchmark) => ({ _tag: "Noted", benchmark: { ...benchmark, backing } }))
      const from = (pod: string) =>
        Effect.either(recordEvent({ jobId: job.id, pod: { name: pod, backingName: () => "now-0-1" } }, runningEvent(0)))
      assert.strictEqual((yield* from("now-0-1-abcde"))._tag, "Left")
      assert.strictEqual((yield* from("before-0-1-abcde"))._tag, "Right")
    }).pipe(Effect.provide(layer))
  )

  const told = (sent: number) => ({ by: "sidecar", spent: wireSpent({ ...noCounts, sent, outputTokens: 10 * sent }) })
  const requests = (job: Job) => Effect.map(benchmarkOf(job), (benchmark) => benchmark?.usage?.requests)

  it.scoped("that comes after a cancellation is refused, and what it says was used is counted", () =>
    Effect.gen(function* () {
      const job = yield* submit()
      yield* recordEvent({ jobId: job.id }, { ...runningEvent(0), spent: told(1) })
      yield* cancel(job.tenant, job.id)
      const late = recordEvent({ jobId: job.id }, { ...runningEvent(0), spent: told(3) })
      assert.strictEqual((yield* Effect.flip(late))._tag, "Conflict")
      assert.strictEqual(yield* requests(job), 3)
      // the last that was told by a sidecar that was killed, and what its successor adds
      const successor = { ...told(2), by: "another" }
      yield* recordEvent({ jobId: job.id }, { ...runningEvent(0), status: "pending", spent: successor })
      assert.strictEqual(yield* requests(job), 5)
    }).pipe(Effect.provide(layer))
  )

  it.scoped("of its sidecar alone changes the usage and nothing else, in any state", () =>
    Effect.gen(function* () {
      const job = yield* submit()
      const word = (sent: number) =>
        recordEvent({ jobId: job.id }, { ...runningEvent(0), status: "pending", spent: told(sent) })
      assert.isTrue((yield* word(1)).applied)
      assert.isFalse((yield* word(1)).applied)
      assert.deepStrictEqual([(yield* benchmarkOf(job))?.state, yield* requests(job)], ["pending", 1])
      yield* recordEvent({ jobId: job.id }, runningEvent(0))
      yield* word(2)
      assert.deepStrictEqual([(yield* benchmarkOf(job))?.state, yield* requests(job)], ["running", 2])
    }).pipe(Effect.provide(layer))
  )
})
