/**
 * ifeval_lite: 150 authored prompts with one to three rules that a program can check. Strict = the answer as it came; loose = any of
 * eight variants of it. Per prompt (all rules followed) and per instruction. Random text follows almost none. Reference: providers-and-collections.md, "Embedded benchmarks".
 */
import { Effect } from "effect"
import { defined } from "../../../values/defined.ts"
import type { Metric } from "../../sdk/adapter.ts"
import type { Answer } from "../../sdk/model/model-exchange.ts"
import type { Item, ItemBenchmark, ItemVerdict, ScoredItem } from "../benchmark.ts"
import { isSilent, wasCut } from "../no-answer.ts"
import { groupedProportion, proportion } from "../proportion.ts"
import { followsLoosely, followsStrictly, type Instruction } from "./instruction.ts"
import { ruleSet } from "./rule-sets.ts"
import { forms, subjects } from "./subjects.ts"

const GENERATOR_VERSION = 1

interface Prompt {
  readonly key: string
  readonly text: string
  readonly rules: ReadonlyArray<Instruction>
}

/** the authored set, the same for every seed */
export const prompts: ReadonlyArray<Prompt> = forms.flatMap((form, formIndex) =>
  subjects.map((subject, subjectIndex) => {
    const n = formIndex * subjects.length + subjectIndex
    const rules = ruleSet(n)
    const text = [form(subject), "", "Follow these rules exactly:", ...rules.map((rule) => `- ${rule.text}`)].join("\n")
    return { key: String(n + 1).padStart(3, "0"), text, rules }
  })
)

const all = (rules: ReadonlyArray<Instruction>, follows: (rule: Instruction) => boolean): number =>
  rules.every(follows) ? 1 : 0

/** rules of what must not be in a text are followed by none at all, and by a text that was cut off */
const isUnfinished = (answer: Answer) => isSilent(answer) || wasCut(answer)

const score = (rules: ReadonlyArray<Instruction>, given: Answer): ItemVerdict => {
  if (isUnfinished(given))
    return { verdict: "invalid", scores: { prompt_level_strict_acc: 0, prompt_level_loose_acc: 0 } }
  const answer = given.text
  const strict = all(rules, (rule) => followsStrictly(rule, answer))
  const loose = all(rules, (rule) => followsLoosely(rule, answer))
  return {
    verdict: strict === 1 ? "correct" : "incorrect",
    reason: strict === 1 ? "rules_kept" : "rules_broken",
    basis: {
      rules: rules.map((rule) => ({
        rule: rule.checker,
        ...defined({ arguments: rule.arguments }),
        kept_strictly: followsStrictly(rule, answer),
        kept_loosely: followsLoosely(rule, answer)
      }))
    },
    scores: { prompt_level_strict_acc: strict, prompt_level_loose_acc: loose }
  }
}

const itemId = (prompt: Prompt): string => `ifeval_lite:${GENERATOR_VERSION}:${prompt.key}`

const rulesOf = new Map(prompts.map((prompt) => [itemId(prompt), prompt.rules]))

const items: ReadonlyArray<Item> = prompts.map((prompt) => ({
  id: itemId(prompt),
  stratum: `${prompt.rules.length} rules`,
  messages: [{ role: "user", content: prompt.text }],
  maxTokens: 2048,
  reference: prompt.rules.map((rule) => rule.checker),
  score: (answer) => score(prompt.rules, answer)
}))

/** instruction-level shares: an answer with three rules weighs three times one with a single rule, and its rules hang together */
const derive = (scored: ReadonlyArray<ScoredItem>): ReadonlyArray<Metric> => {
  const answered = scored.flatMap(({ item, outcome }) =>
    outcome._tag === "Failed"
      ? []
      : [
          (rulesOf.get(item.id) ?? []).map((rule) => ({
            rule,
            answer: isUnfinished(outcome.answer) ? undefined : outcome.answer.text
          }))
        ]
  )
  const followedOf = (rules: (typeof answered)[number], follows: (rule: Instruction, answer: string) => boolean) => ({
    n: rules.length,
    successes: rules.filter(({ rule, answer }) => answer !== undefined && follows(rule, answer)).length
  })
  const asked = answered.flat()
  const checkers = [...new Set(asked.map(({ rule }) => rule.checker))].sort()
  return [
    ...groupedProportion(
      "inst_level_strict_acc",
      answered.map((rules) => followedOf(rules, followsStrictly))
    ),
    ...groupedProportion(
      "inst_level_loose_acc",
      answered.map((rules) => followedOf(rules, followsLoosely))
    ),
    ...checkers.flatMap((checker) => {
      const own = followedOf(
        asked.filter(({ rule }) => rule.checker === checker),
        followsStrictly
      )
      return proportion(`${checker}/strict_acc`, own.successes, own.n)
    })
  ]
}

export const ifevalLite: ItemBenchmark = {
  kind: "items",
  id: "ifeval_lite",
  needs: ["chat"],
  items: () => Effect.succeed(items),
  metrics: [{ name: "prompt_level_strict_acc" }, { name: "prompt_level_loose_acc" }],
  derive
}
