/**
 * Answers that were none, as a framework's own output tells them. They count as wrong there and stay in the score; too many of them do not fail
 * the run, they make its result invalid. Reference: providers-and-collections.md, "Honesty rules".
 */
import { isBlank } from "../../../values/clean-text.ts"
import type { SampleRecord } from "../../contract/sample-record.ts"

interface Rule {
  readonly limit: number
  /** completes "12 of 60 …" */
  readonly says: string
}

const rules = {
  empty_responses: { limit: 0.01, says: "answers had no text, which the framework counts as wrong" },
  content_filtered: { limit: 0.05, says: "questions were stopped by a filter, which the framework counts as wrong" },
  error_share: { limit: 0.05, says: "replies could not be read as answers, which the framework counts as wrong" }
} as const satisfies { readonly [code: string]: Rule }

/** a share says little about so few */
const leastCount = 3

/** `additional_info.flags` and the notes that say them, of those above their limit; `of`: items that were scored */
export const unanswered = (
  counts: { readonly [code in keyof typeof rules]?: number },
  of: number
): { readonly flags: ReadonlyArray<object>; readonly notes: ReadonlyArray<string> } => {
  const flags = Object.entries(rules).flatMap(([code, { limit, says }]) => {
    // an item may take several requests
    const count = Math.min(of, counts[code as keyof typeof rules] ?? 0)
    return count < Math.min(leastCount, Math.max(1, of)) || count <= limit * of
      ? []
      : [{ code, level: "blocking", count, of, limit, samples: [], message: `${count} of ${of} ${says}` }]
  })
  return { flags, notes: flags.map(({ code, message }) => `${code}: ${message}`) }
}

/** verdict and reason of a generated reply without a word; undefined when there is one, or when nothing was to be generated */
export const silence = (
  response: string | undefined,
  finishReason?: string
): Required<Pick<SampleRecord, "verdict" | "reason">> | undefined => {
  if (response === undefined || !isBlank(response)) return undefined
  const kind =
    finishReason === "content_filter"
      ? "filtered"
      : finishReason === "length" || finishReason === "max_tokens" || finishReason === "model_length"
        ? "truncated"
        : "empty"
  return { verdict: "invalid", reason: `no_answer_${kind}` }
}
