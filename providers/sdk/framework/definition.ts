/** What a wrapper knows of its shipped provider file: job.json carries none of it. A test keeps it equal to the file. */

export type EndpointNeed = "generate" | "chat" | "chat_stream" | "chat_tools" | "chat_logprobs" | "completions_echo" | "none"

/** `requirements` of one benchmark. Contract: providers 1 */
export interface FrameworkRow {
  readonly id: string
  readonly endpoint: EndpointNeed
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

/** the row of a benchmark; a benchmark of somebody's own provider is named like the task of the framework */
export const rowOf = ({ rows }: FrameworkDefinition, benchmark: string): FrameworkRow =>
  rows.find(({ id }) => id === benchmark) ?? { id: benchmark, endpoint: "generate" }
