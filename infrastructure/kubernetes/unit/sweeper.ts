/**
 * Looks every ten minutes, and when it takes over, for Jobs of this instance that nobody answers for: on one of several servers.
 * Reference: cluster-objects.md, "Removing".
 */
import { Effect, Layer } from "effect"
import type { Unavailable } from "../../../application/errors.ts"
import { Identifiers } from "../../../application/ports/identifiers.ts"
import type { Leases } from "../../../application/ports/leases.ts"
import { JobStore } from "../../../application/ports/stores/job-store.ts"
import { KubeClient } from "../client/client.ts"
import type { ClusterOptions } from "../cluster-options.ts"
import { holderName, whileLeading } from "../observe/leader.ts"
import { sweep } from "./remove.ts"

const everyMillis = 600_000
const leaseMillis = 15_000
const renewMillis = 5000
const pageSize = 500

/** does a benchmark answer for this launch? Cancelled ones have a clean-up task of their own, which deletes the Job earlier or again. */
export const isWanted = (
  store: JobStore["Type"],
  { jobId, index, attempt }: { readonly jobId: string; readonly index: number; readonly attempt: number }
): Effect.Effect<boolean, Unavailable> =>
  store.loadBenchmark(jobId, index).pipe(
    Effect.map(({ benchmark }) => benchmark.attempt === attempt && benchmark.state !== "cancelled"),
    Effect.catchTag("NotFound", () => Effect.succeed(false))
  )

const tenants = (store: JobStore["Type"]): Effect.Effect<ReadonlySet<string>, Unavailable> =>
  Effect.gen(function* () {
    const found = new Set<string>()
    let after: { readonly jobId: string; readonly index: number } | undefined
    for (;;) {
      const page = yield* store.live(after, pageSize)
      for (const { tenant } of page) found.add(tenant)
      const last = page.at(-1)
      if (last === undefined || page.length < pageSize) return found
      after = { jobId: last.jobId, index: last.benchmark.index }
    }
  })

export const layer = (
  options: ClusterOptions
): Layer.Layer<never, never, KubeClient | JobStore | Leases | Identifiers> =>
  Layer.scopedDiscard(
    Effect.gen(function* () {
      const client = yield* KubeClient
      const store = yield* JobStore
      // a namespace that was used once is looked at again although nothing lives in it any more
      const known = new Set<string>()
      const round = Effect.gen(function* () {
        for (const tenant of yield* tenants(store)) known.add(tenant)
        yield* Effect.forEach(
          known,
          (namespace) =>
            Effect.catchAll(
              sweep({ client, options }, namespace, (unit) => isWanted(store, unit)),
              (error) => Effect.logWarning(`namespace ${namespace} can not be swept: ${error.operation}`)
            ),
          { discard: true }
        )
      })
      const safely = Effect.catchAll(round, (error) => Effect.logWarning(`the sweep is put off: ${error.operation}`))
      const sweeping = Effect.forever(Effect.zipRight(safely, Effect.sleep(everyMillis)))
      const holder = yield* holderName(options, yield* Identifiers)
      if (options.sweep !== "off")
        yield* Effect.forkScoped(whileLeading({ role: "sweep", holder, leaseMillis, renewMillis }, sweeping))
    })
  )
