/**
 * Whether a result can be believed, from independent witnesses: what went over the wire, what the samples say, and what the adapter says
 * against its own score. Any blocking flag makes a result invalid, so that it never passes. Reference: validity.md, "Flags".
 */
import type { Calls } from "../../values/benchmark/calls.ts"
import type { Validity, ValidityFlag } from "../score/validity.ts"
import { above, counted, none, sum } from "./flag.ts"
import { defaultLimits, type ValidityLimits } from "./limits.ts"
import { type KindCount, type RecordFigures, requestless, type SampleFigures } from "./sample-figures.ts"
import type { WireCounts } from "./wire-counts.ts"
import { wireFlags } from "./wire-flags.ts"

export interface Evidence {
  /** absent: nothing stood on the way of the model's traffic */
  readonly wire?: WireCounts
  readonly samples?: SampleFigures
  /** answers of the model behind a scored item, at least, as its definition declares them; absent: nobody knows */
  readonly calls?: Calls
  /** the model that is judged, as requests name it: what others answered, such as judges, is none of its answers */
  readonly model?: string
  /** what the adapter says against its own score */
  readonly adapter?: ReadonlyArray<ValidityFlag>
}

/** said, but no reason to doubt the score as such */
const remarks: ReadonlySet<string> = new Set(["few_items", "score_at_chance", "nondeterministic"])

const countOf = (kinds: ReadonlyArray<KindCount>, fits: (kind: KindCount) => boolean): number =>
  sum(kinds.filter(fits).map(({ count }) => count))
const isScored = ({ verdict }: KindCount) => verdict === "correct" || verdict === "incorrect" || verdict === "invalid"

const silences = [
  ["no_answer_empty", "empty_responses", "answers are empty"],
  [
    "no_answer_truncated",
    "truncated",
    "replies were cut off at the limit of tokens before the answer came; raise max_tokens"
  ],
  ["no_answer_filtered", "content_filtered", "questions or answers were stopped by a filter of the endpoint"],
  ["no_answer_error_body", "error_share", "replies were an error with status 200"]
] as const

/** how a sample without an answer ended; older records say only that there was none */
const silenceOf = ({ reason, finishReason }: KindCount): string | undefined => {
  if (reason !== "no_answer") return reason
  if (finishReason === "length" || finishReason === "max_tokens") return "no_answer_truncated"
  return finishReason === "content_filter"
    ? "no_answer_filtered"
    : finishReason === "error"
      ? "no_answer_error_body"
      : "no_answer_empty"
}
const silentFor = (name: string) => (kind: KindCount) => silenceOf(kind) === name

/** beyond it a set of answers is that of other questions */
const mostlyMisplaced = 0.2

const recordFlags = (records: RecordFigures, limits: ValidityLimits): ReadonlyArray<ValidityFlag> => [
  ...above(
    "identical_responses",
    "blocking",
    records.identical,
    limits.identical_responses,
    "questions with different references got word for word the same answer"
  ),
  ...above(
    "answers_misplaced",
    "blocking",
    records.misplaced,
    mostlyMisplaced,
    "answers are those to questions that were asked before: the endpoint mixes up its callers"
  ),
  ...above("constant_answer", "advisory", records.constant, limits.constant_answer, "questions got the same choice"),
  ...above(
    "prompts_differ",
    "blocking",
    records.differing,
    0,
    "repeats of an item were asked something else than the first time"
  ),
  ...above(
    "dataset_changed",
    "blocking",
    records.changed,
    0,
    "repeats of an item have another reference than the first time"
  ),
  ...above(
    "refusal_rate",
    "advisory",
    records.refused,
    limits.refusal_rate,
    "questions were declined, which counts as a wrong answer"
  ),
  ...above("answers_leaked", "advisory", records.leaked, 0, "questions contain their reference")
]

const sampleFlags = ({ kinds, records }: SampleFigures, limits: ValidityLimits): ReadonlyArray<ValidityFlag> => {
  const scored = countOf(kinds, isScored)
  // requests whose times were measured are no questions
  const items = countOf(kinds, (kind) => isScored(kind) && kind.reason !== "measured")
  const judged = countOf(kinds, ({ reason }) => reason === "judged" || reason === "judge_unparsed")
  // a measurement counts its failed requests itself, and an unread judge has a flag of its own
  const isMeasured = kinds.some(({ reason }) => reason === "measured")
  const errors = countOf(kinds, ({ verdict, reason }) => verdict === "error" && reason !== "judge_unparsed")
  return [
    ...silences.flatMap(([silence, code, says]) =>
      above(code, "blocking", counted(countOf(kinds, silentFor(silence)), scored), limits[code], says)
    ),
    ...(isMeasured
      ? none
      : above(
          "error_share",
          "blocking",
          counted(errors, scored + errors),
          limits.error_share,
          "items ended with an error instead of a verdict, and nobody knows what they would have scored"
        )),
    ...above(
      "judge_unparsed",
      "advisory",
      counted(
        countOf(kinds, ({ reason }) => reason === "judge_unparsed"),
        judged
      ),
      limits.judge_unparsed,
      "replies of the judge could not be read"
    ),
    ...(records === undefined ? none : recordFlags(records, limits)),
    ...(items > 0 && items < limits.few_items
      ? [
          {
            code: "few_items",
            level: "advisory" as const,
            count: items,
            of: items,
            limit: limits.few_items,
            samples: [],
            message: `only ${items} items were scored`
          }
        ]
      : [])
  ]
}

/** complete answers of the model itself; those that name nobody are taken for its own */
const answersOf = (wire: WireCounts, model: string | undefined): number => {
  const { answers, others, models } = wire
  const asked = model === undefined || models[model] === undefined ? [] : Object.entries(models)
  const elsewhere = asked.flatMap(([name, served]) => (name === model ? [] : Object.values(served)))
  return answers + others - sum(elsewhere)
}

/** how many answers must have come for so many items */
const neededFor = (items: number, calls: Calls, { records }: SampleFigures): number => {
  if (calls !== "choices") return items * calls
  const { of, choices, least } = records?.asked ?? { of: 0, choices: 0, least: 1 }
  return of > items ? items : choices + (items - of) * least
}

const missingAnswers = (
  items: number,
  wire: WireCounts,
  samples: SampleFigures,
  { calls, model }: Pick<Evidence, "calls" | "model">
): ReadonlyArray<ValidityFlag> => {
  const came = answersOf(wire, model)
  // of an adapter that declares nothing it is known only that it can not have scored without any answer
  if (calls === undefined && came > 0) return none
  const needed = neededFor(items, calls ?? 1, samples)
  return above(
    "requests_missing",
    "blocking",
    counted(Math.max(0, needed - came), needed),
    0,
    "answers of the model that the scored items need did not come"
  )
}

/** where samples and wire contradict each other */
const crossFlags = (
  wire: WireCounts,
  samples: SampleFigures,
  declared: Pick<Evidence, "calls" | "model">
): ReadonlyArray<ValidityFlag> => {
  const { kinds } = samples
  const scored = countOf(kinds, (kind) => isScored(kind) && kind.reason !== "measured")
  const excused = countOf(kinds, ({ verdict }) => verdict === "error" || verdict === "skipped")
  // a content filter's refusal is a failed request and a scored item at once
  const told = countOf(kinds, (kind) => isScored(kind) && requestless.has(silenceOf(kind) ?? ""))
  const failed = Math.max(0, wire.failed - excused - told)
  // questions that were answered beyond one for each item: some items take several, and nobody knows what a failed one was for
  const spare = Math.max(0, wire.questions - wire.failed - scored)
  return [
    ...above(
      "requests_failed_scored",
      "blocking",
      counted(Math.max(0, failed - spare), wire.questions),
      0,
      "questions failed for good and were scored all the same"
    ),
    ...above(
      "requests_failed_scored",
      "advisory",
      counted(failed, wire.questions),
      0,
      "questions failed for good, and no item is told to have failed"
    ),
    ...missingAnswers(scored - told, wire, samples, declared)
  ]
}

/** the limits of the server hold for what an adapter says of the same thing */
const isTolerated =
  (limits: ValidityLimits) =>
  ({ code, count, of }: ValidityFlag): boolean =>
    code !== "few_items" && code in limits && of > 0 && count <= limits[code as keyof ValidityLimits] * of

const rank = ({ level, count, of }: ValidityFlag): number =>
  (level === "blocking" ? 2 : 1) + (of === 0 ? 0 : count / of) / 2

/** one flag a code: the graver, then the larger share */
const gravest = (flags: ReadonlyArray<ValidityFlag>): ReadonlyArray<ValidityFlag> => {
  const byCode = new Map<string, ValidityFlag>()
  for (const flag of flags) {
    const known = byCode.get(flag.code)
    if (known === undefined || rank(flag) > rank(known))
      byCode.set(flag.code, flag.samples.length > 0 || known === undefined ? flag : { ...flag, samples: known.samples })
  }
  return [...byCode.values()].sort((a, b) =>
    a.level === b.level ? a.code.localeCompare(b.code) : a.level === "blocking" ? -1 : 1
  )
}

/** undefined where nobody looked */
export const judgeValidity = (
  { wire, samples, adapter, ...declared }: Evidence,
  limits: ValidityLimits = defaultLimits
): Validity | undefined => {
  if (wire === undefined && samples === undefined && adapter === undefined) return undefined
  const flags = gravest([
    ...(adapter ?? none).filter((flag) => !isTolerated(limits)(flag)),
    ...(samples === undefined ? none : sampleFlags(samples, limits)),
    ...(wire === undefined ? none : wireFlags(wire, limits)),
    ...(wire === undefined || samples === undefined ? none : crossFlags(wire, samples, declared))
  ])
  const status = flags.some(({ level }) => level === "blocking")
    ? "invalid"
    : flags.some(({ code }) => !remarks.has(code))
      ? "suspect"
      : "valid"
  return { status, flags }
}
