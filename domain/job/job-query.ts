/** Filters of the job list. Reference: api.md, "Lists". */
import { Either } from "effect"
import type { TagFilter } from "../list-filter.ts"
import { type JobState, jobStates } from "./job.ts"

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
  /** only reruns of this job */
  readonly rerunOf?: string
}

export type StateFilter = NonNullable<JobQuery["states"]>

const negation = "!"

/**
 * `running`, `completed|failed`, `!pending`, `!completed|failed` (neither of the two; the sign may be repeated before each). Each value
 * must be a job state. A `Left` completes "query parameter 'status' is '…' …"; its code is query_parameter_value_invalid.
 */
export const parseStates = (text: string): Either.Either<StateFilter, string> => {
  const negated = text.startsWith(negation)
  const words = (negated ? text.slice(1) : text)
    .split("|")
    .map((word) => (negated && word.startsWith(negation) ? word.slice(1) : word).trim())
  const values = jobStates.filter((state) => words.includes(state))
  return words.every((word) => jobStates.some((state) => state === word))
    ? Either.right({ values, negated })
    : Either.left(`but must be one of ${jobStates.join(", ")}; several are joined by '|', a leading '!' excludes them`)
}

/** does a job in this state belong to the list? */
export const matchesState = (state: JobState, filter: StateFilter | undefined): boolean =>
  filter === undefined || filter.values.includes(state) !== filter.negated
