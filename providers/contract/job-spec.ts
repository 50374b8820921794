/** job.json: written by the server once per unit, read by every adapter. Reference: adapter-contract.md, "Job file". */
import { Either, ParseResult, Schema } from "effect"
import { readJson } from "../../values/json-text/read-json.ts"

const FreeForm = Schema.Record({ key: Schema.String, value: Schema.Unknown })
const Text = Schema.String.pipe(Schema.minLength(1))
const Alpha = Schema.Number.pipe(Schema.greaterThan(0), Schema.lessThan(1))
const Count = Schema.Number.pipe(Schema.int(), Schema.greaterThanOrEqualTo(1))

/** wire names on purpose: adapters in any language read this document */
export const JobSpec = Schema.Struct({
  spec_version: Schema.optional(Schema.String.pipe(Schema.pattern(/^\d+$/))),
  id: Text,
  provider_id: Text,
  benchmark_id: Text,
  benchmark_index: Schema.Number.pipe(Schema.int(), Schema.nonNegative()),
  attempt: Schema.optional(Count),
  tenant: Schema.optional(Text),
  model: Schema.Struct({
    url: Text,
    name: Schema.String.pipe(Schema.pattern(/\S/)),
    auth: Schema.optional(Schema.Struct({ secret_ref: Text })),
    parameters: Schema.optional(FreeForm)
  }),
  parameters: FreeForm.pipe(
    Schema.filter(
      (parameters) => !("num_examples" in parameters) || "num_examples belongs to the top level of job.json"
    )
  ),
  num_examples: Schema.optional(Count),
  seed: Schema.optional(Schema.Number.pipe(Schema.int())),
  primary_score: Schema.optional(Schema.Struct({ metric: Text, lower_is_better: Schema.optional(Schema.Boolean) })),
  // what the provider's definition says of the benchmark; open sets, so that an adapter can be older than the server
  requirements: Schema.optional(
    Schema.Struct({
      endpoint: Schema.optional(Text),
      framework_task: Schema.optional(Text),
      framework_min: Schema.optional(Text),
      flags: Schema.optional(Schema.Array(Text)),
      percent_metrics: Schema.optional(Schema.Array(Text))
    })
  ),
  num_few_shot: Schema.optional(Schema.Number.pipe(Schema.int(), Schema.nonNegative())),
  // asking may end when the outcome of these on the primary metric is certain enough; an adapter that does not know it asks everything
  early_stop: Schema.optional(
    Schema.Struct({
      alpha: Alpha,
      gating: Count,
      criteria: Schema.Array(
        Schema.Union(
          Schema.Struct({ threshold: Schema.Number, alpha: Alpha }),
          Schema.Struct({
            kind: Schema.Literal("relative_to_baseline", "relative_fraction"),
            tolerance: Schema.Number.pipe(Schema.nonNegative()),
            alpha: Alpha
          })
        )
      ).pipe(Schema.minItems(1)),
      // what the items were worth on the metric's scale in the job that criteria with a tolerance are held against, by sample id
      baseline: Schema.optional(
        Schema.Struct({
          dataset_sha256: Schema.optional(Text),
          items: Schema.Record({ key: Schema.String, value: Schema.Number })
        })
      )
    })
  ),
  timeout_seconds: Schema.optional(Count),
  callback_url: Schema.String.pipe(Schema.pattern(/^https?:\/\/.*[^/]$/)),
  output_dir: Schema.optional(Text),
  test_data_dir: Schema.optional(Text),
  samples: Schema.optional(
    Schema.Struct({ write: Schema.Boolean, include_text: Schema.Boolean, upload: Schema.optional(Schema.Boolean) })
  ),
  experiment_name: Schema.optional(Text),
  tags: Schema.optional(
    Schema.Array(Schema.Struct({ key: Schema.String, value: Schema.String })).pipe(Schema.minItems(1))
  ),
  exports: Schema.optional(
    Schema.Struct({
      oci: Schema.optional(
        Schema.Struct({
          coordinates: Schema.Struct({
            oci_host: Text,
            oci_repository: Text,
            oci_tag: Schema.optional(Schema.String.pipe(Schema.pattern(/^[A-Za-z0-9_][A-Za-z0-9._-]{0,127}$/))),
            oci_subject: Schema.optional(Text),
            annotations: Schema.optional(Schema.Record({ key: Schema.String, value: Schema.String }))
          }),
          push_scheme: Schema.optional(Schema.Literal("http", "https")),
          push_host: Schema.optional(Text),
          push_prefix: Schema.optional(Schema.String)
        })
      )
    })
  ),
  traceparent: Schema.optional(Text),
  job_id: Schema.optional(Text),
  benchmark_config: Schema.optional(FreeForm)
})
export type JobSpec = typeof JobSpec.Type

/** key order of the document; free-form objects keep the order they were given */
const order: { readonly [path: string]: ReadonlyArray<string> } = {
  "": Object.keys(JobSpec.fields),
  "/model": ["url", "name", "auth", "parameters"],
  "/primary_score": ["metric", "lower_is_better"],
  "/requirements": ["endpoint", "framework_task", "framework_min", "flags", "percent_metrics"],
  "/early_stop": ["alpha", "gating", "criteria", "baseline"],
  "/early_stop/baseline": ["dataset_sha256", "items"],
  "/samples": ["write", "include_text", "upload"],
  "/exports/oci": ["coordinates", "push_scheme", "push_host", "push_prefix"],
  "/exports/oci/coordinates": ["oci_host", "oci_repository", "oci_tag", "oci_subject", "annotations"]
}

const arrange = (value: unknown, path: string): unknown => {
  if (Array.isArray(value)) return value.map((item) => arrange(item, `${path}/-`))
  if (typeof value !== "object" || value === null) return value
  const members = new Map<string, unknown>(Object.entries(value))
  const first = (order[path] ?? []).filter((name) => members.has(name))
  const names = [...first, ...[...members.keys()].filter((name) => !first.includes(name))]
  return Object.fromEntries(
    names
      .filter((name) => (members.get(name) ?? undefined) !== undefined)
      .map((name) => [name, arrange(members.get(name), `${path}/${name}`)])
  )
}

/** the file's text: contract key order, two-space indent, final newline, no member that is null */
export const renderJobSpec = (spec: JobSpec): string => `${JSON.stringify(arrange(spec, ""), null, 2)}\n`

export interface JobSpecProblem {
  /** JSON Pointer */
  readonly path: string
  readonly message: string
}

const decode = Schema.decodeUnknownEither(JobSpec, { errors: "all", onExcessProperty: "ignore" })

/** ignores unknown keys; left: every problem of the text, at least one */
export const readJobSpec = (text: string): Either.Either<JobSpec, ReadonlyArray<JobSpecProblem>> =>
  readJson(text.replace(/^\uFEFF/, "")).pipe(
    Either.mapLeft((reason) => [{ path: "", message: `is not JSON: ${reason}` }]),
    Either.flatMap((document) =>
      Either.mapLeft(decode(document), (error) =>
        ParseResult.ArrayFormatter.formatErrorSync(error).map((issue) => ({
          path: issue.path.map((part) => `/${String(part)}`).join(""),
          message: issue.message
        }))
      )
    )
  )
