/** The scorer `judge` of custom data: a second model compares the reply with the reference. Reference: providers-and-collections.md, "Embedded benchmarks". */
import { Effect } from "effect"
import type { JobSpec } from "../../contract/job-spec.ts"
import type { ChatMessage } from "../../sdk/model/model-exchange.ts"
import type { Item } from "../benchmark.ts"
import { judgeRecord, RATING_LINE, rate, ratingShare } from "../judge/judge.ts"
import { isSilent, unlessSilent } from "../no-answer.ts"
import type { JudgeEndpoint } from "../parameters.ts"

const judgePrompt = (question: string, references: ReadonlyArray<string>, reply: string) =>
  `You judge whether a reply is right. The reference answer is right; where several are given, any of them is. Wording does not matter.
5: the reply says the same as the reference. 3: it is partly right. 1: it is wrong or does not answer.

<question>
${question}
</question>
<reference>
${references.join("\n")}
</reference>
<reply>
${reply}
</reply>

${RATING_LINE}`

/** asks the model, then the judge; 4 and 5 count as correct */
export const judgeCustom = (
  messages: ReadonlyArray<ChatMessage>,
  references: ReadonlyArray<string>,
  judge: JudgeEndpoint,
  job: JobSpec
): NonNullable<Item["ask"]> => {
  const question = messages.at(-1)?.content ?? ""
  return ({ generate }) =>
    Effect.gen(function* () {
      const answer = yield* generate(messages)
      if (isSilent(answer))
        return { answer, verdict: unlessSilent(answer, { verdict: "invalid", scores: { judge_score: 0 } }) }
      const rating = yield* rate(judge, job, judgePrompt(question, references, answer.text))
      return {
        answer,
        verdict: {
          verdict: rating >= 4 ? "correct" : "incorrect",
          extracted: String(rating),
          scores: { judge_score: ratingShare(rating) }
        }
      }
    })
}

export const customJudgeRecord = (job: JobSpec) => judgeRecord(job, judgePrompt("", [], ""))
