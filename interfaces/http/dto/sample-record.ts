/** Samples on the wire. A record goes out as the text that is stored; what is really read, and how, is domain/sample/read-sample.ts. Reference: samples.md, "Members". */

import { Either, Schema } from "effect"
import type { StoredSample } from "../../../application/ports/stores/sample-store.ts"
import type { SamplesPage } from "../../../application/samples/read-samples.ts"
import { FreeForm } from "../../../config/free-form.ts"
import { limits, reasons } from "../../../domain/sample/sample.ts"
import { sampleVerdicts } from "../../../values/benchmark/sample-verdicts.ts"
import type { BodyReader } from "./decode.ts"
import { given, integer, number, Texts, text } from "./shapes.ts"

const Digest = text("64 hexadecimal digits", { pattern: "^[0-9a-f]{64}$" })
const position = { minimum: 0, maximum: 2_147_483_647 }
const name = (description: string, maxLength: number) => text(description, { minLength: 1, maxLength })

const key = {
  sample_id: name("stable name of the item", limits.nameLength),
  task: name("task within the benchmark", limits.taskLength),
  index: integer("position in the data set", position),
  repeat: integer("how often the item was asked before", position),
  verdict: Schema.Literal(...sampleVerdicts)
}

const judged = {
  reason: given(Schema.Literal(...reasons)),
  finish_reason: given(name("why the endpoint ended its answer", limits.shortLength)),
  score: given(number("of the primary metric")),
  cluster: given(name("items that belong together", limits.clusterLength)),
  latency_ms: given(number("whole request", { minimum: 0 }))
}

const Tokens = Schema.Struct({
  prompt: given(integer("of the prompt", position)),
  completion: given(integer("generated, thinking included", position)),
  reasoning: given(integer("of them thinking", position)),
  cached: given(integer("of the prompt's from a cache", position)),
  estimated: given(Schema.Boolean)
}).annotations({ identifier: "SampleTokens" })

const SampleError = Schema.Struct({
  code: Schema.String,
  message: Schema.String,
  http_status: given(integer("of the endpoint's answer"))
}).annotations({
  identifier: "SampleError"
})

/** one line of an upload */
export const SampleRecord = Schema.Struct({
  v: Schema.Literal(1),
  ...key,
  ...judged,
  prompt_sha256: given(Digest),
  response_sha256: given(Digest),
  prompt: given(Schema.Union(Schema.String, Schema.Array(Schema.Unknown))),
  response: given(Schema.String),
  reasoning: given(Schema.String),
  reference: given(Schema.Unknown),
  choices: given(Texts),
  extracted: given(Schema.String),
  truncated: given(Schema.Boolean),
  cut: given(Texts),
  scores: given(Schema.Record({ key: Schema.String, value: Schema.Number })),
  flags: given(Texts),
  seed: given(integer("as it was sent")),
  ttft_ms: given(number("until the first token", { minimum: 0 })),
  tokens: given(Tokens),
  turns: given(Schema.Array(Schema.Unknown)),
  role_requests: given(FreeForm),
  request_id: given(Schema.String),
  started_at: given(Schema.String),
  error: given(SampleError),
  parameters: given(FreeForm),
  served_model: given(Schema.String),
  system_fingerprint: given(Schema.String),
  retries: given(integer("tries after the first", position)),
  rules: given(Schema.Array(Schema.Unknown)),
  judge: given(FreeForm),
  logprobs: given(FreeForm),
  timing: given(FreeForm)
}).annotations({ identifier: "SampleRecord" })

/** the handler reads the lines itself */
export const lines: BodyReader<unknown> = (value) => Either.right({ value, ignored: [] })

export const SampleReceipt = Schema.Struct({
  stored: integer("records that are new"),
  replaced: integer("records that took the place of an error or of a skipped one"),
  duplicate: integer("records that were there already")
}).annotations({ identifier: "SampleReceipt" })

const SampleItem = Schema.Struct({
  benchmark_index: integer("position of the benchmark in the job", { minimum: 0 }),
  ...key,
  ...judged,
  flags: given(Texts),
  tokens: given(Schema.Struct({ completion: integer("generated, thinking included", position) })),
  sha256: Digest,
  record: given(SampleRecord)
}).annotations({ identifier: "Sample" })

const Link = Schema.Struct({ href: Schema.String }).annotations({ identifier: "PageLink" })

export const SampleList = Schema.Struct({
  next: given(Link),
  limit: integer("largest number of items in the answer"),
  total_count: given(integer("exact number of samples that match; absent in a search")),
  scanned: given(integer("samples that a search looked at")),
  complete: given(Schema.Boolean.annotations({ description: "whether a search looked at all there are" })),
  sha256: given(Digest),
  items: Schema.Array(SampleItem)
}).annotations({ identifier: "SampleList" })

/** JSON text of an item; `record`: JSON text as it is stored, where it is wanted and there */
export const itemText = (sample: StoredSample, record?: string): string => {
  const {
    benchmark,
    sampleId,
    task,
    repeat,
    index,
    verdict,
    reason,
    finishReason,
    flags,
    score,
    completionTokens,
    latencyMillis,
    cluster,
    digest
  } = sample
  const item = JSON.stringify({
    benchmark_index: benchmark,
    sample_id: sampleId,
    ...{ task, index, repeat, verdict, reason },
    finish_reason: finishReason,
    flags: flags.length === 0 ? undefined : flags,
    score,
    tokens: completionTokens === undefined ? undefined : { completion: completionTokens },
    latency_ms: latencyMillis,
    cluster,
    sha256: digest
  })
  return record === undefined ? item : `${item.slice(0, -1)},"record":${record}}`
}

/** JSON text of the envelope up to its items, which `]}` ends; `next`: path and query of the page after this one */
export const headText = (
  page: SamplesPage,
  limit: number,
  next: string | undefined,
  digest: string | undefined
): string => {
  const head = JSON.stringify({
    ...(next === undefined ? {} : { next: { href: next } }),
    limit,
    total_count: page.total,
    scanned: page.searched?.scanned,
    complete: page.searched?.complete,
    sha256: digest
  })
  return `${head.slice(0, -1)},"items":[`
}
