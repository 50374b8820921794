/**
 * What a wrapper knows of its shipped provider file (a test keeps it equal to the file), and what job.json adds for a benchmark of
 * somebody's own provider.
 */

import { type EndpointKind, endpointKinds } from "../../../values/benchmark/endpoint-kinds.ts"
import { defined } from "../../../values/defined.ts"
import type { JobSpec } from "../../contract/job-spec.ts"

/** `requirements` of one benchmark. Reference: providers-and-collections.md, "Provider file" */
export interface FrameworkRow {
  readonly id: string
  readonly endpoint: EndpointKind
  /** name inside the framework; the id when absent */
  readonly task?: string
  readonly flags?: ReadonlyArray<string>
  /** reported on a scale of 0 to 100 */
  readonly percentMetrics?: ReadonlyArray<string>
  readonly fewShot?: number
  /** metric of the row's primary score */
  readonly primary?: string
}

export interface FrameworkParameter {
  readonly name: string
  readonly type: "string" | "integer" | "number" | "boolean" | "array" | "object" | "any"
  readonly default?: unknown
  readonly enum?: ReadonlyArray<unknown>
  readonly minimum?: number
  readonly maximum?: number
  readonly aliases?: ReadonlyArray<string>
}

export interface FrameworkDefinition {
  readonly parameters: ReadonlyArray<FrameworkParameter>
  readonly rows: ReadonlyArray<FrameworkRow>
}

const isKind = (text: string): text is EndpointKind => endpointKinds.some((kind) => kind === text)

/** the shipped row of an id; a benchmark that is not shipped is named like the task of the framework */
export const shippedRow = ({ rows }: FrameworkDefinition, benchmark: string): FrameworkRow =>
  rows.find(({ id }) => id === benchmark) ?? { id: benchmark, endpoint: "generate" }

/** the row of a job's benchmark: what its own provider says goes before what is shipped under the same id */
export const rowOf = (
  definition: FrameworkDefinition,
  { benchmark_id, requirements = {}, num_few_shot }: JobSpec
): FrameworkRow => {
  const { endpoint, framework_task, flags, percent_metrics } = requirements
  return {
    ...shippedRow(definition, benchmark_id),
    ...(endpoint !== undefined && isKind(endpoint) ? { endpoint } : {}),
    ...defined({ task: framework_task, flags, percentMetrics: percent_metrics, fewShot: num_few_shot })
  }
}
