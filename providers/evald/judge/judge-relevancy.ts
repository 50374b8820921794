/** Does the reply answer the question that was asked? Rated by a judge; no statement about whether it is true. There is no chance level. */
import { exchangeToRate } from "./judge.ts"
import { judgedBenchmark } from "./judged-item.ts"
import { RELEVANCY_QUESTIONS } from "./relevancy-questions.ts"

const judgePrompt = (question: string, reply: string) =>
  `You judge whether a reply is relevant to a question. Do not judge whether it is true.
5: the reply answers exactly what was asked. 3: it is about the topic but answers only part of the question. 1: it does not answer the question at all.

${exchangeToRate(question, reply)}`

const questions = RELEVANCY_QUESTIONS.trim()
  .split("\n")
  .map((line) => line.split(" | ") as [question: string, answer: string])

/** an answer to another question is plainly irrelevant */
const foreignAnswer = (index: number) => (questions[(index + 7) % questions.length] as [string, string])[1]

export const judgeRelevancy = judgedBenchmark({
  id: "judge_relevancy",
  version: 1,
  metric: "relevancy_score",
  cases: questions.map(([question, answer], index) => ({
    stratum: "question",
    messages: [{ role: "user", content: `${question} Answer in one to three sentences.` }],
    question,
    prompt: (reply) => judgePrompt(question, reply),
    good: answer,
    bad: foreignAnswer(index)
  })),
  emptyPrompt: judgePrompt("", "")
})
