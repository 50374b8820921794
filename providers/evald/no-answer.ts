/**
 * No answer is an outcome of its own: nothing was said, the limit, a filter or an error ended it before the answer was there. It stays in the
 * denominator with the lowest score of its benchmark, so that silence never passes. Reference: providers-and-collections.md, "Honesty rules".
 */
import { isBlank } from "../../values/clean-text.ts"
import type { Answer } from "../sdk/model/model-exchange.ts"
import { replyText } from "./answers/plain-text.ts"
import type { ItemVerdict, NoAnswer } from "./benchmark.ts"

/** the limit of tokens ended the reply */
export const wasCut = ({ finishReason }: Pick<Answer, "finishReason">): boolean =>
  finishReason === "length" || finishReason === "max_tokens"

/** neither a word nor a call of a tool; reasoning alone is no answer, nor are special tokens and signs that nobody sees */
export const isSilent = ({ text, toolCalls }: Pick<Answer, "text" | "toolCalls">): boolean =>
  toolCalls.length === 0 && isBlank(replyText(text))

/** how a reply without an answer ended */
export const noAnswerKind = (answer: Pick<Answer, "finishReason">): NoAnswer =>
  wasCut(answer)
    ? "truncated"
    : answer.finishReason === "content_filter"
      ? "filtered"
      : answer.finishReason === "error"
        ? "error_body"
        : "empty"

/**
 * The verdict on an answer, or that there was none. A reply that was ended early counts when the answer was complete before: its scorer could
 * read it. `verdict.scores` of a silent answer are those its scorer gives to an empty text.
 */
export const unlessSilent = (answer: Answer, verdict: ItemVerdict): ItemVerdict => {
  const kind = noAnswerKind(answer)
  return isSilent(answer) || (verdict.verdict === "invalid" && kind !== "empty")
    ? { ...verdict, verdict: "invalid", reason: "no_answer", noAnswer: kind }
    : verdict
}
