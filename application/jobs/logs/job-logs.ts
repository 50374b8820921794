/**
 * Log text of benchmarks. The log of one benchmark is never empty: where there is none, the answer says why. Reference: api.md, "Logs";
 * cluster-objects.md, "Observing".
 */
import { Chunk, Effect, Exit, Option, Scope, Stream } from "effect"
import { isTerminal } from "../../../domain/job/benchmark-state.ts"
import type { Benchmark } from "../../../domain/job/job.ts"
import type { Caller } from "../../access/caller.ts"
import { NotFound, type Unavailable } from "../../errors.ts"
import { type LogQuery, Runtime, type UnitLog } from "../../ports/runtime.ts"
import { JobStore } from "../../ports/stores/job-store.ts"
import { searchLog } from "./log-search.ts"

type LogText = UnitLog["text"]

export interface LogRequest extends LogQuery {
  readonly tailLines: number
  /** only lines with this text, of which `tailLines` then counts the last */
  readonly contains?: string
}

const whyNone = ({ state, startedAt, spawnedAt }: Benchmark): string => {
  if (startedAt !== undefined || spawnedAt !== undefined)
    return isTerminal(state)
      ? "the benchmark left no log, or it is no longer kept"
      : "the benchmark has written nothing yet"
  return isTerminal(state) ? "the benchmark ended before its adapter started" : "the benchmark has not started yet"
}

/** the same text once its first bytes are there; undefined when it has none */
const ifAny = (text: LogText): Effect.Effect<LogText | undefined, Unavailable> =>
  Effect.gen(function* () {
    const scope = yield* Scope.make()
    const pull = yield* Scope.extend(Stream.toPull(text), scope)
    const close = Scope.close(scope, Exit.void)
    const first: Effect.Effect<Chunk.Chunk<Uint8Array>, Option.Option<Unavailable>> = Effect.flatMap(pull, (chunk) =>
      Chunk.some(chunk, ({ length }) => length > 0) ? Effect.succeed(chunk) : first
    )
    return yield* first.pipe(
      Effect.map(
        (chunk): LogText =>
          Stream.concat(Stream.fromChunk(chunk), Stream.repeatEffectChunkOption(pull)).pipe(Stream.ensuring(close))
      ),
      Effect.catchAll((end) =>
        Effect.zipRight(close, Option.isSome(end) ? Effect.fail(end.value) : Effect.succeed(undefined))
      ),
      Effect.onInterrupt(() => close)
    )
  })

/** `follow` waits for text that may come later; without it there is some, or `NotFound` with the reason; no line with `contains` is an empty text */
export const benchmarkLog = Effect.fn("jobs.benchmarkLog")(function* (
  caller: Caller,
  jobId: string,
  index: number,
  { contains, ...query }: LogRequest
) {
  const store = yield* JobStore
  const { head, benchmark } = yield* store.loadBenchmark(jobId, index)
  if (head.tenant !== caller.tenant) return yield* new NotFound({ kind: "job", id: jobId })
  const none = () => new NotFound({ kind: "log", id: `${jobId}/${index}`, reason: whyNone(benchmark) })
  const runtime = yield* Runtime
  const unit = { tenant: caller.tenant, jobId, index, attempt: benchmark.attempt }
  const open = (asked: LogQuery) => Effect.catchTag(runtime.logs(unit, asked), "NotFound", () => Effect.fail(none()))
  if (contains !== undefined) {
    const { isEmpty, ...found } = yield* searchLog(open, query, contains)
    return isEmpty && !query.follow ? yield* none() : found
  }
  const log = yield* open(query)
  if (query.follow) return log
  const text = yield* ifAny(log.text)
  return text === undefined ? yield* none() : { ...log, text }
})

const heading = ({ index, entry }: Benchmark): LogText =>
  Stream.make(new TextEncoder().encode(`=== benchmark ${index}: ${entry.providerId}/${entry.id} ===\n`))

/**
 * All benchmarks in index order, each under a heading, those without a log too: whoever reads again and again finds what was there before
 * at the same place. With `follow` those that run are followed to their end one after the other.
 */
export const jobLogs = Effect.fn("jobs.logs")(function* (
  caller: Caller,
  jobId: string,
  { contains, ...query }: LogRequest
) {
  const store = yield* JobStore
  const runtime = yield* Runtime
  const { benchmarks } = yield* store.load(caller.tenant, jobId)
  const textOf = ({ index, attempt }: Benchmark): LogText => {
    const open = (asked: LogQuery) => runtime.logs({ tenant: caller.tenant, jobId, index, attempt }, asked)
    return Stream.unwrap(
      (contains === undefined ? open(query) : searchLog(open, query, contains)).pipe(
        Effect.map(({ text }) => text),
        Effect.catchTag("NotFound", () => Effect.succeed(Stream.empty))
      )
    )
  }
  const logs: LogText = Stream.flatMap(Stream.fromIterable(benchmarks), (benchmark) =>
    Stream.concat(heading(benchmark), textOf(benchmark))
  )
  return logs
})
