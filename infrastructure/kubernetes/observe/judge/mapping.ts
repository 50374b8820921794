/**
 * What the state of Job and pod means for a benchmark that is not terminal: one ordered table, the first match decides. Pure; time comes
 * in as when each condition was first seen, so that a takeover does not start a grace again. Reference: cluster-objects.md, "Observing".
 */
import { endedRules } from "./ended.ts"
import type { Rule } from "./rule.ts"
import { waitingRules } from "./waiting.ts"

/** in the order of the contract; M21 is the timer in `judge.ts`, M22 its caller's */
export const rules: ReadonlyArray<Rule> = [...endedRules, ...waitingRules]
