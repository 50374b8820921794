/** Does the reply answer the question that was asked? Rated by a judge; no statement about whether it is true. There is no chance level. */
import { Effect } from "effect"
import type { ItemBenchmark } from "../benchmark.ts"
import { judgeOf, judgeRecord, RATING_LINE } from "./judge.ts"
import { judgedItem, judgeFlags } from "./judged-item.ts"
import { RELEVANCY_QUESTIONS } from "./relevancy-questions.ts"

const ID = "judge_relevancy"
const VERSION = 1
const METRIC = "relevancy_score"

const judgePrompt = (question: string, reply: string) =>
  `You judge whether a reply is relevant to a question. Do not judge whether it is true.
5: the reply answers exactly what was asked. 3: it is about the topic but answers only part of the question. 1: it does not answer the question at all.

<question>
${question}
</question>
<reply>
${reply}
</reply>

${RATING_LINE}`

const questions = RELEVANCY_QUESTIONS.trim()
  .split("\n")
  .map((line) => line.split(" | ") as [question: string, answer: string])

/** an answer to another question is plainly irrelevant */
const foreignAnswer = (index: number) => (questions[(index + 7) % questions.length] as [string, string])[1]

export const judgeRelevancy: ItemBenchmark = {
  kind: "items",
  id: ID,
  needs: ["chat"],
  items: ({ job }) =>
    Effect.map(judgeOf(job), (judge) =>
      questions.map(([question, answer], index) =>
        judgedItem(
          METRIC,
          {
            id: `${ID}:v${VERSION}:${String(index).padStart(3, "0")}`,
            stratum: index % 2 === 0 ? "good" : "foreign",
            messages: [{ role: "user", content: `${question} Answer in one to three sentences.` }],
            prompt: (reply) => judgePrompt(question, reply),
            calibration: index % 2 === 0 ? { reply: answer, good: true } : { reply: foreignAnswer(index), good: false }
          },
          judge,
          job
        )
      )
    ),
  metrics: [{ name: METRIC }, { name: "judge_agreement" }],
  flags: judgeFlags,
  scoring: ({ job }) => ({ origin: "authored", set_version: VERSION, ...judgeRecord(job, judgePrompt("", "")) })
}
