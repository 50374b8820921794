/**
 * Authored replies of known worth that the judge rates beside the items: good answers, answers to something else, and what models that know
 * nothing would say. They are part of no score. A judge that tells the plainly good from the plainly bad otherwise than everybody would makes
 * the result invalid; one that rates the same reply otherwise after the items than before makes it doubtful. Reference: providers-and-collections.md, "Honesty rules".
 */
import { Effect, Option } from "effect"
import type { JobSpec } from "../../contract/job-spec.ts"
import type { Anchored } from "../benchmark.ts"
import { REFUSAL } from "../controls.ts"
import { flagAbove } from "../flags.ts"
import type { JudgeEndpoint } from "../parameters.ts"
import { meanMetric } from "../proportion.ts"
import { rate, ratingShare } from "./judge.ts"

export interface AnchorQuestion {
  readonly question: string
  readonly good: string
  /** plainly wrong, or an answer to another question */
  readonly bad: string
  /** the judge's prompt for a reply */
  readonly prompt: (reply: string) => string
}

/** what a reply is: `good` and `random` have a known grade, the others only show what a model that knows nothing would get */
const kinds = ["good", "random", "constant", "echo", "refusal"] as const
type Kind = (typeof kinds)[number]

const AGREEMENT = "judge_agreement"
/** share of the replies of known grade that may be rated otherwise, by others or by itself */
const LIMIT = 0.2
/** of 1 to 5: a rating that moves by one is a matter of taste */
const LEAST_MOVE = 2

const replyOf = ({ question, good, bad }: AnchorQuestion, kind: Kind): string =>
  ({ good, random: bad, constant: "Yes.", echo: question, refusal: REFUSAL })[kind]

/** undefined where no grade is known beforehand; a reply that got no rating is no agreement */
const agrees = (kind: Kind, rating: number | undefined): boolean | undefined => {
  if (kind === "good") return rating !== undefined && rating >= 4
  return kind === "random" ? rating !== undefined && rating <= 2 : undefined
}

const mean = (values: ReadonlyArray<number>): number | undefined =>
  values.length === 0 ? undefined : values.reduce((sum, value) => sum + value, 0) / values.length

interface Rated {
  readonly item: { readonly id: string }
  readonly kind: Kind
  /** undefined when the judge gave none */
  readonly rating: number | undefined
}

const rateKinds = (
  wanted: ReadonlyArray<Kind>,
  questions: ReadonlyArray<AnchorQuestion>,
  judge: JudgeEndpoint,
  job: JobSpec,
  concurrency: number
): Effect.Effect<ReadonlyArray<Rated>> =>
  Effect.forEach(
    questions.flatMap((question, index) =>
      wanted.map((kind) => ({ item: { id: `${job.benchmark_id}:anchor-${index + 1}:${kind}` }, question, kind }))
    ),
    ({ item, question, kind }) =>
      rate(judge, job, question.prompt(replyOf(question, kind))).pipe(
        Effect.scoped,
        Effect.option,
        Effect.map((rated) => ({ item, kind, rating: Option.getOrUndefined(rated)?.rating }))
      ),
    { concurrency }
  )

/** replies that were rated twice, and otherwise the second time */
const drift = (before: ReadonlyArray<Rated>, after: ReadonlyArray<Rated>) => {
  const ratings = new Map(after.map(({ item, rating }) => [item.id, rating]))
  const pairs = before.flatMap(({ item, rating }) => {
    const second = ratings.get(item.id)
    return rating === undefined || second === undefined ? [] : [{ item, move: Math.abs(second - rating) }]
  })
  return flagAbove(
    {
      code: "judge_drift",
      level: "advisory",
      limit: LIMIT,
      says: `authored answers were rated otherwise by the judge after the items than before, by ${LEAST_MOVE} points or more`
    },
    pairs.filter(({ move }) => move >= LEAST_MOVE),
    pairs.length
  )
}

const anchored = (before: ReadonlyArray<Rated>, rated: ReadonlyArray<Rated>, questions: number): Anchored => {
  const graded = rated.flatMap((one) => {
    const agreed = agrees(one.kind, one.rating)
    return agreed === undefined ? [] : [{ ...one, agreed }]
  })
  const share = (wanted: Kind) =>
    mean(rated.flatMap(({ kind, rating }) => (kind === wanted && rating !== undefined ? [ratingShare(rating)] : [])))
  const known = kinds.flatMap((kind) => {
    const value = kind === "good" ? undefined : share(kind)
    return value === undefined ? [] : [[kind, value] as const]
  })
  return {
    metrics: [
      meanMetric(
        AGREEMENT,
        graded.map(({ agreed }) => (agreed ? 1 : 0))
      )
    ],
    flags: [
      ...flagAbove(
        {
          code: "judge_disagrees",
          limit: LIMIT,
          says: "authored answers, plainly good or bad, were rated otherwise by the judge"
        },
        graded.filter(({ agreed }) => !agreed),
        graded.length
      ),
      ...drift(before, rated)
    ],
    // silence is never shown to a judge
    controls: { n: questions, empty: 0, ...Object.fromEntries(known) },
    scoring: {
      judge_anchors: rated.map(({ item, rating }) => ({ id: item.id, rating: rating ?? null }))
    }
  }
}

/**
 * Has the judge rate the replies of known grade to each question, and by the inner effect, when the items were asked, every kind of reply;
 * `concurrency` at once. Never fails.
 */
export const judgeAnchors = (
  questions: ReadonlyArray<AnchorQuestion>,
  judge: JudgeEndpoint,
  job: JobSpec,
  concurrency: number
): Effect.Effect<Effect.Effect<Anchored>> =>
  Effect.map(rateKinds(["good", "random"], questions, judge, job, concurrency), (before) =>
    Effect.map(rateKinds(kinds, questions, judge, job, concurrency), (rated) =>
      anchored(before, rated, questions.length)
    )
  )
