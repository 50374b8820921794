/** Records made ready to be stored: their digest, and their text when it is wanted. In steps, so that nobody waits for a thousand of them. */
import { createHash } from "node:crypto"
import { Effect } from "effect"
import { comparedDocument, keptDocument, type SampleContent } from "../../domain/sample/kept-document.ts"
import type { Known } from "../../domain/sample/meet.ts"
import type { Sample, SampleKey } from "../../domain/sample/sample.ts"
import { canonicalJson } from "../../values/canonical-json.ts"

export interface Prepared extends Known {
  readonly key: SampleKey
  readonly sample: Sample
}

const digestOf = (sample: Sample): string =>
  createHash("sha256")
    .update(canonicalJson(comparedDocument(sample)))
    .digest("hex")

const step = 64

/** resumes after whatever else is due had its turn */
export const breath: Effect.Effect<void> = Effect.async((resume) => {
  const waiting = setImmediate(() => resume(Effect.void))
  return Effect.sync(() => clearImmediate(waiting))
})

/** applies `make` to everything, and lets others in between */
export const inSteps = <A, B>(all: ReadonlyArray<A>, make: (one: A) => B): Effect.Effect<ReadonlyArray<B>> =>
  Effect.gen(function* () {
    const made: Array<B> = []
    for (let start = 0; start < all.length; start += step) {
      if (start > 0) yield* breath
      for (const one of all.slice(start, start + step)) made.push(make(one))
    }
    return made
  })

export const prepare = (samples: ReadonlyArray<Sample>): Effect.Effect<ReadonlyArray<Prepared>> =>
  inSteps(samples, (sample) => ({
    key: { sampleId: sample.sampleId, task: sample.task, repeat: sample.repeat },
    sample,
    verdict: sample.verdict,
    digest: digestOf(sample)
  }))

export const textOf = (sample: Sample, content: SampleContent): string => JSON.stringify(keptDocument(sample, content))
