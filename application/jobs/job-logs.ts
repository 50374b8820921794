/** Log text of benchmarks. A benchmark that has not started has an empty log. Decisions 3, "Logs API". */
import { Effect, Stream } from "effect"
import type { Benchmark } from "../../domain/job/job.ts"
import type { Caller } from "../access/caller.ts"
import { NotFound, type Unavailable } from "../errors.ts"
import { JobStore } from "../ports/job-store.ts"
import { type LogQuery, Runtime } from "../ports/runtime.ts"

type LogText = Stream.Stream<Uint8Array, Unavailable>

const logOf = (runtime: Runtime["Type"], tenant: string, jobId: string, { index, attempt }: Benchmark, query: LogQuery): Effect.Effect<LogText, Unavailable> =>
  runtime.logs({ tenant, jobId, index, attempt }, query).pipe(Effect.catchTag("NotFound", () => Effect.succeed(Stream.empty)))

export const benchmarkLog = Effect.fn("jobs.benchmarkLog")(function* (caller: Caller, jobId: string, index: number, query: LogQuery) {
  const store = yield* JobStore
  const { head, benchmark } = yield* store.loadBenchmark(jobId, index)
  if (head.tenant !== caller.tenant) return yield* new NotFound({ kind: "job", id: jobId })
  return yield* logOf(yield* Runtime, caller.tenant, jobId, benchmark, query)
})

const heading = ({ index, entry }: Benchmark): LogText => Stream.make(new TextEncoder().encode(`=== benchmark ${index}: ${entry.providerId}/${entry.id} ===\n`))

/** all benchmarks in index order, each under a heading; with `follow` those that run are followed to their end one after the other */
export const jobLogs = Effect.fn("jobs.logs")(function* (caller: Caller, jobId: string, query: LogQuery) {
  const store = yield* JobStore
  const runtime = yield* Runtime
  const { benchmarks } = yield* store.load(caller.tenant, jobId)
  const logs: LogText = Stream.flatMap(Stream.fromIterable(benchmarks), (benchmark) =>
    Stream.concat(heading(benchmark), Stream.unwrap(logOf(runtime, caller.tenant, jobId, benchmark, query)))
  )
  return logs
})
