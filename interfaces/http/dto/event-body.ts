/** Body of the events route as it is published; what is really read, and how leniently, is `providers/contract/status-event.ts`. */

import { Either, Schema } from "effect"
import { FreeForm } from "../../../config/free-form.ts"
import type { BodyReader } from "./decode.ts"
import { given, integer, text } from "./shapes.ts"

const EventMessage = Schema.Struct({
  message: Schema.String,
  message_code: given(Schema.String),
  message_origin: given(Schema.String)
}).annotations({
  identifier: "EventMessage"
})

const StatusEvent = Schema.Struct({
  id: text("benchmark id"),
  provider_id: given(text("provider of the benchmark; empty counts as absent")),
  benchmark_index: given(integer("position in the job; identifies the benchmark", { minimum: 0 })),
  status: Schema.Literal("pending", "running", "completed", "failed"),
  phase: given(text("what a running benchmark does")),
  metrics: given(FreeForm),
  metrics_schema: given(Schema.Array(FreeForm)),
  artifacts: given(FreeForm),
  additional_info: given(FreeForm),
  error_message: given(EventMessage),
  warning_message: given(EventMessage),
  tracker_run_id: given(Schema.String),
  logs_path: given(Schema.String),
  started_at: given(Schema.String),
  completed_at: given(Schema.String)
}).annotations({ identifier: "BenchmarkStatusEvent" })

export const EventBody = Schema.Struct({ benchmark_status_event: StatusEvent }).annotations({ identifier: "EventBody" })

/** the handler reads events itself: the addresses of units take them as well */
export const undecoded: BodyReader<unknown> = (value) => Either.right({ value, ignored: [] })
