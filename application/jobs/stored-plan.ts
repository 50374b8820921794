/** The plan that a job was stored with: what it runs or ran, whatever its providers and its collection say by now. Reference: api.md, "Plan". */
import { Effect } from "effect"
import type { Caller } from "../access/caller.ts"
import { JobStore } from "../ports/stores/job-store.ts"
import type { Plan } from "./plan-job.ts"

export const storedPlan = Effect.fn("jobs.storedPlan")(function* ({ tenant }: Caller, id: string) {
  const { threshold, benchmarks } = yield* (yield* JobStore).load(tenant, id)
  // a job of a cluster has the names of its objects from the beginning, whichever runtime its server has by now; processes have none
  const runtime = benchmarks.some(({ backing }) => backing !== undefined) ? "cluster" : "local"
  return { runtime, threshold, benchmarks, warnings: [] } satisfies Plan
})
