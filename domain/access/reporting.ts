/**
 * Who may report events and samples, and of which benchmark: whoever has a benchmark's callback address, and callers of the plain routes,
 * whose token may be bound to a pod. Reference: adapter-contract.md, "Events"; gateway.md, "Routes".
 */
import { Either } from "effect"
import { defined } from "../../values/defined.ts"
import type { Benchmark } from "../job/job.ts"

/** a benchmark as far as it is somebody's own */
export interface ReportedUnit {
  readonly jobId: string
  readonly index: number
  readonly attempt: number
  /** name of what runs it, when one is stored */
  readonly backingName?: string
}

export const reportedUnit = (
  jobId: string,
  { index, attempt, backing }: Pick<Benchmark, "index" | "attempt" | "backing">
): ReportedUnit => ({
  jobId,
  index,
  attempt,
  ...defined({ backingName: backing?.name })
})

export interface PodBinding {
  /** a caller without a bound pod is refused */
  readonly required: boolean
  /** name of what runs a unit that was stored without one; the names of its pods are this, `-` and a random end */
  readonly backingName: (unit: Omit<ReportedUnit, "backingName">) => string
}

export interface ReportingRule {
  /** the plain routes refuse */
  readonly secretOnly: boolean
  /** absent: pods are not looked at */
  readonly podBinding?: PodBinding
}

/** what somebody may report */
export interface Reporter {
  /** undefined: the job's own, whatever it is */
  readonly tenant?: string
  /** this benchmark and no other: what names another one is forbidden instead of invalid */
  readonly ownIndex?: number
  /** the pod that the reporter's token is bound to, where it counts */
  readonly pod?: { readonly name: string; readonly backingName: PodBinding["backingName"] }
}

export const foreignBenchmark = "this callback address belongs to another benchmark"

/** with a token on the plain routes; Left: why not */
export const reporterOfCaller = (
  { secretOnly, podBinding }: ReportingRule,
  { tenant, boundPod }: { readonly tenant: string | undefined; readonly boundPod: string | undefined }
): Either.Either<Reporter, string> => {
  if (secretOnly)
    return Either.left(
      "events and samples are taken at the callback address of the benchmark only (local.require_callback_secret)"
    )
  if (podBinding?.required === true && boundPod === undefined)
    return Either.left("events need a token that is bound to the benchmark's pod (auth.callbacks.pod_binding)")
  return Either.right({
    ...defined({ tenant }),
    ...(podBinding === undefined || boundPod === undefined
      ? {}
      : { pod: { name: boundPod, backingName: podBinding.backingName } })
  })
}

/** at the callback address of a unit, about this job; Left: why not */
export const reporterAtAddress = (
  { tenant, index, ...unit }: { readonly tenant: string; readonly jobId: string; readonly index: number },
  jobId: string
): Either.Either<Reporter, string> =>
  unit.jobId === jobId
    ? Either.right({ tenant, ownIndex: index })
    : Either.left("this callback address belongs to another job")

/** why the reporter may not report the benchmark of this index */
export const foreignIndex = ({ ownIndex }: Reporter, index: number | undefined): string | undefined =>
  ownIndex === undefined || index === undefined || index === ownIndex ? undefined : foreignBenchmark

/** why the reporter may not report this very unit: one benchmark's token cannot write another's result */
export const foreignUnit = ({ pod }: Reporter, { backingName, ...unit }: ReportedUnit): string | undefined =>
  pod === undefined || pod.name.startsWith(`${backingName ?? pod.backingName(unit)}-`)
    ? undefined
    : "the caller's pod belongs to another benchmark"
