/** One entry of `status.benchmarks` as an event's answer shows it. Reference: states-and-scores.md, "Benchmark states". */
import type { Benchmark, Message, Progress } from "../../../domain/job/job.ts"
import { defined } from "../../../values/defined.ts"
import type { BenchmarkStatus } from "./job-record.ts"

const message = ({ message: text, code, origin }: Message) => ({
  message: text,
  message_code: code,
  message_origin: origin
})

const progressWire = ({ message: text, completed, total }: Progress) => ({
  ...defined({ message: text, completed_steps: completed, total_steps: total })
})

export const benchmarkStatusWire = ({
  entry,
  index,
  state,
  phase,
  progress,
  error,
  warning,
  startedAt,
  completedAt
}: Benchmark): typeof BenchmarkStatus.Encoded => ({
  provider_id: entry.providerId,
  id: entry.id,
  benchmark_index: index,
  status: state,
  ...defined({ phase }),
  ...(progress === undefined ? {} : { progress: progressWire(progress) }),
  ...(error === undefined ? {} : { error_message: message(error) }),
  ...(warning === undefined ? {} : { warning_message: message(warning) }),
  ...defined({ started_at: startedAt, completed_at: completedAt })
})
