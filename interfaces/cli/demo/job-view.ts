/** The members of a job record that the demo shows, read from the API like any other client would. */
import { Schema } from "effect"

const Message = Schema.Struct({ message: Schema.String, message_code: Schema.String })

const BenchmarkStatus = Schema.Struct({
  id: Schema.String,
  provider_id: Schema.String,
  benchmark_index: Schema.Number,
  status: Schema.Literal("pending", "running", "completed", "failed", "cancelled"),
  phase: Schema.optional(Schema.String),
  error_message: Schema.optional(Message),
  warning_message: Schema.optional(Message),
  progress: Schema.optional(
    Schema.Struct({ completed_steps: Schema.optional(Schema.Number), total_steps: Schema.optional(Schema.Number) })
  ),
  started_at: Schema.optional(Schema.String),
  completed_at: Schema.optional(Schema.String)
})
export type BenchmarkStatus = typeof BenchmarkStatus.Type

const Decided = Schema.optional(Schema.Literal("pass", "fail", "inconclusive"))
const Ends = Schema.optional(Schema.Struct({ low: Schema.Number, high: Schema.Number }))

const BenchmarkResult = Schema.Struct({
  id: Schema.String,
  provider_id: Schema.String,
  benchmark_index: Schema.Number,
  metrics: Schema.optional(Schema.Record({ key: Schema.String, value: Schema.Unknown })),
  metrics_schema: Schema.optional(
    Schema.Array(
      Schema.Struct({
        name: Schema.String,
        unit: Schema.optional(Schema.String),
        n: Schema.optional(Schema.Number),
        ci: Schema.optional(Schema.Array(Schema.Number))
      })
    )
  ),
  additional_info: Schema.optional(Schema.Record({ key: Schema.String, value: Schema.Unknown })),
  validity: Schema.optional(
    Schema.Struct({
      status: Schema.String,
      flags: Schema.Array(Schema.Struct({ code: Schema.String, level: Schema.String, message: Schema.String }))
    })
  ),
  test: Schema.optional(
    Schema.Struct({
      primary_score: Schema.Number,
      primary_score_metric: Schema.optional(Schema.String),
      lower_is_better: Schema.optional(Schema.Boolean),
      threshold: Schema.optional(Schema.Number),
      pass: Schema.optional(Schema.Boolean),
      decided: Decided,
      interval: Ends
    })
  ),
  notes: Schema.optional(Schema.Array(Schema.String)),
  logs_path: Schema.optional(Schema.String)
})
export type BenchmarkResult = typeof BenchmarkResult.Type

export const JobView = Schema.Struct({
  resource: Schema.Struct({ id: Schema.String, created_at: Schema.String, updated_at: Schema.String }),
  name: Schema.String,
  status: Schema.Struct({
    state: Schema.Literal("pending", "running", "completed", "failed", "partially_failed", "cancelled"),
    message: Schema.optional(Message),
    benchmarks: Schema.Array(BenchmarkStatus)
  }),
  results: Schema.optional(
    Schema.Struct({
      benchmarks: Schema.optional(Schema.Array(BenchmarkResult)),
      test: Schema.optional(
        Schema.Struct({
          score: Schema.Number,
          threshold: Schema.Number,
          pass: Schema.Boolean,
          coverage: Schema.optional(Schema.Number),
          decided: Decided,
          bounds: Ends
        })
      )
    })
  )
})
export type JobView = typeof JobView.Type

export const decodeJob = Schema.decodeUnknown(Schema.parseJson(JobView))

export const isFinished = ({ status }: JobView): boolean => status.state !== "pending" && status.state !== "running"
