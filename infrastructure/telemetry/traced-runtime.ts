/** The runtime with a span around what it is asked to do, for whoever traces. */
import { Effect, Layer } from "effect"
import { Runtime, type UnitId } from "../../application/ports/runtime.ts"

const about = ({ tenant, jobId, index, attempt }: UnitId) => ({
  "evald.tenant": tenant,
  "evald.job.id": jobId,
  "evald.benchmark.index": index,
  "evald.benchmark.attempt": attempt
})

export const layer: Layer.Layer<Runtime, never, Runtime> = Layer.effect(
  Runtime,
  Effect.map(Runtime, (runtime) =>
    Runtime.of({
      ...runtime,
      launch: (unit) =>
        Effect.withSpan(runtime.launch(unit), "runtime.launch", {
          kind: "client",
          captureStackTrace: false,
          attributes: about(unit)
        }),
      stop: (unit, how) =>
        Effect.withSpan(runtime.stop(unit, how), "runtime.stop", {
          kind: "client",
          captureStackTrace: false,
          attributes: about(unit)
        }),
      stopJob: (job, how) =>
        Effect.withSpan(runtime.stopJob(job, how), "runtime.stopJob", {
          kind: "client",
          captureStackTrace: false,
          attributes: { "evald.tenant": job.tenant, "evald.job.id": job.jobId }
        })
    })
  )
)
