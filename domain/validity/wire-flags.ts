/** What speaks against a result in what went over the wire. Reference: validity.md, "What the gateway sees", "Flags". */
import type { ValidityFlag } from "../score/validity.ts"
import { above, counted, sum } from "./flag.ts"
import type { ValidityLimits } from "./limits.ts"
import { isAlias } from "./model-names.ts"
import type { WireCounts } from "./wire-counts.ts"

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

/** who stands before a model, and answers in its place */
const pages = ({ pages: count, errorBodies }: WireCounts): string =>
  count === 0
    ? ""
    : `, ${count === errorBodies ? "all" : count} of them a web page: a proxy or a log-in may stand before the model`

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
      `answers with status 200 were an error or no answer at all${pages(wire)}`
    )
  ]
}

export const wireFlags = (wire: WireCounts, limits: ValidityLimits): ReadonlyArray<ValidityFlag> => [
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
    "answers report more generated tokens than their limit or their text allows, fewer than it needs, or the same number for questions of every length"
  ),
  ...above(
    "reasoning_budget",
    "advisory",
    counted(wire.spent, wire.questions - wire.failed),
    limits.reasoning_budget,
    "questions took four fifths or more of the limit of tokens for thinking, so that the score depends on the limit"
  ),
  ...above(
    "template_suspected",
    "advisory",
    counted(wire.templated, wire.answers),
    limits.template_suspected,
    "answers hold marks of a chat template: the endpoint may apply the wrong one"
  ),
  ...above(
    "cache_suspected",
    "advisory",
    counted(wire.replayed, wire.repeated),
    limits.cache_suspected,
    "repeats at a temperature above 0 came back at once and word for word the same"
  ),
  ...above(
    "temperature_ignored",
    "advisory",
    counted(wire.unchangedWarm, wire.repeatedWarm),
    limits.temperature_ignored,
    "long answers to repeats at a temperature of 0.5 or more were word for word the same, and not from a cache: the endpoint may ignore the temperature"
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
