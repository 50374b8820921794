/** Member beside `benchmark_status_event` in which a sidecar says what it saw of the model's traffic. Reference: validity.md, "What the gateway sees". */
export const wireCountsMember = "wire_counts"

/** what was used of the model until then, and which sidecar counted. Reference: budgets.md, "Usage" */
export const wireSpentMember = "wire_spent"
