/** A policy as it is read and kept: what must hold of a job, benchmark by benchmark. The rules are in the neighbouring files. Reference: comparison-and-gates.md, "Policies". */

export const directions = ["higher", "lower"] as const
export type Direction = (typeof directions)[number]

export const criterionKinds = ["absolute", "relative_to_baseline", "relative_fraction"] as const
export const tiers = ["gating", "advisory"] as const

export interface Criterion {
  /** id of a benchmark of the job */
  readonly benchmark: string
  /** where benchmarks of several providers have that id */
  readonly providerId?: string
  /** absent: the primary one */
  readonly metric?: string
  /** absent: as the metric says */
  readonly direction?: Direction
  readonly kind: (typeof criterionKinds)[number]
  /** of an absolute one, on the metric's own scale */
  readonly threshold?: number
  /** of a relative one: a loss that is accepted, on the metric's own scale or as a share of the baseline's value */
  readonly tolerance?: number
  readonly tier: (typeof tiers)[number]
  readonly alpha: number
}

export interface Policy {
  readonly name?: string
  readonly criteria: ReadonlyArray<Criterion>
}

/** a policy that a job was given when it was submitted */
export interface JobGate {
  readonly policy: Policy
  /** id of a job */
  readonly baseline?: string
  /** of the policy, made before the job is stored and so before its first request */
  readonly policyDigest?: string
}
