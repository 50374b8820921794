/** Rules of the `agent` block of providers and collections. Reference: providers-and-collections.md, "Provider file". */
import { checkText, checkTexts } from "../text.ts"
import type { Violation } from "../violation.ts"
import type { AgentMetadata } from "./provider.ts"

const maxSummary = 200
const maxHint = 4096

/** `path`: JSON Pointer of the block */
export const checkAgent = (agent: AgentMetadata, path: string): ReadonlyArray<Violation> => {
  const lists = {
    evaluates: agent.evaluates,
    recommended_when: agent.recommendedWhen,
    complements: agent.complements,
    hints: agent.hints,
    result_interpretation: agent.resultInterpretation
  }
  return [
    ...(agent.summary === undefined ? [] : checkText(agent.summary, `${path}/summary`, maxSummary)),
    ...Object.entries(lists).flatMap(([name, texts]) =>
      texts === undefined ? [] : checkTexts(texts, `${path}/${name}`, maxHint)
    )
  ]
}
