/** Whether a result can be believed at all: what is wrong with the run itself, whatever its score. Reference: states-and-scores.md, "Verdicts". */

export const validityStatuses = ["valid", "suspect", "invalid"] as const
export type ValidityStatus = (typeof validityStatuses)[number]

export const flagLevels = ["blocking", "advisory"] as const

export interface ValidityFlag {
  readonly code: string
  readonly level: (typeof flagLevels)[number]
  /** how many of `of` show it, and the share of them that is tolerated */
  readonly count: number
  readonly of: number
  readonly limit: number
  /** ids of at most five of them */
  readonly samples: ReadonlyArray<string>
  readonly message: string
}

/** `invalid` as soon as a flag is blocking; absent where nobody looked */
export interface Validity {
  readonly status: ValidityStatus
  readonly flags: ReadonlyArray<ValidityFlag>
}
