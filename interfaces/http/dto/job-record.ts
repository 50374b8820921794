/**
 * The job record as it goes out. The text itself is assembled by the store from stored parts; this is the published shape that the tests
 * hold it to. Optional members are absent, never null. Reference: states-and-scores.md, "Job states", "Job score".
 */

import { Schema } from "effect"
import { FreeForm } from "../../../config/free-form.ts"
import { benchmarkStates, jobStates, origins, rerunChoices } from "../../../domain/job/job.ts"
import { flagLevels, validityStatuses } from "../../../domain/score/validity.ts"
import { decisions, evidenceSources } from "../../../domain/score/verdict.ts"
import { phases } from "../../../values/benchmark/phases.ts"
import { jobRequestFields } from "./job-request.ts"
import { dateTime, given, integer, number, Texts, text } from "./shapes.ts"

const Message = Schema.Struct({
  message: Schema.String,
  message_code: Schema.String,
  message_origin: given(Schema.Literal(...origins))
}).annotations({ identifier: "Message" })

const JobResource = Schema.Struct({
  id: text("identifier of the record"),
  tenant: text("tenant namespace"),
  created_at: dateTime("when the record was created"),
  updated_at: dateTime("when the record last changed"),
  owner: given(text("identity that created the record")),
  tracker_experiment_id: given(text("experiment in the tracking server")),
  mlflow_experiment_id: given(text("the same under the name existing clients read"))
}).annotations({ identifier: "JobResource" })

const Progress = Schema.Struct({
  message: given(Schema.String),
  completed_steps: given(number("steps done")),
  total_steps: given(number("steps in all"))
})

const CarriedFrom = Schema.Struct({
  job: text("job that ran the benchmark"),
  benchmark_index: integer("its position there", { minimum: 0 })
}).annotations({
  identifier: "CarriedFrom",
  description: "of a rerun: the benchmark did not run in this job; state and result are those of an earlier one"
})

export const BenchmarkStatus = Schema.Struct({
  provider_id: Schema.String,
  id: Schema.String,
  benchmark_index: integer("position in the job; identity of the benchmark", { minimum: 0 }),
  status: Schema.Literal(...benchmarkStates),
  phase: given(Schema.Literal(...phases)),
  progress: given(Progress),
  error_message: given(Message),
  warning_message: given(Message),
  started_at: given(dateTime("start of the benchmark")),
  completed_at: given(dateTime("end of the benchmark")),
  carried_from: given(CarriedFrom)
}).annotations({ identifier: "BenchmarkStatus" })

const JobStatus = Schema.Struct({
  state: Schema.Literal(...jobStates),
  message: Message,
  benchmarks: Schema.Array(BenchmarkStatus)
}).annotations({ identifier: "JobStatus" })

const Decided = Schema.Literal(...decisions).annotations({
  identifier: "Decided",
  description: "what the items show about the threshold: each of pass and fail is wrong in at most 5 of 100 runs"
})

const Bounds = Schema.Struct({
  low: Schema.Number,
  high: Schema.Number,
  level: number("confidence of each bound by itself"),
  sides: Schema.Literal(1)
}).annotations({ identifier: "Bounds" })

export const Interval = Schema.Struct({
  low: Schema.Number,
  high: Schema.Number,
  level: number("share of runs in which the interval holds the true value"),
  sides: Schema.Literal(2),
  method: text("clopper_pearson or t; of a reported interval its own method"),
  n: integer("items behind the value", { minimum: 1 }),
  source: Schema.Literal(...evidenceSources)
}).annotations({ identifier: "Interval" })

const Validity = Schema.Struct({
  status: Schema.Literal(...validityStatuses),
  flags: Schema.Array(
    Schema.Struct({
      code: Schema.String,
      level: Schema.Literal(...flagLevels),
      count: integer("items or requests that show it", { minimum: 0 }),
      of: integer("items or requests looked at", { minimum: 0 }),
      limit: number("share that is tolerated"),
      samples: Texts,
      message: Schema.String
    })
  )
}).annotations({
  identifier: "Validity",
  description: "whether the result can be believed; absent where nobody looked"
})

const EarlyStopped = Schema.Struct({
  asked: integer("items that were asked, in an order that was drawn before", { minimum: 1 }),
  of: integer("items there are", { minimum: 2 })
}).annotations({
  identifier: "EarlyStopped",
  description: "fewer items were asked than there are, because the gate's outcome on all of them was certain enough"
})

const SampleSeal = Schema.Struct({
  count: integer("samples stored", { minimum: 1 }),
  sha256: text("SHA-256 (hex) over the digests of the records in the order of (`sample_id`, `task`, `repeat`)")
}).annotations({
  identifier: "SampleSeal",
  description: "the stored samples when the benchmark ended, and once more when it takes no more"
})

const BenchmarkTest = Schema.Struct({
  primary_score: number("value of the primary metric"),
  primary_score_metric: text("metric that decided"),
  lower_is_better: Schema.Boolean,
  threshold: given(Schema.Number),
  pass: given(Schema.Boolean),
  decided: given(Decided),
  interval: given(Interval),
  bounds: given(Bounds)
}).annotations({ identifier: "BenchmarkTest" })

const MetricDescription = Schema.Struct({
  name: Schema.String,
  type: given(Schema.Literal("numeric", "categorical", "array_ordered", "array_unordered", "time_series")),
  unit: given(Schema.String),
  lower_is_better: given(Schema.Boolean),
  n: given(Schema.Number),
  stderr: given(Schema.Number),
  ci: given(Schema.Array(Schema.Number)),
  ci_level: given(Schema.Number),
  ci_method: given(Schema.String),
  successes: given(integer("items that are right, where each is right or wrong", { minimum: 0 })),
  clusters: given(number("independent items that the n items are worth"))
}).annotations({ identifier: "MetricDescription" })

const count = (description: string) => integer(description, { minimum: 0 })

export const Usage = Schema.Struct({
  requests: count("requests that left for the model"),
  retries: count("of these, the same question again after a failure"),
  replayed: count("answers out of the log of an earlier run, for which nothing left"),
  tokens: Schema.Struct({
    input: count("tokens asked"),
    output: count("tokens generated"),
    reasoning: count("of these, spent on thinking as reported")
  }),
  estimated_share: number("share of the tokens that no answer reported", { minimum: 0, maximum: 1 }),
  cost: given(number("by the price of the model at the submission; absent without one", { minimum: 0 }))
}).annotations({ identifier: "Usage", description: "what was used of the model, as the gateway saw it" })

const BenchmarkResult = Schema.Struct({
  id: Schema.String,
  provider_id: Schema.String,
  benchmark_index: integer("position in the job", { minimum: 0 }),
  metrics: FreeForm,
  metrics_schema: given(Schema.Array(MetricDescription)),
  artifacts: given(FreeForm),
  additional_info: given(FreeForm),
  tracker_run_id: given(Schema.String),
  mlflow_run_id: given(Schema.String),
  logs_path: given(Schema.String),
  validity: given(Validity),
  early_stopped: given(EarlyStopped),
  samples: given(SampleSeal),
  test: given(BenchmarkTest),
  notes: given(Texts),
  usage: given(Usage),
  carried_from: given(CarriedFrom)
}).annotations({ identifier: "BenchmarkResult" })

const JobResults = Schema.Struct({
  benchmarks: Schema.Array(BenchmarkResult),
  tracker_experiment_url: given(Schema.String),
  mlflow_experiment_url: given(Schema.String),
  test: given(
    Schema.Struct({
      score: number("weighted mean over the benchmarks"),
      threshold: Schema.Number,
      pass: Schema.Boolean,
      coverage: number("share of the total weight that counts in the score", { minimum: 0, maximum: 1 }),
      decided: given(Decided),
      bounds: given(Bounds),
      notes: given(Texts)
    }).annotations({ identifier: "JobTest" })
  ),
  usage: given(Usage.annotations({ description: "of all benchmarks of this job, as far as it was told" }))
}).annotations({ identifier: "JobResults" })

const RerunOf = Schema.Struct({
  job: text("job that is run again"),
  which: Schema.Literal(...rerunChoices),
  reuse: Schema.Boolean.annotations({ description: "the results of its other benchmarks were taken over" })
}).annotations({ identifier: "RerunOf" })

export const Job = Schema.Struct({
  resource: JobResource,
  ...jobRequestFields,
  rerun_of: given(RerunOf),
  status: JobStatus,
  results: JobResults
}).annotations({
  identifier: "Job",
  description: "A job: what was asked, its state and its results."
})

/** answer to a status event */
export const EventReceipt = Schema.Struct({
  job_id: Schema.String,
  state: Schema.Literal(...jobStates),
  benchmark: BenchmarkStatus,
  applied: Schema.Boolean.annotations({ description: "false: the event was known already and changed nothing" })
}).annotations({ identifier: "EventReceipt" })
