import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { JobStore } from "../../../../application/ports/stores/job-store.ts"
import { launchTask } from "../../../../application/runtime/tasks.ts"
import * as Workers from "../../../../application/runtime/workers.ts"
import type { Job } from "../../../../domain/job/job.ts"
import { isTerminalJob } from "../../../../domain/job/job-state.ts"
import { eventually, layerBaseDir, layerRuntime, spoolCompleted, withCommand } from "../../../support/local-units.ts"
import { sqliteMemory } from "../../../support/storage.ts"
import { jobId, makeJob } from "../../../support/stored-jobs.ts"

const server = Workers.layer({ timeouts: {}, deferTrackerFailure: true, graceMillis: 50, pollMillis: 100 }).pipe(
  Layer.provideMerge(layerRuntime({ settleMillis: 200 })),
  Layer.provideMerge(Layer.merge(sqliteMemory, layerBaseDir))
)

const submit = (job: Job) =>
  Effect.flatMap(JobStore, (store) =>
    store.insert(
      job,
      job.benchmarks.map((benchmark) => launchTask(job, benchmark))
    )
  )

const ended = (job: Job) =>
  eventually(
    Effect.flatMap(JobStore, (store) => store.load(job.tenant, job.id)).pipe(
      Effect.map((now) => (isTerminalJob(now.state) ? now : undefined))
    )
  )

describe("a job on the local runtime", () => {
  it.live("ends with the events its adapters left, and a failure for the one that said nothing", () =>
    Effect.gen(function* () {
      const job = withCommand(makeJob({ id: jobId(1), tenant: "default", benchmarks: 3 }), (index) =>
        index === 2 ? "echo no key >&2; exit 3" : spoolCompleted(index, 0.75)
      )
      yield* submit(job)
      const { state, benchmarks } = yield* ended(job)
      assert.strictEqual(state, "partially_failed")
      assert.deepStrictEqual(
        benchmarks.map((benchmark) => [benchmark.state, benchmark.error?.code, benchmark.result?.test?.primaryScore]),
        [
          ["completed", undefined, 0.75],
          ["completed", undefined, 0.75],
          ["failed", "adapter_exited_without_result", undefined]
        ]
      )
      assert.strictEqual(
        benchmarks[2]?.error?.message,
        "The adapter exited with code 3 and reported no result.\nLast log lines:\nno key"
      )
      assert.isTrue(
        benchmarks.every(
          ({ spawnedAt, startedAt, completedAt }) =>
            spawnedAt !== undefined && startedAt !== undefined && completedAt !== undefined
        )
      )
    }).pipe(Effect.provide(server))
  )
})
