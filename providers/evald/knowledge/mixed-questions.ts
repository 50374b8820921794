/** Fifty general and fifty science questions, every second one of both sets, for benchmarks that look at how answers are given. */

import { parseQuestions, type Question } from "./choice-question.ts"
import { GENERAL_QUESTIONS } from "./general-questions.ts"
import { SCIENCE_QUESTIONS } from "./science-questions.ts"

export const MIXED_QUESTIONS: ReadonlyArray<Question> = [GENERAL_QUESTIONS, SCIENCE_QUESTIONS].flatMap((source) =>
  parseQuestions(source).filter((_, index) => index % 2 === 0)
)
