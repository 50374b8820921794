/**
 * Verdict, flags and the hash over the samples once more, when samples came after the result and no more can come. A task does it, so
 * that a thousand calls cost one judgement, and a server that ends meanwhile forgets nothing. Reference: samples.md, "Upload", "Summary".
 */

import { Effect, Either, Ref } from "effect"
import { isTerminal } from "../../domain/job/benchmark-state.ts"
import { millisOf } from "../../domain/job/iso-time.ts"
import type { Benchmark, JobHead } from "../../domain/job/job.ts"
import { judgeAgain } from "../../domain/job/judge-again.ts"
import { limits } from "../../domain/sample/sample.ts"
import { defined } from "../../values/defined.ts"
import type { Unavailable } from "../errors.ts"
import { isoNow } from "../iso-now.ts"
import { JobStore } from "../ports/stores/job-store.ts"
import type { SampleUnit } from "../ports/stores/sample-store.ts"
import type { NewTask, TaskQueue } from "../ports/task-queue.ts"
import { done, type LeaseOptions, work } from "../runtime/task-worker.ts"
import { askedOf, ValidityCheck } from "../validity/validity-of.ts"

/** when the benchmark ended by the server's clock, since 1970; undefined: it has not */
export const endedMillis = (benchmark: Benchmark): number | undefined => {
  const ended = benchmark.endedAt ?? benchmark.completedAt
  return isTerminal(benchmark.state) && ended !== undefined ? millisOf(ended) : undefined
}

/** a call that came just in time is still being stored */
const graceMillis = 1000

/** due when the benchmark takes no more samples; stored again it is still one task */
export const closingTask = ({ id, tenant }: JobHead, index: number, ended: number, now: number): NewTask => ({
  kind: "samples",
  key: `${id}/${index}`,
  ...{ jobId: id, tenant, index, order: 0 },
  delayMillis: Math.max(0, ended + limits.lateMillis + graceMillis - now)
})

/** looks at the samples of a benchmark as they are now; nothing changes while it has no result, or when the job is gone */
export const judgeSamples = (unit: SampleUnit): Effect.Effect<void, Unavailable, JobStore> =>
  Effect.gen(function* () {
    const store = yield* JobStore
    const loaded = yield* store.loadBenchmark(unit.jobId, unit.index)
    const { benchmark } = loaded
    if (endedMillis(benchmark) === undefined) return
    const { wire, additionalInfo: info } = benchmark.result ?? {}
    const found = yield* (yield* ValidityCheck).of(unit, defined({ wire, info }), askedOf(loaded))
    const now = yield* isoNow
    yield* store.changeJob(unit.tenant, unit.jobId, (job) =>
      Either.right({ ...judgeAgain(job, unit.index, found, now), tasks: [] })
    )
  }).pipe(Effect.catchTag("NotFound", () => Effect.void))

const atOnce = 2

/** never ends */
export const sampleCloser = (options: LeaseOptions): Effect.Effect<never, never, JobStore | TaskQueue> =>
  Effect.gen(function* () {
    const busy = yield* Ref.make(0)
    return yield* work({
      ...options,
      kind: "samples",
      room: Effect.map(Ref.get(busy), (count) => atOnce - count),
      awaitRoom: Effect.never,
      claimed: (count) => Ref.update(busy, (all) => all + count),
      handle: ({ tenant, jobId, index = 0 }) =>
        judgeSamples({ tenant, jobId, index }).pipe(
          Effect.as(done),
          Effect.ensuring(Ref.update(busy, (all) => all - 1))
        )
    })
  })
