/** Records made ready to be stored, in steps, so that nobody waits for a thousand of them. */
import type { Effect } from "effect"
import type { IncomingSample, MadeText } from "../../application/ports/stores/sample-store.ts"
import type { SampleContent } from "../../domain/sample/kept-document.ts"
import type { Known } from "../../domain/sample/meet.ts"
import { type Sample, type SampleKey, whole } from "../../domain/sample/sample.ts"
import { inSteps, usualStep } from "../in-process/in-steps.ts"
import { keptText, promptOf, recordText } from "./record-text.ts"

/** what is left of a record whose text is written: neither text nor document lives as long as the call */
export interface Taken extends Known {
  readonly key: SampleKey
  readonly sample: Sample
  readonly prompt: string | undefined
  /** its place among the records of the call */
  readonly number: number
}

/** records taken between two turns of others when whoever read them made their texts: a tenth of the work */
const madeStep = 64

/** `write` gets the text of each as it is kept, in their order */
export const takeAll = (
  samples: ReadonlyArray<IncomingSample>,
  content: SampleContent,
  write: (text: string | MadeText) => void,
  pause: Effect.Effect<void>
): Effect.Effect<ReadonlyArray<Taken>> => {
  let taken = 0
  const take = (sample: IncomingSample): Taken => {
    const { sampleId, task, repeat, verdict, made } = sample
    const known = { key: { sampleId, task, repeat }, verdict, sample, number: taken++ }
    if (made !== undefined && made.content === content) {
      write(made)
      return { ...known, digest: made.digest, prompt: made.prompt }
    }
    const withDocument = whole(sample)
    const record = recordText(withDocument)
    write(keptText(withDocument, record, content))
    return { ...known, digest: record.digest, prompt: promptOf(withDocument) }
  }
  return inSteps(samples, take, samples[0]?.made === undefined ? usualStep : madeStep, pause)
}
