/** The three authored question sets. */
import { GENERAL_QUESTIONS } from "./general-questions.ts"
import { choiceBenchmark } from "./multiple-choice.ts"
import { SAFETY_QUESTIONS } from "./safety-questions.ts"
import { SCIENCE_QUESTIONS } from "./science-questions.ts"

export const mcqGeneral = choiceBenchmark({ id: "mcq_general", version: 1, source: GENERAL_QUESTIONS })
export const mcqScience = choiceBenchmark({ id: "mcq_science", version: 1, source: SCIENCE_QUESTIONS })
export const mcqSafetyKnowledge = choiceBenchmark({ id: "mcq_safety_knowledge", version: 1, source: SAFETY_QUESTIONS })
