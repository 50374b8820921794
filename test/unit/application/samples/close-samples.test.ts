import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, TestClock } from "effect"
import { recordEvent } from "../../../../application/jobs/record-event.ts"
import { SampleStore } from "../../../../application/ports/stores/sample-store.ts"
import { addSamples } from "../../../../application/samples/add-samples.ts"
import { sampleCloser } from "../../../../application/samples/close-samples.ts"
import * as ValidityOf from "../../../../application/validity/validity-of.ts"
import type { Job } from "../../../../domain/job/job.ts"
import { readSample } from "../../../../domain/sample/read-sample.ts"
import { defaultLimits } from "../../../../domain/validity/limits.ts"
import { benchmarkOf, lease, submit, layer as workers } from "../../../support/runtime-workers.ts"
import { completedEvent } from "../../../support/stored-jobs.ts"
import { quiet, untilTrue } from "../../../support/until.ts"

const layer = Layer.provideMerge(ValidityOf.layer(defaultLimits), workers)

const sample = (index: number) => {
  const record = { v: 1, sample_id: `s${index}`, task: "t", index, repeat: 0, verdict: "correct" }
  return readSample(record, []).sample ?? assert.fail("not read")
}

const bring = ({ id }: Job, ...indexes: ReadonlyArray<number>) =>
  addSamples({ jobId: id, index: 0 }, indexes.map(sample))

const end = ({ id }: Job) => recordEvent({ jobId: id }, completedEvent(0))

const sealOf = (job: Job) => Effect.map(benchmarkOf(job), (benchmark) => benchmark?.result?.samples)
const digestOf = ({ tenant, id }: Job) =>
  Effect.flatMap(SampleStore, (store) => store.digest({ tenant, jobId: id, index: 0 }))

describe("the hash over the samples", () => {
  it.scoped("is in the result with the terminal event, and once more when late samples close", () =>
    Effect.gen(function* () {
      const job = yield* submit()
      yield* Effect.forkScoped(sampleCloser(lease))
      yield* bring(job, 0, 1)
      yield* end(job)
      const first = yield* sealOf(job)
      assert.deepStrictEqual(first, yield* digestOf(job))
      assert.strictEqual(first?.count, 2)
      yield* TestClock.adjust("30 seconds")
      for (const index of [2, 3, 4]) yield* bring(job, index)
      yield* TestClock.adjust("30 seconds")
      yield* quiet
      assert.deepStrictEqual(yield* sealOf(job), first)
      yield* TestClock.adjust("3 seconds")
      // the look at the samples takes turns of the real loop, more of them beside other work
      yield* untilTrue(Effect.map(sealOf(job), (seal) => seal?.count === 5))
      const second = yield* sealOf(job)
      assert.deepStrictEqual(second, yield* digestOf(job))
      assert.notStrictEqual(second?.sha256, first?.sha256)
    }).pipe(Effect.provide(layer))
  )

  it.scoped("a benchmark without samples has none, and records that are there already change nothing", () =>
    Effect.gen(function* () {
      const [without, same] = [yield* submit({ number: 1 }), yield* submit({ number: 2 })]
      yield* Effect.forkScoped(sampleCloser(lease))
      yield* bring(same, 0)
      for (const job of [without, same]) yield* end(job)
      const before = yield* benchmarkOf(same)
      assert.deepStrictEqual(yield* bring(same, 0), { stored: 0, replaced: 0, duplicate: 1 })
      yield* TestClock.adjust("2 minutes")
      yield* quiet
      assert.isUndefined(yield* sealOf(without))
      assert.deepStrictEqual(yield* benchmarkOf(same), before)
    }).pipe(Effect.provide(layer))
  )
})
