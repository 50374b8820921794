/** One line of `samples/<task>.ndjson`: what was asked, what came back and how it was judged. Reference: adapter-contract.md, "Sample records". */

import { Schema } from "effect"
import { sampleVerdicts } from "../../values/benchmark/sample-verdicts.ts"

const Text = Schema.String.pipe(Schema.minLength(1))
const Index = Schema.Number.pipe(Schema.int(), Schema.nonNegative())
const Integer = Schema.Number.pipe(Schema.int())
const FreeForm = Schema.Record({ key: Schema.String, value: Schema.Unknown })

/** `error` is required when the verdict is `error`: such a sample is neither right nor dropped */
export const SampleRecord = Schema.Struct({
  v: Schema.Literal(1),
  /** stable: `<task>:<dataset key or index>`; with `repeat` it is the resume key */
  sample_id: Text,
  task: Text,
  index: Index,
  repeat: Index,
  /** of the exact request messages, canonical JSON */
  prompt_sha256: Schema.optional(Schema.String.pipe(Schema.pattern(/^[0-9a-f]{64}$/))),
  prompt: Schema.optional(Schema.Union(Schema.String, Schema.Array(Schema.Unknown))),
  response: Schema.optional(Schema.String),
  reasoning: Schema.optional(Schema.String),
  reference: Schema.optional(
    Schema.Union(
      Schema.String,
      Schema.Number,
      Schema.Array(Schema.Unknown),
      Schema.Record({ key: Schema.String, value: Schema.Unknown })
    )
  ),
  choices: Schema.optional(Schema.Array(Schema.String)),
  extracted: Schema.optional(Schema.String),
  truncated: Schema.optional(Schema.Boolean),
  /** members that were cut or left out, because they were too long */
  cut: Schema.optional(Schema.Array(Schema.String)),
  verdict: Schema.Literal(...sampleVerdicts),
  /** why this verdict: of an invalid one, why no answer could be read */
  reason: Schema.optional(Text),
  /** of the primary metric */
  score: Schema.optional(Schema.Number),
  scores: Schema.optional(Schema.Record({ key: Schema.String, value: Schema.Number })),
  /** items that belong together, such as the questions about one document */
  cluster: Schema.optional(Text),
  flags: Schema.optional(Schema.Array(Text)),
  response_sha256: Schema.optional(Schema.String.pipe(Schema.pattern(/^[0-9a-f]{64}$/))),
  seed: Schema.optional(Integer),
  /** as they were really sent */
  parameters: Schema.optional(FreeForm),
  served_model: Schema.optional(Schema.String),
  system_fingerprint: Schema.optional(Schema.String),
  /** tries after the first */
  retries: Schema.optional(Index),
  turns: Schema.optional(Schema.Array(Schema.Unknown)),
  /** rules that the answer was held against, with their arguments */
  rules: Schema.optional(Schema.Array(Schema.Unknown)),
  judge: Schema.optional(FreeForm),
  /** log-probabilities that decided */
  logprobs: Schema.optional(FreeForm),
  timing: Schema.optional(FreeForm),
  /** requests by role, such as `judge` */
  role_requests: Schema.optional(FreeForm),
  latency_ms: Schema.optional(Schema.Number),
  ttft_ms: Schema.optional(Schema.Number),
  tokens: Schema.optional(
    Schema.Struct({
      prompt: Schema.optional(Integer),
      completion: Schema.optional(Integer),
      reasoning: Schema.optional(Integer),
      cached: Schema.optional(Integer),
      estimated: Schema.optional(Schema.Boolean)
    })
  ),
  finish_reason: Schema.optional(Schema.String),
  request_id: Schema.optional(Schema.String),
  started_at: Schema.optional(Schema.String),
  error: Schema.optional(Schema.Struct({ code: Text, message: Schema.String, http_status: Schema.optional(Integer) }))
}).pipe(
  Schema.filter(
    (record) =>
      record.verdict !== "error" || record.error !== undefined || "a record with verdict error needs the member error"
  )
)
export type SampleRecord = typeof SampleRecord.Type
