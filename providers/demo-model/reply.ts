/**
 * What the demo model answers. It reads the prompt with its solvers and decides by a seeded hash of the conversation whether the right or
 * the wrong answer goes out: raising a skill only ever turns wrong answers into right ones. It is never told the reference.
 */
import { canonicalJson } from "../../values/canonical-json.ts"
import { type DemoKnobs, skillOf } from "./knobs.ts"
import { hashShare, seededShares } from "./seeded.ts"
import type { Conversation, DemoReply, Solution } from "./solver.ts"
import { solvers } from "./solvers.ts"

/** sent to whatever no solver knows */
export const honestSentence =
  "I am the demo model of evald, not a language model: I can only answer the tasks of the embedded benchmarks, and this is none of them."

export interface ChosenReply extends DemoReply {
  /** of the solver that knew the prompt */
  readonly family?: string
  /** 0..1, the skill that was applied; decides the log-probabilities of option letters */
  readonly confidence: number
}

export interface Sampling {
  readonly temperature: number
  readonly seed?: number
}

/** a temperature above zero makes the request's seed part of the draw, as with a real model */
const identityOf = (conversation: Conversation, sampling: Sampling): string =>
  canonicalJson([conversation.messages, conversation.tools, sampling.temperature > 0 ? (sampling.seed ?? 0) : "greedy"])

const choose = (solution: Solution, family: string, knobs: DemoKnobs, share: (what: string) => number): DemoReply => {
  if (solution.attacked !== undefined) return share("jailbreak") < knobs.jailbreak ? solution.attacked : solution.right
  if (solution.refused !== undefined && share("refusal") < knobs.refusal) return solution.refused
  return share("skill") < skillOf(knobs.skill, family) ? solution.right : solution.wrong
}

/** the same conversation, knobs and sampling give the same reply */
export const replyTo = (conversation: Conversation, knobs: DemoKnobs, sampling: Sampling): ChosenReply => {
  const identity = identityOf(conversation, sampling)
  for (const { family, solve } of solvers) {
    const solution = solve(conversation, seededShares(knobs.seed, family, identity))
    if (solution === undefined) continue
    const reply = choose(solution, family, knobs, (what) => hashShare(knobs.seed, what, identity))
    return { ...reply, family, confidence: skillOf(knobs.skill, family) }
  }
  return { text: honestSentence, confidence: 1 }
}
