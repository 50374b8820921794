/** The scorer `grader` of custom data: a second model decides about each reply in the words of its row. Reference: docs/custom-data.md, "Graders". */
import { Effect, Either } from "effect"
import { defined } from "../../../values/defined.ts"
import type { JobSpec } from "../../contract/job-spec.ts"
import type { ChatMessage } from "../../sdk/model/model-exchange.ts"
import { promptDigest } from "../../sdk/prompt-digest.ts"
import type { Item } from "../benchmark.ts"
import { askJudge } from "../judge/judge.ts"
import { isSilent, unlessSilent } from "../no-answer.ts"
import { type JudgeEndpoint, readParameters } from "../parameters.ts"
import { type Grader, questionOf, readGraded } from "./grader.ts"

export const GRADER = "grader"
/** share of replies that pass; what the grader gave them, 0 to 1 */
export const GRADER_PASS = "grader_pass"
const GRADER_VALUE = "grader_value"
export const GRADER_METRICS = [GRADER_PASS, GRADER_VALUE] as const

/** asks the model, then the grader */
export const gradeCustom =
  (
    messages: ReadonlyArray<ChatMessage>,
    grader: Grader,
    judge: JudgeEndpoint,
    job: JobSpec
  ): NonNullable<Item["ask"]> =>
  ({ generate }) =>
    Effect.gen(function* () {
      const answer = yield* generate(messages)
      const nothing = { [GRADER_PASS]: 0, [GRADER_VALUE]: 0 }
      if (isSilent(answer)) return { answer, verdict: unlessSilent(answer, { verdict: "invalid", scores: nothing }) }
      const question = questionOf(grader, answer.text)
      const { value, reply, servedModel } = yield* askJudge(judge, job, question, (text) => readGraded(grader, text))
      return {
        answer,
        verdict: {
          verdict: value.passed ? "correct" : "incorrect",
          extracted: value.told,
          reason: "judged",
          basis: {
            judge: {
              name: judge.name,
              ...defined({ served_model: servedModel }),
              prompt_sha256: promptDigest({ messages: question }),
              told: value.told,
              reply
            },
            roleRequests: { judge: 1 }
          },
          scores: { [GRADER_PASS]: value.passed ? 1 : 0, [GRADER_VALUE]: value.value }
        }
      }
    })

/** what is recorded about it: its question differs from row to row */
export const graderRecord = (job: JobSpec): { readonly [key: string]: unknown } => ({
  judge: Either.getOrThrow(readParameters(job)).judge?.name
})
