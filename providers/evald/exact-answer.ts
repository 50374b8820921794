/** Scorer of every family with one short right answer: `exact_match`, `exact_match_flexible`, `format_error_rate`. */
import type { Answer } from "../sdk/model-client.ts"
import type { ItemVerdict } from "./benchmark.ts"
import { type AnswerKind, extract } from "./extract.ts"

export const EXACT_METRICS = [
  { name: "exact_match", lowerIsBetter: false },
  { name: "exact_match_flexible", lowerIsBetter: false },
  { name: "format_error_rate", lowerIsBetter: true }
] as const

/** the reference is normalised like the answer, so it may be written as a person would */
export const scoreExact =
  (kind: AnswerKind, reference: string) =>
  (answer: Answer): ItemVerdict => {
    const { strict, flexible } = extract(answer.text, kind)
    const right = kind.parse(reference) ?? reference
    const exact = strict === right ? 1 : 0
    return {
      verdict: exact === 1 ? "correct" : flexible === undefined ? "invalid" : "incorrect",
      ...(flexible === undefined ? {} : { extracted: strict ?? flexible }),
      scores: {
        exact_match: exact,
        exact_match_flexible: flexible === right ? 1 : 0,
        format_error_rate: flexible === undefined ? 1 : 0
      }
    }
  }
