/** Collections: named, reusable sets of benchmarks with weights and pass criteria. Reference: providers-and-collections.md, "Collection file". */

import type { FreeForm } from "../free-form.ts"
import type { BenchmarkEntry } from "../job/job.ts"
import type { AgentMetadata, RecordOrigin } from "../provider/provider.ts"

export type CollectionEntry = Omit<BenchmarkEntry, "hardware">

export interface CollectionDefinition {
  readonly name: string
  readonly category: string
  readonly description?: string
  readonly tags?: ReadonlyArray<string>
  readonly custom?: FreeForm
  readonly threshold?: number
  readonly benchmarks: ReadonlyArray<CollectionEntry>
  readonly agent?: Omit<AgentMetadata, "targetType">
}

export interface Collection extends CollectionDefinition, RecordOrigin {
  readonly id: string
  readonly tenant?: string
  readonly owner?: string
  readonly createdAt: string
  readonly updatedAt: string
}
