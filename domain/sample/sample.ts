/**
 * One asked item of a benchmark as the server keeps it: what was asked, what came back, how it was judged. Only types, names and limits
 * live here; the rules are in the neighbouring files. Reference: samples.md, "Members", "Limits".
 */
import type { sampleVerdicts } from "../../values/benchmark/sample-verdicts.ts"

export type SampleVerdict = (typeof sampleVerdicts)[number]

/** the model was asked and its answer was judged: the sample counts in the score */
export const isScored = (verdict: SampleVerdict): boolean =>
  verdict === "correct" || verdict === "incorrect" || verdict === "invalid"

/** nothing was judged yet, so that a later record of the same key may take its place */
export const isReplaceable = (verdict: SampleVerdict): boolean => verdict === "error" || verdict === "skipped"

/** why a verdict is what it is; closed, so that samples can be counted by it */
export const reasons = [
  "no_answer",
  "no_answer_empty",
  "no_answer_truncated",
  "no_answer_filtered",
  "no_answer_error_body",
  "answer_not_found",
  "answer_ambiguous",
  "answer_negated",
  "answer_outside_choices",
  "answer_declined",
  "answer_malformed",
  "answer_equal",
  "answer_equivalent",
  "answer_different",
  "rules_kept",
  "rules_broken",
  "judged",
  "judge_unparsed",
  "refused",
  "complied",
  "tests_passed",
  "tests_failed",
  "likelihood",
  "measured",
  "context_too_long",
  "request_failed",
  "request_incomplete"
] as const
export type SampleReason = (typeof reasons)[number]

/** a JSON object as it was sent; members that are not known are kept out of it */
export type SampleDocument = { readonly [member: string]: unknown }

export interface SampleKey {
  readonly sampleId: string
  readonly task: string
  readonly repeat: number
}

/** a record that was read and keeps every rule */
export interface Sample extends SampleKey {
  /** position in the data set, from 0 */
  readonly index: number
  readonly verdict: SampleVerdict
  readonly reason?: SampleReason
  readonly finishReason?: string
  /** sorted, each once */
  readonly flags: ReadonlyArray<string>
  /** of the primary metric */
  readonly score?: number
  readonly scores?: { readonly [metric: string]: number }
  /** generated ones, thinking included */
  readonly completionTokens?: number
  readonly latencyMillis?: number
  readonly cluster?: string
  /** the whole record */
  readonly document: SampleDocument
}

/** with its document for good: while a call is under way it is perhaps read anew each time it is asked for, and afterwards not at all */
export const whole = (sample: Sample): Sample => ({ ...sample, document: sample.document })

/** members that two uploads of one sample may tell differently */
export const volatileMembers: ReadonlySet<string> = new Set(["latency_ms", "ttft_ms", "request_id", "started_at"])

/** members that hold what was asked and answered */
export const textMembers = [
  "prompt",
  "response",
  "reasoning",
  "reference",
  "choices",
  "extracted",
  "turns",
  "judge"
] as const

/** of these nothing is kept with `samples.content: hash` */
export const contentMembers: ReadonlySet<string> = new Set([
  "prompt",
  "response",
  "reasoning",
  "extracted",
  "turns",
  "judge",
  "choices",
  "error"
])

export const limits = {
  /** of one call, in bytes, lines, and bytes a line */
  callBytes: 4 * 1024 * 1024,
  callLines: 1000,
  lineBytes: 1024 * 1024,
  /** of one text member, in bytes of UTF-8 */
  textBytes: 256 * 1024,
  nameLength: 512,
  taskLength: 256,
  clusterLength: 256,
  shortLength: 64,
  flags: 16,
  scores: 100,
  /** distinct combinations of verdict, reason, finish reason and flags in one benchmark */
  kinds: 400,
  /** after the terminal event of the benchmark */
  lateMillis: 60_000
} as const

/** two records of one key: the key, and how they meet */
export const keyText = ({ sampleId, task, repeat }: SampleKey): string => `${sampleId}\u0000${task}\u0000${repeat}`
