/** Gathers what is known of a job right now and has it explained. What cannot be asked is left out, so that there is always an answer. Reference: explain.md, "Findings". */

import { Effect } from "effect"
import { explain } from "../../domain/explain/explain.ts"
import type { Finding, Holder, UnitSight } from "../../domain/explain/finding.ts"
import { isTerminal } from "../../domain/job/benchmark-state.ts"
import { startOf } from "../../domain/job/deadline.ts"
import type { Benchmark, Job } from "../../domain/job/job.ts"
import { defined } from "../../values/defined.ts"
import type { Caller } from "../access/caller.ts"
import { gateOfJob } from "../decisions/gate-of-job.ts"
import { isoNow } from "../iso-now.ts"
import { Runtime, type UnitId } from "../ports/runtime.ts"
import { JobStore } from "../ports/stores/job-store.ts"
import { WireWitness } from "../ports/wire-witness.ts"

/** a runtime that answers later is not waited for */
const patience = "1 second"

export interface Explained {
  readonly job: Job
  readonly findings: ReadonlyArray<Finding>
}

const statuses = (units: ReadonlyArray<UnitId>) =>
  Effect.gen(function* () {
    if (units.length === 0) return []
    return yield* (yield* Runtime).observe(units).pipe(
      Effect.timeout(patience),
      Effect.catchAll(() => Effect.succeed([]))
    )
  })

/** a good end has its figures in the record */
const hasTraffic = ({ state }: Benchmark): boolean => state === "running" || state === "failed" || state === "pending"

const sightsOf = (job: Job) =>
  Effect.gen(function* () {
    const { seen } = yield* WireWitness
    const unitOf = ({ index, attempt }: Benchmark): UnitId => ({ tenant: job.tenant, jobId: job.id, index, attempt })
    const live = job.benchmarks.filter(({ state }) => !isTerminal(state)).map(unitOf)
    const status = new Map((yield* statuses(live)).map((one) => [one.unit.index, one.status]))
    const sightOf = ({ index }: Benchmark) =>
      Effect.map(
        seen({ jobId: job.id, index }),
        (traffic): UnitSight => ({ index, ...defined({ status: status.get(index), traffic }) })
      )
    return yield* Effect.forEach(job.benchmarks.filter(hasTraffic), sightOf, { concurrency: "unbounded" })
  })

/** benchmarks that are looked at for places: those that were launched are among the oldest */
const mostLive = 200

/** who has the places to run, where this job waits for one; what is of another tenant stays with it */
const holdersOf = (job: Job) =>
  Effect.gen(function* () {
    const store = yield* JobStore
    const live = yield* store.live(undefined, mostLive)
    return yield* Effect.forEach(
      live,
      Effect.fnUntraced(function* ({ tenant, jobId, benchmark }) {
        if (startOf(benchmark) === undefined) return []
        if (tenant !== job.tenant) return [{}]
        const { head } = yield* store.loadBenchmark(jobId, benchmark.index)
        return [{ job: head }]
      })
    )
  }).pipe(
    // one of them was removed meanwhile
    Effect.catchTag("NotFound", () => Effect.succeed([])),
    Effect.map((found): ReadonlyArray<Holder> => found.flat())
  )

/** findings about a job of the caller's tenant, the cause that the others follow from first */
export const explainJob = Effect.fn("jobs.explain")(function* ({ tenant }: Caller, id: string) {
  const job = yield* (yield* JobStore).load(tenant, id)
  const runtime = yield* Runtime
  const { kind } = runtime
  const freeSlots = yield* runtime.freeSlots
  const waits = kind === "local" && freeSlots === 0 && job.benchmarks.some(({ state }) => state === "pending")
  const holders = waits ? yield* holdersOf(job) : undefined
  const gate = yield* gateOfJob(job)
  const findings = explain({
    job,
    now: yield* isoNow,
    runtime: { kind, freeSlots, ...defined({ holders }) },
    units: yield* sightsOf(job),
    ...defined({ gate })
  })
  return { job, findings } satisfies Explained
})
