/** job.json: written by the server once per unit, read by every adapter. Contract: adapter 1. */
import { Schema } from "effect"

const FreeForm = Schema.Record({ key: Schema.String, value: Schema.Unknown })

/** wire names on purpose: adapters in any language read this document */
export const JobSpec = Schema.Struct({
  spec_version: Schema.optional(Schema.String),
  id: Schema.String.pipe(Schema.minLength(1)),
  provider_id: Schema.String.pipe(Schema.minLength(1)),
  benchmark_id: Schema.String.pipe(Schema.minLength(1)),
  benchmark_index: Schema.Number.pipe(Schema.int(), Schema.nonNegative()),
  attempt: Schema.optional(Schema.Number),
  tenant: Schema.optional(Schema.String),
  model: Schema.Struct({
    url: Schema.String.pipe(Schema.minLength(1)),
    name: Schema.String.pipe(Schema.pattern(/\S/)),
    auth: Schema.optional(Schema.Struct({ secret_ref: Schema.String })),
    parameters: Schema.optional(FreeForm)
  }),
  parameters: FreeForm,
  num_examples: Schema.optional(Schema.Number),
  seed: Schema.optional(Schema.Number),
  primary_score: Schema.optional(Schema.Struct({ metric: Schema.String, lower_is_better: Schema.optional(Schema.Boolean) })),
  timeout_seconds: Schema.optional(Schema.Number),
  callback_url: Schema.String.pipe(Schema.minLength(1)),
  output_dir: Schema.optional(Schema.String),
  test_data_dir: Schema.optional(Schema.String),
  samples: Schema.optional(Schema.Struct({ write: Schema.Boolean, include_text: Schema.Boolean })),
  experiment_name: Schema.optional(Schema.String),
  tags: Schema.optional(Schema.Array(Schema.Struct({ key: Schema.String, value: Schema.String }))),
  exports: Schema.optional(
    Schema.Struct({
      oci: Schema.optional(
        Schema.Struct({
          coordinates: Schema.Struct({
            oci_host: Schema.String,
            oci_repository: Schema.String,
            oci_tag: Schema.optional(Schema.String),
            oci_subject: Schema.optional(Schema.String),
            annotations: Schema.optional(Schema.Record({ key: Schema.String, value: Schema.String }))
          }),
          push_scheme: Schema.optional(Schema.Literal("http", "https")),
          push_host: Schema.optional(Schema.String),
          push_prefix: Schema.optional(Schema.String)
        })
      )
    })
  ),
  traceparent: Schema.optional(Schema.String),
  job_id: Schema.optional(Schema.String),
  benchmark_config: Schema.optional(FreeForm)
})
export type JobSpec = typeof JobSpec.Type
