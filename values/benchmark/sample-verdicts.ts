/** What became of one item. */
export const sampleVerdicts = ["correct", "incorrect", "invalid", "error", "skipped"] as const
