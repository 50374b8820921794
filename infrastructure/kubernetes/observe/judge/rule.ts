/** A rule about what the state of Job and pod means, and what it finds. Pure; time comes in as when each condition was first seen. */
import type { Graces } from "./graces.ts"
import type { ReducedContainer, Terminated } from "./reduce.ts"
import type { Sight } from "./sight.ts"

/** seconds since the condition was first seen; absent: never */
export interface Finding {
  readonly code: string
  readonly message: string
  readonly warnAfter?: number
  readonly failAfter?: number
  /** a part of the launch is missing: launch again */
  readonly relaunch?: true
  /** taken off its node, starts again */
  readonly interrupted?: true
  readonly exitCode?: number
  readonly signal?: string
  /** ISO time at which it ended, when the cluster says so */
  readonly at?: string
  /** distinguishes stages of one rule that have graces of their own */
  readonly stage?: string
}

export interface MappingOptions {
  readonly graces: Graces
  readonly onDisruption: "fail" | "restart"
  readonly terminationGraceSeconds: number
  readonly sidecarMode: "native" | "plain"
}

export interface Rule {
  readonly id: string
  readonly find: (sight: Sight, options: MappingOptions) => Finding | undefined
}

/** what the cluster says of it, behind a sentence */
export const because = (text: string): string => (text === "" ? "." : `: ${text}`)

export const terminatedOf = (container: ReducedContainer | undefined): Terminated | undefined =>
  container?.state.is === "terminated" ? container.state : undefined
