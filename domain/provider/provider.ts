/** Providers and the benchmarks they offer. Reference: providers-and-collections.md, "Provider file"; files: config/providers. */
import type { FreeForm } from "../free-form.ts"
import type { PrimaryScore } from "../job/job.ts"
import type { ProviderRuntime, Requirements } from "./runtime.ts"

export interface ScoreRange {
  readonly range: string
  readonly meaning: string
}

export interface ProviderBenchmark {
  readonly id: string
  readonly name: string
  readonly category: string
  readonly metrics: ReadonlyArray<string>
  readonly url?: string
  readonly description?: string
  readonly numFewShot?: number
  readonly datasetSize?: number
  readonly tags?: ReadonlyArray<string>
  readonly primaryScore?: PrimaryScore
  readonly threshold?: number
  readonly agent?: { readonly resultInterpretation?: string; readonly scoreRanges?: ReadonlyArray<ScoreRange> }
  readonly requirements?: Requirements
}

export const parameterTypes = ["string", "integer", "number", "boolean", "array", "object", "any"] as const
export type ParameterType = (typeof parameterTypes)[number]

export interface ParameterDeclaration {
  readonly name: string
  readonly type: ParameterType
  readonly default?: unknown
  readonly enum?: ReadonlyArray<unknown>
  readonly minimum?: number
  readonly maximum?: number
  readonly required?: boolean
  readonly aliases?: ReadonlyArray<string>
  readonly description?: string
}

export const targetTypes = ["model", "agent", "inference_server"] as const
export type TargetType = (typeof targetTypes)[number]

/** guidance for a person or an agent choosing what to run; `summary` at most 200 characters */
export interface AgentMetadata {
  readonly evaluates?: ReadonlyArray<string>
  readonly recommendedWhen?: ReadonlyArray<string>
  readonly targetType?: TargetType
  readonly summary?: string
  readonly complements?: ReadonlyArray<string>
  readonly hints?: ReadonlyArray<string>
  readonly resultInterpretation?: ReadonlyArray<string>
}

export interface ProviderDefinition {
  readonly name: string
  readonly title?: string
  readonly description?: string
  readonly tags?: ReadonlyArray<string>
  readonly agent?: AgentMetadata
  readonly runtime: ProviderRuntime
  readonly parameters?: ReadonlyArray<ParameterDeclaration>
  readonly requirements?: FreeForm
  readonly benchmarks: ReadonlyArray<ProviderBenchmark>
}

/** who may see and change a record: built-ins and definition files are read-only */
export interface RecordOrigin {
  readonly scope: "system" | "tenant"
  readonly readOnly: boolean
}

export interface Provider extends ProviderDefinition, RecordOrigin {
  readonly id: string
  readonly tenant?: string
  readonly owner?: string
  readonly createdAt: string
  readonly updatedAt: string
}
