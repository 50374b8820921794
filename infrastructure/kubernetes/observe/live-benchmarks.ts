/** All benchmarks that are not terminal, by unit: who is judged, and whose namespaces are watched. */
import { Effect } from "effect"
import type { Unavailable } from "../../../application/errors.ts"
import { JobStore, type LiveBenchmark } from "../../../application/ports/stores/job-store.ts"
import { unitKey } from "../../unit/names.ts"

export interface LiveBenchmarks {
  readonly units: ReadonlyMap<string, LiveBenchmark>
  readonly tenants: ReadonlySet<string>
}

const pageSize = 500

export const liveBenchmarks: Effect.Effect<LiveBenchmarks, Unavailable, JobStore> = Effect.gen(function* () {
  const store = yield* JobStore
  const units = new Map<string, LiveBenchmark>()
  const tenants = new Set<string>()
  let after: { readonly jobId: string; readonly index: number } | undefined
  for (;;) {
    const page = yield* store.live(after, pageSize)
    for (const live of page) {
      const { index, attempt } = live.benchmark
      units.set(unitKey({ jobId: live.jobId, index, attempt }), live)
      tenants.add(live.tenant)
    }
    const last = page.at(-1)
    if (last === undefined || page.length < pageSize) return { units, tenants }
    after = { jobId: last.jobId, index: last.benchmark.index }
  }
})
