/** How much of what speaks against a result is tolerated: shares of what was looked at. Reference: validity.md, "Limits". */
export const defaultLimits = {
  empty_responses: 0.01,
  truncated: 0.05,
  content_filtered: 0.05,
  error_share: 0.05,
  response_echoes_prompt: 0.2,
  identical_responses: 0.2,
  constant_answer: 0.95,
  usage_impossible: 0.01,
  cache_suspected: 0.05,
  temperature_ignored: 0.5,
  nondeterministic: 0.02,
  judge_unparsed: 0.02,
  refusal_rate: 0.05,
  reasoning_budget: 0.05,
  template_suspected: 0.05,
  /** a number of items, no share */
  few_items: 30
} as const

export type LimitCode = keyof typeof defaultLimits
export type ValidityLimits = { readonly [Code in LimitCode]: number }

/** those of a tenant or of a job, where they differ from the server's */
export type OwnLimits = { readonly [Code in LimitCode]?: number }

export const limitCodes = Object.keys(defaultLimits) as ReadonlyArray<LimitCode>
export const isLimitCode = (name: string): name is LimitCode => Object.hasOwn(defaultLimits, name)

export const mostItems = 1_000_000

/** what is wrong with a limit; undefined when it can be one */
export const limitProblem = (code: LimitCode, value: number): string | undefined => {
  if (code === "few_items")
    return Number.isSafeInteger(value) && value >= 0 && value <= mostItems
      ? undefined
      : `a whole number from 0 to ${mostItems}`
  return value >= 0 && value <= 1 ? undefined : "a share from 0 to 1"
}
