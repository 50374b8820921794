/** Rules of the `agent` block of providers and collections. Reference: providers-and-collections.md, "Provider file". */
import type { Path } from "../path.ts"
import { checkText, checkTexts } from "../text.ts"
import type { Violation } from "../violation.ts"
import type { AgentMetadata } from "./provider.ts"

const maxSummary = 200
const maxHint = 4096
const lists = ["evaluates", "recommendedWhen", "complements", "hints", "resultInterpretation"] as const

/** `path`: of the block */
export const checkAgent = (agent: AgentMetadata, path: Path): ReadonlyArray<Violation> => {
  return [
    ...(agent.summary === undefined ? [] : checkText(agent.summary, [...path, "summary"], maxSummary)),
    ...lists.flatMap((name) => checkTexts(agent[name] ?? [], [...path, name], maxHint))
  ]
}
