/**
 * Takes samples of a benchmark from whoever may report its events, while it runs and for a minute after its terminal event.
 * Reference: samples.md, "Upload".
 */
import { Context, DateTime, Effect } from "effect"
import { foreignIndex, foreignUnit, reportedUnit } from "../../domain/access/reporting.ts"
import { noted } from "../../domain/job/job-state.ts"
import { resolveMetric } from "../../domain/job/scoring.ts"
import type { SampleContent } from "../../domain/sample/kept-document.ts"
import { keyText, limits } from "../../domain/sample/sample.ts"
import { shown, violation } from "../../domain/violation.ts"
import { defined } from "../../values/defined.ts"
import { Conflict, Forbidden, Invalid, NotFound } from "../errors.ts"
import type { EventTarget } from "../jobs/record-event.ts"
import { JobStore } from "../ports/stores/job-store.ts"
import { type IncomingSample, SampleStore, type SamplesRefused } from "../ports/stores/sample-store.ts"
import { applyTo } from "../runtime/apply.ts"
import { closingTask, endedMillis } from "./close-samples.ts"

/** settings `samples.*` */
export class SamplePolicy extends Context.Reference<SamplePolicy>()("evald/application/samples/SamplePolicy", {
  defaultValue: (): { readonly maxPerJob: number; readonly content: SampleContent } => ({
    maxPerJob: 1_000_000,
    content: "full"
  })
}) {}

export interface SampleTarget extends EventTarget {
  readonly index: number
  /** found by the runtime when the benchmark had ended: no time is too late */
  readonly collected?: boolean
}

/** conflicts that an answer names */
const maxNamed = 20

const isClosed = (ended: number | undefined, now: number): boolean =>
  ended !== undefined && now > ended + limits.lateMillis

/** the same record with this score; what it makes of its line when it is asked is still made then */
const withScore = (sample: IncomingSample, score: number): IncomingSample => ({
  ...sample,
  score,
  get document() {
    return sample.document
  },
  ...defined({ made: sample.made })
})

/** a sample without a score of its own has the value of the primary metric among its scores */
const withPrimary =
  (metric: string | undefined) =>
  (sample: IncomingSample): IncomingSample => {
    if (metric === undefined || sample.score !== undefined || sample.scores === undefined) return sample
    const match = resolveMetric(sample.scores, metric)
    return match._tag === "Found" ? withScore(sample, match.value) : sample
  }

const refused = (jobId: string, maxPerJob: number) => (error: SamplesRefused) => {
  if (error.why === "full") {
    const text = `job ${jobId} would have more than ${maxPerJob} samples (samples.max_per_job); nothing of this call was stored`
    return new Invalid({ violations: [violation([], text)] })
  }
  if (error.why === "kinds") {
    const text = `the benchmark would have more than ${limits.kinds} distinct combinations of verdict, reason, finish_reason and flags; use fewer flags`
    return new Invalid({ violations: [violation([], text)] })
  }
  const more = error.keys.length - maxNamed
  const named = error.keys
    .slice(0, maxNamed)
    .map(({ sampleId, task, repeat }) => `${shown(sampleId)} of ${shown(task)}, repeat ${repeat}`)
  const count =
    error.keys.length === 1 ? "a sample differs from the one" : `${error.keys.length} samples differ from those`
  return new Conflict({
    code: "sample_conflict",
    message: `${count} that the benchmark has under the same key, and only errors and skipped ones can be replaced: ${named.join("; ")}${more > 0 ? ` and ${more} more` : ""}`
  })
}

/** samples that come after the result may be what its verdict rests on: it is looked at again when no more can come */
const judgeLater = (jobId: string, index: number, ended: number) =>
  Effect.flatMap(DateTime.now, (now) =>
    applyTo(
      { jobId, index },
      (_head, benchmark) => noted(benchmark),
      (head) => [closingTask(head, index, ended, DateTime.toEpochMillis(now))]
    )
  )

export const addSamples = Effect.fnUntraced(function* (target: SampleTarget, samples: ReadonlyArray<IncomingSample>) {
  const { jobId, index, tenant } = target
  const foreign = foreignIndex(target, index)
  if (foreign !== undefined) return yield* new Forbidden({ message: foreign })
  const { head, benchmark } = yield* (yield* JobStore).loadBenchmark(jobId, index)
  if (tenant !== undefined && head.tenant !== tenant) return yield* new NotFound({ kind: "job", id: jobId })
  const other = foreignUnit(target, reportedUnit(jobId, benchmark))
  if (other !== undefined) return yield* new Forbidden({ message: other })
  const ended = endedMillis(benchmark)
  if (target.collected !== true && isClosed(ended, DateTime.toEpochMillis(yield* DateTime.now)))
    return yield* new Conflict({
      code: "benchmark_can_not_be_updated",
      message: `benchmark ${index} of job ${jobId} ended more than ${limits.lateMillis / 1000} seconds ago, and takes no more samples`
    })
  const { maxPerJob, content } = yield* SamplePolicy
  const scored = samples.map(withPrimary(benchmark.snapshot.primaryScore?.metric))
  const store = yield* SampleStore
  const unit = { tenant: head.tenant, jobId, index }
  const add = (some: ReadonlyArray<IncomingSample>) => store.add(unit, some, { maxPerJob, content })
  // nobody is there to send the others again
  const withoutConflicts = Effect.catchTag(add(scored), "SamplesRefused", (error) => {
    const names = new Set(error.keys.map(keyText))
    const others = scored.filter((sample) => !names.has(keyText(sample)))
    return names.size === 0 || others.length === 0 ? Effect.fail(error) : add(others)
  })
  const added = yield* Effect.mapError(target.collected === true ? withoutConflicts : add(scored), (error) =>
    error._tag === "SamplesRefused" ? refused(jobId, maxPerJob)(error) : error
  )
  // whoever collects looks at all of it when it is done
  if (ended !== undefined && target.collected !== true && added.stored + added.replaced > 0)
    yield* judgeLater(jobId, index, ended)
  return added
})
