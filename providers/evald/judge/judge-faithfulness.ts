/** Does the reply say only what the given text says? Rated by a judge. There is no chance level. */
import { FAITHFULNESS_CASES } from "./faithfulness-cases.ts"
import { exchangeToRate } from "./judge.ts"
import { judgedBenchmark } from "./judged-item.ts"

const judgePrompt = (context: string, question: string, reply: string) =>
  `You judge whether a reply is supported by a text. Only the text counts, not what you know besides.
5: every statement of the reply is in the text or follows from it. 3: some statements are supported and some are not. 1: the reply is not supported or contradicts the text.

<text>
${context}
</text>
${exchangeToRate(question, reply)}`

const cases = FAITHFULNESS_CASES.trim()
  .split("\n")
  .map((line) => line.split(" | ") as [context: string, question: string, supported: string, invented: string])

export const judgeFaithfulness = judgedBenchmark({
  id: "judge_faithfulness",
  version: 1,
  metric: "faithfulness_score",
  cases: cases.map(([context, question, supported, invented]) => ({
    stratum: "text",
    messages: [
      {
        role: "user",
        content: `Answer the question in one or two sentences, using only this text.\n\nText: ${context}\n\nQuestion: ${question}`
      }
    ],
    question,
    prompt: (reply) => judgePrompt(context, question, reply),
    good: supported,
    bad: invented
  })),
  emptyPrompt: judgePrompt("", "", "")
})
