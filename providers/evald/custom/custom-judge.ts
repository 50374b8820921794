/** The scorer `judge` of custom data: a second model compares the reply with the reference. Reference: providers-and-collections.md, "Embedded benchmarks". */
import { Effect } from "effect"
import type { JobSpec } from "../../contract/job-spec.ts"
import type { AdapterError } from "../../sdk/adapter.ts"
import type { ChatMessage } from "../../sdk/model/model-exchange.ts"
import type { Anchored, Item } from "../benchmark.ts"
import { judgeAnchors } from "../judge/anchors.ts"
import { judgeOf, judgeRecord, RATING_LINE } from "../judge/judge.ts"
import { asked } from "../judge/judged-item.ts"
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

/** asks the model, then the judge */
export const judgeCustom = (
  messages: ReadonlyArray<ChatMessage>,
  references: ReadonlyArray<string>,
  judge: JudgeEndpoint,
  job: JobSpec
): NonNullable<Item["ask"]> => {
  const question = messages.at(-1)?.content ?? ""
  return asked(
    { messages, prompt: (reply) => judgePrompt(question, references, reply), metric: "judge_score" },
    judge,
    job
  )
}

/** question, reference, the reference in other words, a wrong answer; in the words of nobody's data (CC0) */
const ANCHORS = [
  ["Which river flows through Paris?", "the Seine", "Paris lies on the river Seine.", "The Thames flows there."],
  ["How many players does a football team have on the field?", "11", "There are 11 of them.", "There are 15 of them."],
  ["Who wrote the play Hamlet?", "William Shakespeare", "Shakespeare wrote it.", "It is a work of Goethe."],
  ["At what temperature in Celsius does water boil at sea level?", "100", "At 100 degrees.", "At 70 degrees."],
  ["What is the largest planet of the solar system?", "Jupiter", "Jupiter is the largest one.", "That must be Mars."]
] as const

/** whether the judge can tell right from wrong at all, on questions that need no data */
export const customAnchors = (
  job: JobSpec,
  concurrency: number
): Effect.Effect<Effect.Effect<Anchored>, AdapterError> =>
  Effect.flatMap(judgeOf(job), (judge) =>
    judgeAnchors(
      ANCHORS.map(([question, reference, good, bad]) => ({
        ...{ question, good, bad },
        prompt: (reply) => judgePrompt(question, [reference], reply)
      })),
      judge,
      job,
      concurrency
    )
  )

export const customJudgeRecord = (job: JobSpec) => judgeRecord(job, judgePrompt("", [], ""))
