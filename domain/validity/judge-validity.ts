/**
 * Whether a result can be believed, from independent witnesses: what went over the wire, what the samples say, and what the adapter says
 * against its own score. Any blocking flag makes a result invalid, so that it never passes. Reference: validity.md, "Flags".
 */
import type { Validity, ValidityFlag } from "../score/validity.ts"
import { defaultLimits, type ValidityLimits } from "./limits.ts"
import { isAlias } from "./model-names.ts"
import type { KindCount, SampleFigures, Share } from "./sample-figures.ts"
import type { WireCounts } from "./wire-counts.ts"

export interface Evidence {
  /** absent: nothing stood on the way of the model's traffic */
  readonly wire?: WireCounts
  readonly samples?: SampleFigures
  /** what the adapter says against its own score */
  readonly adapter?: ReadonlyArray<ValidityFlag>
}

type Level = ValidityFlag["level"]

/** below it a share may be chance */
const leastCount = 3
/** said, but no reason to doubt the score as such */
const remarks: ReadonlySet<string> = new Set(["few_items", "score_at_chance", "nondeterministic"])

const none: ReadonlyArray<ValidityFlag> = []

const above = (
  code: string,
  level: Level,
  share: Share,
  limit: number,
  says: string,
  least = leastCount
): ReadonlyArray<ValidityFlag> =>
  share.count < least || share.count <= limit * share.of
    ? none
    : [
        {
          code,
          level,
          count: share.count,
          of: share.of,
          limit,
          samples: share.samples,
          message: `${share.count} of ${share.of} ${says}`
        }
      ]

const counted = (count: number, of: number): Share => ({ count, of, samples: [] })
const sum = (values: ReadonlyArray<number>): number => values.reduce((total, value) => total + value, 0)

const servedFlags = ({ models, fingerprints }: WireCounts): ReadonlyArray<ValidityFlag> => {
  const flags = Object.entries(models).flatMap(([asked, served]) => {
    const names = Object.entries(served).sort(([, a], [, b]) => b - a)
    const answers = sum(names.map(([, count]) => count))
    const [first, ...others] = names
    if (first === undefined) return []
    const [name] = first
    if (others.length > 0) {
      const shown = names.map(([model, count]) => `${model} (${count})`).join(", ")
      return above(
        "model_changed",
        "blocking",
        counted(sum(others.map(([, count]) => count)), answers),
        0,
        `answers came from another model: ${shown}`
      )
    }
    return isAlias(asked, name)
      ? []
      : above(
          "model_alias",
          "advisory",
          counted(answers, answers),
          0,
          `answers name the model ${name}, asked was ${asked}`,
          1
        )
  })
  const prints = Object.values(fingerprints)
  const changed = prints.length < 2 ? 0 : sum(prints) - Math.max(...prints)
  return [
    ...flags,
    ...above(
      "fingerprint_changed",
      "advisory",
      counted(changed, sum(prints)),
      0,
      "answers have another system fingerprint than the others"
    )
  ]
}

/** questions whose last answer was none */
const silenceFlags = (wire: WireCounts, limits: ValidityLimits): ReadonlyArray<ValidityFlag> => {
  const of = wire.questions - wire.failed
  return [
    ...above(
      "empty_responses",
      "blocking",
      counted(wire.empty, of),
      limits.empty_responses,
      "questions got an empty answer"
    ),
    ...above(
      "truncated",
      "blocking",
      counted(wire.cut, of),
      limits.truncated,
      "answers ended at the limit of tokens before anything but reasoning was said; raise max_tokens"
    ),
    ...above(
      "content_filtered",
      "blocking",
      counted(wire.filtered, of),
      limits.content_filtered,
      "questions were stopped by a filter of the endpoint"
    ),
    ...above(
      "error_share",
      "blocking",
      counted(wire.errorBodies, of),
      limits.error_share,
      "answers with status 200 were an error or no answer at all"
    )
  ]
}

const wireFlags = (wire: WireCounts, limits: ValidityLimits): ReadonlyArray<ValidityFlag> => [
  ...silenceFlags(wire, limits),
  ...servedFlags(wire),
  ...above(
    "credential_revoked",
    "blocking",
    counted(wire.revoked, wire.requests),
    0,
    "requests were refused (401 or 403) after others had been answered"
  ),
  ...above(
    "response_echoes_prompt",
    "blocking",
    counted(wire.echoed, wire.answers),
    limits.response_echoes_prompt,
    "answers repeat the whole question"
  ),
  ...above(
    "context_truncated",
    "blocking",
    counted(wire.shortened, wire.long),
    0,
    "long questions were counted by the endpoint as a small part of their tokens: it cuts them"
  ),
  ...above(
    wire.loads > 0 ? "usage_impossible" : "usage_inconsistent",
    wire.loads > 0 ? "blocking" : "advisory",
    counted(wire.impossible, wire.reported),
    limits.usage_impossible,
    "answers report more generated tokens than their limit or their text allows"
  ),
  ...above(
    "cache_suspected",
    "advisory",
    counted(wire.replayed, wire.repeated),
    limits.cache_suspected,
    "repeats at a temperature above 0 came back at once and word for word the same"
  ),
  ...above(
    "cache_suspected",
    "advisory",
    counted(wire.reusedIds, wire.answers),
    limits.cache_suspected,
    "answers carry an id that was seen before"
  ),
  ...above(
    "nondeterministic",
    "advisory",
    counted(wire.changedCold, wire.repeatedCold),
    limits.nondeterministic,
    "repeats at temperature 0 got another answer"
  )
]

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

const sampleFlags = ({ kinds, records }: SampleFigures, limits: ValidityLimits): ReadonlyArray<ValidityFlag> => {
  const scored = countOf(kinds, isScored)
  const judged = countOf(kinds, ({ reason }) => reason === "judged" || reason === "judge_unparsed")
  return [
    ...silences.flatMap(([silence, code, says]) =>
      above(code, "blocking", counted(countOf(kinds, silentFor(silence)), scored), limits[code], says)
    ),
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
    ...(records === undefined
      ? []
      : [
          ...above(
            "identical_responses",
            "blocking",
            records.identical,
            limits.identical_responses,
            "questions with different references got word for word the same answer"
          ),
          ...above(
            "constant_answer",
            "advisory",
            records.constant,
            limits.constant_answer,
            "questions got the same choice"
          ),
          ...above(
            "prompts_differ",
            "blocking",
            records.differing,
            0,
            "repeats of an item were asked something else than the first time"
          ),
          ...above("answers_leaked", "advisory", records.leaked, 0, "questions contain their reference")
        ]),
    ...(scored > 0 && scored < limits.few_items
      ? [
          {
            code: "few_items",
            level: "advisory" as const,
            count: scored,
            of: scored,
            limit: limits.few_items,
            samples: [],
            message: `only ${scored} items were scored`
          }
        ]
      : [])
  ]
}

/** scored although no answer came, and said so */
const requestless: ReadonlySet<string> = new Set(["no_answer_filtered", "no_answer_error_body", "request_failed"])

/** where samples and wire contradict each other */
const crossFlags = (wire: WireCounts, { kinds }: SampleFigures): ReadonlyArray<ValidityFlag> => {
  const scored = countOf(kinds, (kind) => isScored(kind) && kind.reason !== "measured")
  const excused = countOf(kinds, ({ verdict }) => verdict === "error" || verdict === "skipped")
  // a content filter's refusal is a failed request and a scored item at once
  const told = countOf(kinds, (kind) => isScored(kind) && requestless.has(silenceOf(kind) ?? ""))
  const came = wire.answers + wire.others
  return [
    ...above(
      "requests_failed_scored",
      "blocking",
      counted(Math.max(0, wire.failed - excused - told), wire.questions),
      0,
      "questions failed for good and were scored all the same"
    ),
    ...above(
      "requests_missing",
      "blocking",
      counted(Math.max(0, scored - told - came), scored),
      0,
      "scored items have no answer of the model behind them"
    )
  ]
}

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
  { wire, samples, adapter }: Evidence,
  limits: ValidityLimits = defaultLimits
): Validity | undefined => {
  if (wire === undefined && samples === undefined && adapter === undefined) return undefined
  const flags = gravest([
    ...(adapter ?? none),
    ...(samples === undefined ? none : sampleFlags(samples, limits)),
    ...(wire === undefined ? none : wireFlags(wire, limits)),
    ...(wire === undefined || samples === undefined ? none : crossFlags(wire, samples))
  ])
  const status = flags.some(({ level }) => level === "blocking")
    ? "invalid"
    : flags.some(({ code }) => !remarks.has(code))
      ? "suspect"
      : "valid"
  return { status, flags }
}
