/** A framework's samples as our per-sample records. Reference: adapter-contract.md, "Sample records". */
import { Effect, Option, type Scope } from "effect"
import type { JobSpec } from "../../contract/job-spec.ts"
import type { SampleRecord } from "../../contract/sample-record.ts"
import type { AdapterError } from "../adapter.ts"
import { promptDigest } from "../prompt-digest.ts"
import { openSamples, type SampleSummary } from "../samples.ts"

/**
 * Writes `samples/<task>.ndjson` below `results`, record by record; those an earlier run of the unit wrote are not written again. None when
 * the job wants no samples; the records are gone through all the same, for whoever watches them.
 */
export const writeSampleRecords = (
  job: Pick<JobSpec, "samples">,
  results: string,
  task: string,
  records: Iterable<SampleRecord>
): Effect.Effect<Option.Option<SampleSummary>, AdapterError, Scope.Scope> =>
  Effect.gen(function* () {
    const write = job.samples?.write ?? true
    if (!write) {
      for (const _ of records);
      return Option.none()
    }
    const samples = yield* openSamples({
      outputDir: results,
      task,
      write,
      includeText: job.samples?.include_text ?? true
    })
    for (const record of records)
      if (samples.finished(record.sample_id, record.repeat) === undefined) yield* samples.write(record)
    return yield* samples.summary
  })

/** of a score from 0 to 1; none and others tell nothing */
export const verdictOfScore = (score: number | undefined): SampleRecord["verdict"] =>
  score === undefined || score < 0 || score > 1 ? "skipped" : score === 1 ? "correct" : "incorrect"

export const promptMembers = (prompt: SampleRecord["prompt"]): Partial<SampleRecord> =>
  prompt === undefined
    ? {}
    : { prompt_sha256: promptDigest(typeof prompt === "string" ? { prompt } : { messages: prompt }), prompt }

/** `additional_info.samples`: one summary as it is, several as a list, none left out */
export const samplesInfo = (summaries: ReadonlyArray<Option.Option<SampleSummary>>): { readonly samples?: unknown } => {
  const [only, ...others] = summaries.flatMap(Option.toArray)
  if (only === undefined) return {}
  return { samples: others.length === 0 ? only : [only, ...others] }
}
