/**
 * An item whose reply is rated by the judge. Beside it the judge rates an authored answer that is plainly good or plainly bad, so that the same
 * run shows whether the judge can be trusted: `judge_agreement`.
 */
import { Effect } from "effect"
import type { JobSpec } from "../../contract/job-spec.ts"
import type { ChatMessage } from "../../sdk/model/model-exchange.ts"
import type { Flag, Item, ItemBenchmark, ScoredItem } from "../benchmark.ts"
import { flagAbove } from "../flags.ts"
import { isSilent, unlessSilent } from "../no-answer.ts"
import type { JudgeEndpoint } from "../parameters.ts"
import { judgeOf, judgeRecord, rate, ratingShare } from "./judge.ts"

interface JudgedCase {
  readonly id: string
  readonly stratum: string
  readonly messages: ReadonlyArray<ChatMessage>
  /** the judge's prompt for a reply */
  readonly prompt: (reply: string) => string
  readonly calibration: { readonly reply: string; readonly good: boolean }
}

const MAX_TOKENS = 2048

/** a judge that rates plainly good or plainly bad answers otherwise cannot be trusted with the others */
const judgeFlags = (scored: ReadonlyArray<ScoredItem>): ReadonlyArray<Flag> => {
  const rated = scored.filter(
    ({ outcome }) => outcome._tag === "Scored" && outcome.verdict.scores["judge_agreement"] !== undefined
  )
  const wrong = rated.filter(
    ({ outcome }) => outcome._tag === "Scored" && outcome.verdict.scores["judge_agreement"] === 0
  )
  return flagAbove(
    {
      code: "judge_disagrees",
      limit: 0.2,
      says: "authored answers, plainly good or bad, were rated otherwise by the judge"
    },
    wrong,
    rated.length
  )
}

const judgedItem = (metric: string, one: JudgedCase, judge: JudgeEndpoint, job: JobSpec): Item => ({
  id: one.id,
  stratum: one.stratum,
  messages: one.messages,
  maxTokens: MAX_TOKENS,
  reference: undefined,
  isJudged: true,
  score: () => ({ verdict: "invalid", scores: {} }),
  ask: ({ generate }) =>
    Effect.gen(function* () {
      const answer = yield* generate(one.messages)
      // there is nothing to rate, whatever a judge would say of it
      if (isSilent(answer))
        return { answer, verdict: unlessSilent(answer, { verdict: "invalid", scores: { [metric]: 0 } }) }
      const rating = yield* rate(judge, job, one.prompt(answer.text))
      const authored = yield* rate(judge, job, one.prompt(one.calibration.reply))
      const agrees = one.calibration.good ? authored >= 4 : authored <= 2
      return {
        answer,
        verdict: {
          verdict: rating >= 4 ? "correct" : "incorrect",
          extracted: String(rating),
          scores: { [metric]: ratingShare(rating), judge_agreement: agrees ? 1 : 0 }
        }
      }
    })
})

export interface JudgedSet {
  readonly id: string
  readonly version: number
  readonly metric: string
  /** cases in their order; every other one shows the judge a good answer, the others a bad one */
  readonly cases: ReadonlyArray<Omit<JudgedCase, "id">>
  /** the judge's prompt around nothing, whose hash is recorded */
  readonly emptyPrompt: string
}

/** a benchmark whose items a judge rates; there is no chance level */
export const judgedBenchmark = ({ id, version, metric, cases, emptyPrompt }: JudgedSet): ItemBenchmark => ({
  kind: "items",
  id,
  needs: ["chat"],
  items: ({ job }) =>
    Effect.map(judgeOf(job), (judge) =>
      cases.map((one, index) =>
        judgedItem(metric, { ...one, id: `${id}:v${version}:${String(index).padStart(3, "0")}` }, judge, job)
      )
    ),
  metrics: [{ name: metric }, { name: "judge_agreement" }],
  flags: judgeFlags,
  scoring: ({ job }) => ({ origin: "authored", set_version: version, ...judgeRecord(job, emptyPrompt) })
})
