/**
 * Authored replies of known worth that the judge rates beside the items: good answers, answers to something else, and what models that know
 * nothing would say. They are part of no score. A judge that tells the plainly good from the plainly bad otherwise than everybody would makes
 * the result invalid. Reference: providers-and-collections.md, "Honesty rules".
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
/** share of the replies of known grade that may be rated otherwise */
const LIMIT = 0.2

const replyOf = ({ question, good, bad }: AnchorQuestion, kind: Kind): string =>
  ({ good, random: bad, constant: "Yes.", echo: question, refusal: REFUSAL })[kind]

/** undefined where no grade is known beforehand; a reply that got no rating is no agreement */
const agrees = (kind: Kind, rating: number | undefined): boolean | undefined => {
  if (kind === "good") return rating !== undefined && rating >= 4
  return kind === "random" ? rating !== undefined && rating <= 2 : undefined
}

const mean = (values: ReadonlyArray<number>): number | undefined =>
  values.length === 0 ? undefined : values.reduce((sum, value) => sum + value, 0) / values.length

/** has the judge rate every kind of reply to each question, `concurrency` at once; never fails */
export const judgeAnchors = (
  questions: ReadonlyArray<AnchorQuestion>,
  judge: JudgeEndpoint,
  job: JobSpec,
  concurrency: number
): Effect.Effect<Anchored> =>
  Effect.forEach(
    questions.flatMap((question, index) =>
      kinds.map((kind) => ({ item: { id: `${job.benchmark_id}:anchor-${index + 1}:${kind}` }, question, kind }))
    ),
    ({ item, question, kind }) =>
      rate(judge, job, question.prompt(replyOf(question, kind))).pipe(
        Effect.scoped,
        Effect.option,
        Effect.map((rated) => Option.getOrUndefined(rated)?.rating),
        Effect.map((rating) => ({ item, kind, rating, agrees: agrees(kind, rating) }))
      ),
    { concurrency }
  ).pipe(
    Effect.map((rated) => {
      const graded = rated.filter((one) => one.agrees !== undefined)
      const share = (wanted: Kind) =>
        mean(
          rated.flatMap(({ kind, rating }) => (kind === wanted && rating !== undefined ? [ratingShare(rating)] : []))
        )
      const known = kinds.flatMap((kind) => {
        const value = kind === "good" ? undefined : share(kind)
        return value === undefined ? [] : [[kind, value] as const]
      })
      return {
        metrics: [
          meanMetric(
            AGREEMENT,
            graded.map((one) => (one.agrees === true ? 1 : 0))
          )
        ],
        flags: flagAbove(
          {
            code: "judge_disagrees",
            limit: LIMIT,
            says: "authored answers, plainly good or bad, were rated otherwise by the judge"
          },
          graded.filter((one) => one.agrees === false),
          graded.length
        ),
        // silence is never shown to a judge
        controls: { n: questions.length, empty: 0, ...Object.fromEntries(known) },
        scoring: {
          judge_anchors: rated.map(({ item, rating }) => ({ id: item.id, rating: rating ?? null }))
        }
      }
    })
  )
