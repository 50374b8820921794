/**
 * An item whose reply is rated by the judge. Beside it the judge rates an authored answer that is plainly good or plainly bad, so that the same
 * run shows whether the judge can be trusted: `judge_agreement`.
 */
import { Effect } from "effect"
import type { JobSpec } from "../../contract/job-spec.ts"
import type { ChatMessage } from "../../sdk/model-client.ts"
import type { Item } from "../benchmark.ts"
import type { JudgeEndpoint } from "../parameters.ts"
import { rate, ratingShare } from "./judge.ts"

export interface JudgedCase {
  readonly id: string
  readonly stratum: string
  readonly messages: ReadonlyArray<ChatMessage>
  /** the judge's prompt for a reply */
  readonly prompt: (reply: string) => string
  readonly calibration: { readonly reply: string; readonly good: boolean }
}

const MAX_TOKENS = 512

export const judgedItem = (metric: string, one: JudgedCase, judge: JudgeEndpoint, job: JobSpec): Item => ({
  id: one.id,
  stratum: one.stratum,
  messages: one.messages,
  maxTokens: MAX_TOKENS,
  reference: undefined,
  score: () => ({ verdict: "invalid", scores: {} }),
  ask: ({ generate }) =>
    Effect.gen(function* () {
      const answer = yield* generate(one.messages)
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
