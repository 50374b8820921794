/** A call of samples holds its job until it is stored: the job must stay. What the job's adapters report meanwhile does not wait for it. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Either, Layer } from "effect"
import { JobStore } from "../../../application/ports/stores/job-store.ts"
import { openTransaction } from "../../support/open-transaction.ts"
import { freshSchema, postgresAt } from "../../support/postgres.ts"
import { jobId, makeJob } from "../../support/stored-jobs.ts"

describe("an event of a job whose samples are being stored", () => {
  it.scopedLive("is stored while they are (it waited for every call of the same job)", () =>
    Effect.gen(function* () {
      const url = yield* freshSchema
      yield* Effect.gen(function* () {
        const store = yield* JobStore
        const job = makeJob({ id: jobId(1), tenant: "t", benchmarks: 2 })
        yield* store.insert(job, [])
        const { finish } = yield* openTransaction(url, `SELECT 1 FROM jobs WHERE id = '${job.id}' FOR KEY SHARE`)
        const startedAt = "2026-01-02T03:04:05.678Z"
        // a lock that is waited for ends with an error
        yield* store.changeBenchmark(
          { jobId: job.id, select: { index: 1 } },
          (head, benchmark) =>
            Either.right({ _tag: "Changed", head, benchmark: { ...benchmark, startedAt }, tasks: [] }),
          () => undefined
        )
        assert.strictEqual((yield* store.loadBenchmark(job.id, 1)).benchmark.startedAt, startedAt)
        yield* finish()
      }).pipe(Effect.provide(yield* Layer.build(postgresAt(url))))
    })
  )
})
