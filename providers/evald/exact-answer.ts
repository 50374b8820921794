/**
 * Scorer of every family with one short right answer. `exact_match_flexible`: the answer in any usual form, the primary metric;
 * `exact_match`: the answer line that the prompt asks for; `format_error_rate`: the share of replies without a readable answer line.
 */

import { defined } from "../../values/defined.ts"
import type { Answer } from "../sdk/model/model-exchange.ts"
import type { AnswerKind } from "./answers/answer-kind.ts"
import { readStrictly } from "./answers/answer-line.ts"
import { readAnswer } from "./answers/read-answer.ts"
import { readValue } from "./answers/reading.ts"
import type { ItemVerdict } from "./benchmark.ts"
import { wasCut } from "./no-answer.ts"

export const EXACT_METRICS = [
  { name: "exact_match_flexible", lowerIsBetter: false },
  { name: "exact_match", lowerIsBetter: false },
  { name: "format_error_rate", lowerIsBetter: true }
] as const

/** the two readings of one answer, for the note on how far they lie apart */
export const EXACT_READINGS = { flexible: "exact_match_flexible", strict: "exact_match" } as const

/** the reference is normalised like the answer, so it may be written as a person would */
export const scoreExact =
  (kind: AnswerKind, reference: string) =>
  (answer: Answer): ItemVerdict => {
    const strict = readStrictly(answer.text, kind)
    const reading = readAnswer(answer.text, kind, wasCut(answer))
    const flexible = readValue(reading)
    const right = kind.parse(reference) ?? reference
    return {
      verdict: flexible === undefined ? "invalid" : flexible === right ? "correct" : "incorrect",
      ...defined({ extracted: flexible }),
      ...(reading._tag === "Unread" ? { reason: reading.reason } : {}),
      scores: {
        exact_match_flexible: flexible === right ? 1 : 0,
        exact_match: strict === right ? 1 : 0,
        format_error_rate: strict === undefined ? 1 : 0
      }
    }
  }
