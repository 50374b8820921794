/** How many answers of its model a benchmark's item takes at least. Reference: providers-and-collections.md, "Provider file". */

/** `choices`: one for each of its choices, whose likelihoods are asked for; 0: perhaps none */
export type Calls = number | "choices"

export const mostCalls = 1000
