/** The scorers of custom data: what the prompt asks for, what is read from the reply, and which metrics come out. Reference: providers-and-collections.md, "Embedded benchmarks". */
import { Either } from "effect"
import { defined } from "../../../values/defined.ts"
import type { Metric } from "../../sdk/adapter.ts"
import { numberKind } from "../answers/number-kind.ts"
import { canonicalNumber } from "../answers/number-text.ts"
import { replyText } from "../answers/plain-text.ts"
import { readAnswer } from "../answers/read-answer.ts"
import { readValue } from "../answers/reading.ts"
import { flexibleShortTexts, strictShortText } from "../answers/short-text.ts"
import type { ItemContext, ItemVerdict, ScoredItem } from "../benchmark.ts"
import { verdictsOf } from "../items/item-metrics.ts"
import { intervalMembers, UNIT } from "../proportion.ts"
import { type BleuCounts, bleuCounts, bleuOf } from "../scorers/bleu.ts"
import { type ChrfCounts, chrfCounts, chrfOf } from "../scorers/chrf.ts"
import { loose, tidy } from "../scorers/normal-text.ts"
import { rougeL } from "../scorers/rouge-l.ts"
import { tokenF1 } from "../scorers/token-f1.ts"
import { jackknife } from "../statistics.ts"

export interface ScorerSettings {
  readonly tolerance: number
  readonly regex: RegExp | undefined
}

export interface CustomScorer {
  /** closing instruction of a `question`; a `prompt` is sent as it is */
  readonly instruction?: string
  readonly metrics: ReadonlyArray<string>
  /** the one that is also reported as `score` */
  readonly primary: string
  readonly score: (reply: string, references: ReadonlyArray<string>, settings: ScorerSettings) => ItemVerdict
  /** scores of a whole set, where the mean of single scores is something else */
  readonly derive?: (scored: ReadonlyArray<ScoredItem>, context: ItemContext) => ReadonlyArray<Metric>
}

const ANSWER_LINE = 'Finish with a last line of the form "Answer: <x>", where <x> is nothing but your answer.'
const NUMBER_LINE = `Finish with a last line of the form "Answer: <x>", where <x> is ${numberKind.wanted}.`

const verdict = (right: boolean, scores: ItemVerdict["scores"], extracted?: string): ItemVerdict => ({
  verdict: extracted === undefined || extracted === "" ? "invalid" : right ? "correct" : "incorrect",
  ...defined({ extracted }),
  scores
})

const best = (references: ReadonlyArray<string>, measure: (reference: string) => number) =>
  Math.max(...references.map(measure))

/** strict: the answer line, or without one the whole reply. Flexible: case, punctuation and articles are ignored, and the answer may be told in any usual form */
const exactMatch =
  (isFlexible: boolean) =>
  (reply: string, references: ReadonlyArray<string>): ItemVerdict => {
    const strict = tidy(strictShortText(reply))
    const exact = references.some((reference) => tidy(reference) === strict)
    const number = readValue(readAnswer(reply, numberKind))
    const texts = flexibleShortTexts(reply).map(loose)
    const flexible = references.some((reference) => {
      const value = canonicalNumber(reference)
      return value === undefined ? texts.includes(loose(reference)) : value === number
    })
    const right = exact || (isFlexible && flexible)
    return verdict(right, { exact_match: exact ? 1 : 0, exact_match_flexible: exact || flexible ? 1 : 0 }, strict)
  }

const numericMatch: CustomScorer["score"] = (reply, references, { tolerance }) => {
  const reading = readAnswer(reply, numberKind)
  const found = readValue(reading)
  const right =
    found !== undefined &&
    references.some(
      (reference) => Math.abs(Number(canonicalNumber(reference) ?? Number.NaN) - Number(found)) <= tolerance
    )
  return {
    ...verdict(right, { numeric_match: right ? 1 : 0 }, found),
    ...(reading._tag === "Unread" ? { reason: reading.reason } : {})
  }
}

/** with a group in `regex`: the group's text equals a reference. Without: the reply matches. Without `regex`: each reference is a pattern */
const regexMatch: CustomScorer["score"] = (given, references, { regex }) => {
  const reply = replyText(given)
  const patterns =
    regex === undefined ? references.map((reference) => Either.getOrThrow(compileRegex(reference))) : [regex]
  const found = patterns.map((pattern) => pattern.exec(reply)).find((match) => match !== null)
  const group = found?.slice(1).find((text) => text !== undefined)
  const right =
    found !== undefined &&
    (regex === undefined || found.length === 1 || references.some((reference) => tidy(reference) === tidy(group ?? "")))
  return verdict(right, { regex_match: right ? 1 : 0 }, found === undefined ? undefined : (group ?? found[0]))
}

/** equal texts are equal, also those in which a measure finds nothing to count */
const isEqual = (text: string, references: ReadonlyArray<string>) =>
  references.some((reference) => tidy(reference) === tidy(text))

/** a share of overlap with what stands behind the answer mark: 1 is right, everything else is not */
const overlap = (name: string, measure: (reply: string, reference: string) => number): CustomScorer => ({
  metrics: [name],
  primary: name,
  score: (reply, references) => {
    const text = strictShortText(reply)
    const value = isEqual(text, references) ? 1 : best(references, (reference) => measure(text, reference))
    return verdict(value === 1, { [name]: value }, tidy(text))
  }
})

const setMetric = <Row>(
  name: string,
  rows: ReadonlyArray<Row>,
  of: (rows: ReadonlyArray<Row>) => number,
  fewest?: number
): ReadonlyArray<Metric> =>
  rows.length === 0
    ? []
    : [
        {
          name,
          value: of(rows),
          lowerIsBetter: false,
          n: rows.length,
          ...intervalMembers(jackknife(rows, of, UNIT, fewest))
        }
      ]

const numbered = (name: string, values: ReadonlyArray<number>) =>
  Object.fromEntries(values.map((value, index) => [`${name}_${index + 1}`, value]))

const unnumbered = (scores: ItemVerdict["scores"], name: string, count: number) =>
  Array.from({ length: count }, (_, index) => scores[`${name}_${index + 1}`] ?? 0)

/** counts go into the scores of each item, so that a continued run has them too */
const bleu: CustomScorer = {
  metrics: [],
  primary: "bleu",
  score: (reply, references) => {
    const text = strictShortText(reply)
    const counts = bleuCounts(text, references)
    const scores = {
      ...numbered("bleu_match", counts.matches),
      ...numbered("bleu_total", counts.totals),
      bleu_answer_length: counts.answerLength,
      bleu_reference_length: counts.referenceLength
    }
    return verdict(bleuOf([counts]) === 1, scores, tidy(text))
  },
  derive: (scored) => {
    const rows = verdictsOf(scored).map(
      ({ scores }): BleuCounts => ({
        matches: unnumbered(scores, "bleu_match", 4),
        totals: unnumbered(scores, "bleu_total", 4),
        answerLength: scores["bleu_answer_length"] ?? 0,
        referenceLength: scores["bleu_reference_length"] ?? 0
      })
    )
    return setMetric("bleu", rows, bleuOf)
  }
}

/** rows from which the interval holds the truth as often as it says; with 20 it lies too low half a time in a hundred too often */
const CHRF_ROWS = 30

const chrf: CustomScorer = {
  metrics: [],
  primary: "chrf",
  score: (reply, references) => {
    const text = strictShortText(reply)
    const counts = chrfCounts(text, references)
    const scores = {
      ...numbered("chrf_given", counts.given),
      ...numbered("chrf_wanted", counts.wanted),
      ...numbered("chrf_common", counts.common)
    }
    return verdict(chrfOf([counts]) === 1, scores, tidy(text))
  },
  derive: (scored) => {
    const rows = verdictsOf(scored).map(
      ({ scores }): ChrfCounts => ({
        given: unnumbered(scores, "chrf_given", 6),
        wanted: unnumbered(scores, "chrf_wanted", 6),
        common: unnumbered(scores, "chrf_common", 6)
      })
    )
    return setMetric("chrf", rows, chrfOf, CHRF_ROWS)
  }
}

export const CUSTOM_SCORERS: { readonly [name: string]: CustomScorer } = {
  exact_match: {
    instruction: ANSWER_LINE,
    metrics: ["exact_match", "exact_match_flexible"],
    primary: "exact_match",
    score: exactMatch(false)
  },
  exact_match_flexible: {
    instruction: ANSWER_LINE,
    metrics: ["exact_match", "exact_match_flexible"],
    primary: "exact_match_flexible",
    score: exactMatch(true)
  },
  regex_match: { metrics: ["regex_match"], primary: "regex_match", score: regexMatch },
  numeric_match: {
    instruction: NUMBER_LINE,
    metrics: ["numeric_match"],
    primary: "numeric_match",
    score: numericMatch
  },
  f1: overlap("f1", tokenF1),
  bleu,
  chrf,
  rouge_l: overlap("rouge_l", rougeL)
}

/** flags before a pattern, as other dialects write them: `(?i)`, `(?ims)` */
const INLINE_FLAGS = /^\(\?([ims]+)\)/

/** a pattern of JavaScript with the flag `u`, with flags of its own in front, or why it is none */
export function compileRegex(source: string): Either.Either<RegExp, string> {
  const flags = INLINE_FLAGS.exec(source)
  const given = [...new Set(flags?.[1] ?? "")].join("")
  return Either.try({
    try: () => new RegExp(source.slice(flags?.[0].length ?? 0), `u${given}`),
    catch: (cause) => (cause instanceof Error ? cause.message : String(cause))
  })
}
