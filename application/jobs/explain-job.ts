/** Gathers what is known of a job right now and has it explained. What cannot be asked is left out, so that there is always an answer. Reference: explain.md. */
import { DateTime, Effect } from "effect"
import { explain } from "../../domain/explain/explain.ts"
import type { Finding, UnitSight } from "../../domain/explain/finding.ts"
import { isTerminal } from "../../domain/job/benchmark-state.ts"
import type { Benchmark, Job } from "../../domain/job/job.ts"
import { defined } from "../../values/defined.ts"
import type { Caller } from "../access/caller.ts"
import { gateOfJob } from "../decisions/gate-of-job.ts"
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

/** findings about a job of the caller's tenant, the cause that the others follow from first */
export const explainJob = Effect.fn("jobs.explain")(function* ({ tenant }: Caller, id: string) {
  const job = yield* (yield* JobStore).load(tenant, id)
  const { kind, freeSlots } = yield* Runtime
  const gate = yield* gateOfJob(job)
  const findings = explain({
    job,
    now: DateTime.formatIso(yield* DateTime.now),
    runtime: { kind, freeSlots: yield* freeSlots },
    units: yield* sightsOf(job),
    ...defined({ gate })
  })
  return { job, findings } satisfies Explained
})
