/** What the lifecycle signals of a benchmark say. Pure. Reference: cluster-objects.md, "Lifecycle signals". */
import type { UnitId } from "../../../application/ports/runtime.ts"
import type { Benchmark, BenchmarkState } from "../../../domain/job/job.ts"
import type { Decided } from "../../../domain/score/verdict.ts"
import { defined } from "../../../values/defined.ts"

export interface Signal {
  readonly status: {
    readonly v: 1
    readonly job_id: string
    readonly benchmark_index: number
    readonly attempt: number
    readonly state: BenchmarkState
    readonly phase?: string
    readonly message_code?: string
    readonly message?: string
    readonly pass?: boolean
    readonly decided?: Decided
  }
}

export interface SignalEvent {
  /** end of the Event's name: the same news always has the same name, so that it exists once */
  readonly name: string
  readonly reason: string
  readonly type: "Normal" | "Warning"
  readonly message: string
}

const phaseLabels: { readonly [State in BenchmarkState]: string } = {
  pending: "Pending",
  running: "Running",
  completed: "Completed",
  failed: "Failed",
  cancelled: "Cancelled"
}

const maxText = 256
const short = (text: string): string => {
  const line = text.replaceAll(/[\p{Cc}\p{Surrogate}\s]+/gu, " ").trim()
  return line.length > maxText ? `${line.slice(0, maxText - 1)}…` : line
}

export const statusOf = (
  { jobId, index, attempt }: UnitId,
  { state, phase, error, warning, result }: Benchmark
): Signal => {
  const said = error ?? warning
  const { pass, decided } = result?.test ?? {}
  return {
    status: {
      v: 1,
      job_id: jobId,
      benchmark_index: index,
      attempt,
      state,
      ...defined({ phase }),
      ...(said === undefined ? {} : { message_code: said.code, message: short(said.message) }),
      ...defined({ pass, decided })
    }
  }
}

/** what the items show; of records without it whether the value met the threshold */
const verdictOf = ({ pass, decided }: { readonly pass?: boolean; readonly decided?: Decided }): Decided | undefined =>
  decided ?? (pass === undefined ? undefined : pass ? "pass" : "fail")

export const labelsOf = ({ status }: Signal, domain: string): { readonly [name: string]: string } => {
  const verdict = verdictOf(status)
  return {
    [`${domain}/phase`]: phaseLabels[status.state],
    ...(verdict === undefined ? {} : { [`${domain}/verdict`]: verdict })
  }
}

const event = (reason: string, type: SignalEvent["type"], message: string, code?: string): SignalEvent => {
  const suffix =
    code === undefined
      ? ""
      : `.${code
          .toLowerCase()
          .replaceAll(/[^a-z0-9.-]+/g, "-")
          .replaceAll(/^[.-]+|[.-]+$/g, "")}`
  return { name: `${reason.toLowerCase()}${suffix}`, reason, type, message }
}

/** everything that is worth an Event by now; each exists at most once, whoever sends it */
export const eventsOf = ({
  state,
  startedAt,
  spawnedAt,
  error,
  warning,
  result
}: Benchmark): ReadonlyArray<SignalEvent> => {
  const test = result?.test
  const ran =
    startedAt !== undefined &&
    (state === "running" || state === "completed" || (state === "failed" && startedAt !== spawnedAt))
  return [
    event("BenchmarkLaunched", "Normal", "The objects of the benchmark were created."),
    ...(warning?.origin === "runtime" && (state === "pending" || state === "running")
      ? [event("BenchmarkWaiting", "Warning", `${warning.code}: ${warning.message}`, warning.code)]
      : []),
    ...(ran ? [event("BenchmarkRunning", "Normal", "The benchmark runs.")] : []),
    ...(state === "completed" ? [event("BenchmarkCompleted", "Normal", "The benchmark completed.")] : []),
    ...(state === "cancelled" ? [event("BenchmarkCancelled", "Normal", "The benchmark was cancelled.")] : []),
    ...(state === "failed"
      ? [
          event(
            "BenchmarkFailed",
            "Warning",
            error === undefined ? "The benchmark failed." : `${error.code}: ${error.message}`
          )
        ]
      : []),
    ...(test !== undefined && verdictOf(test) === "fail"
      ? [
          event(
            "BenchmarkThresholdMissed",
            "Warning",
            `${test.metric} is ${test.primaryScore}, the threshold is ${test.threshold ?? "not given"}.`
          )
        ]
      : [])
  ]
}
