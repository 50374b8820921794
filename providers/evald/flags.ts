/**
 * What a run says against its own score: shares of answers that never came, control questions that failed. A blocking flag means that the score
 * says more about the endpoint or the settings than about the model. Reference: providers-and-collections.md, "Honesty rules".
 */
import type { Flag } from "../sdk/controls.ts"
import type { NoAnswer, ScoredItem } from "./benchmark.ts"

/** a share says little about so few items */
const LEAST_COUNT = 3
const SHOWN = 5

interface Rule {
  readonly code: string
  /** blocking unless it says otherwise */
  readonly level?: Flag["level"]
  readonly limit: number
  /** completes "12 of 60 …" */
  readonly says: string
}

const RULES: { readonly [kind in NoAnswer]: Rule } = {
  empty: { code: "empty_responses", limit: 0.01, says: "answers are empty" },
  truncated: {
    code: "truncated",
    limit: 0.05,
    says: "replies were cut off at the limit of tokens before the answer came; raise max_tokens"
  },
  filtered: {
    code: "content_filtered",
    limit: 0.05,
    says: "prompts or answers were stopped by a filter of the endpoint"
  },
  error_body: { code: "error_share", limit: 0.05, says: "replies were an error with status 200" }
}

/** the flag when more than the limit, and more than chance would bring, are concerned */
export const flagAbove = (
  { code, level = "blocking", limit, says }: Rule,
  concerned: ReadonlyArray<{ readonly item: { readonly id: string } }>,
  of: number,
  least = LEAST_COUNT
): ReadonlyArray<Flag> =>
  concerned.length < least || concerned.length <= limit * of
    ? []
    : [
        {
          code,
          level,
          count: concerned.length,
          of,
          limit,
          samples: concerned.slice(0, SHOWN).map(({ item }) => item.id),
          message: `${concerned.length} of ${of} ${says}`
        }
      ]

const noAnswerOf = ({ outcome }: ScoredItem): NoAnswer | undefined =>
  outcome._tag === "Scored" ? outcome.verdict.noAnswer : undefined

/** an endpoint that takes whole answers for thinking is told from one that says nothing */
const withThoughts = (rule: Rule, silent: ReadonlyArray<ScoredItem>): Rule => {
  const thoughtful = silent.filter(
    ({ outcome }) => outcome._tag === "Scored" && (outcome.answer.reasoning ?? "").trim() !== ""
  ).length
  const says = `${rule.says}, ${thoughtful} of them although it was thought aloud: the endpoint may take answers for thinking`
  return thoughtful === 0 ? rule : { ...rule, says }
}

/** one flag for each way of not answering */
export const noAnswerFlags = (scored: ReadonlyArray<ScoredItem>): ReadonlyArray<Flag> => {
  const answered = scored.filter(({ outcome }) => outcome._tag === "Scored" && outcome.verdict.verdict !== "skipped")
  // in a run of less than three items every item counts
  const least = Math.min(LEAST_COUNT, answered.length)
  return Object.entries(RULES).flatMap(([kind, rule]) => {
    const concerned = answered.filter((one) => noAnswerOf(one) === kind)
    return flagAbove(
      kind === "empty" ? withThoughts(rule, concerned) : rule,
      concerned,
      answered.length,
      Math.max(1, least)
    )
  })
}

/** how often each way of not answering was seen, those that were */
export const noAnswerCounts = (scored: ReadonlyArray<ScoredItem>): { readonly [kind: string]: number } =>
  Object.fromEntries(
    Object.keys(RULES).flatMap((kind) => {
      const count = scored.filter((one) => noAnswerOf(one) === kind).length
      return count === 0 ? [] : [[kind, count]]
    })
  )

/** the files of a set that were read before the items were asked, and again afterwards, are not the same: nobody knows what was asked */
export const changedFlags = (before: unknown, after: unknown, asked: number): ReadonlyArray<Flag> =>
  JSON.stringify(before) === JSON.stringify(after)
    ? []
    : [
        {
          ...{ code: "dataset_changed", level: "blocking", count: asked, of: asked, limit: 0, samples: [] },
          message: `${asked} of ${asked} items were asked while the files of the set were changed`
        }
      ]
