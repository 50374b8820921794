/** How the benchmarks of a provider are run, and what they need to run. Reference: providers-and-collections.md, "Provider file". */
import type { Calls } from "../../values/benchmark/calls.ts"
import type { EndpointKind } from "../../values/benchmark/endpoint-kinds.ts"

export interface EnvVar {
  readonly name: string
  readonly value?: string
}

export interface KubernetesRuntime {
  readonly image?: string
  readonly entrypoint?: ReadonlyArray<string>
  readonly cpuRequest?: string
  readonly memoryRequest?: string
  readonly cpuLimit?: string
  readonly memoryLimit?: string
  readonly env?: ReadonlyArray<EnvVar>
  readonly imagePullPolicy?: "if_not_present" | "always"
}

export interface LocalRuntime {
  readonly command: string
  readonly env?: ReadonlyArray<EnvVar>
}

export interface ProviderRuntime {
  readonly k8s?: KubernetesRuntime
  readonly local?: LocalRuntime
}

export const requirementFlags = [
  "code_execution",
  "trust_remote_code",
  "needs_judge",
  "needs_logprobs",
  "stoppable",
  "unavailable"
] as const
export type RequirementFlag = (typeof requirementFlags)[number]

/**
 * What a benchmark needs from the model endpoint and from its framework, and what of it a server can rely on (providers-and-collections.md,
 * "Provider file"). `stoppable`: its primary metric is the mean of items that come in an order of the adapter's own drawing.
 */
export interface Requirements {
  readonly endpoint?: EndpointKind
  readonly frameworkTask?: string
  readonly frameworkMin?: string
  readonly flags?: ReadonlyArray<RequirementFlag>
  readonly percentMetrics?: ReadonlyArray<string>
  /** answers of the model behind a scored item, at least; absent: nobody knows */
  readonly calls?: Calls
}
