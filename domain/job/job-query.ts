/** Filters of the job list. Spec: GET jobs; decisions 1, "Lists". */
import type { JobState } from "./job.ts"

/** `a,b` both, `a|b` either: conjunction of alternatives */
export type TagFilter = ReadonlyArray<ReadonlyArray<string>>

export interface JobQuery {
  readonly limit: number
  readonly offset: number
  /** opaque keyset position, decoded; excludes `offset` */
  readonly after?: { readonly createdAt: string; readonly id: string }
  readonly states?: { readonly values: ReadonlyArray<JobState>; readonly negated: boolean }
  /** case-insensitive substring, no wildcards */
  readonly name?: string
  readonly tags?: TagFilter
  readonly createdAfter?: string
  readonly createdBefore?: string
  readonly model?: string
  readonly providerId?: string
  readonly collectionId?: string
  readonly experimentId?: string
  readonly owner?: string
}
