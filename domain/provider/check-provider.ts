/**
 * Every rule of a provider definition, for requests and for definition files alike: all problems at once, or the definition as it is
 * stored (names trimmed). Reference: providers-and-collections.md, "Provider file"; api.md, "Bodies".
 */

import { Either } from "effect"
import { mostCalls } from "../../values/benchmark/calls.ts"
import { checkFreeForm } from "../free-form.ts"
import { checkFinite, checkScale } from "../job/submission/check-entry.ts"
import { maxDescription, maxId, maxName, maxUrl } from "../job/submission/submission-limits.ts"
import type { Path } from "../path.ts"
import { member, say } from "../sentence.ts"
import { checkName, checkStrings, checkTags, checkText, utf8Length } from "../text.ts"
import { shown, type Violation, violation } from "../violation.ts"
import { checkAgent } from "./check-agent.ts"
import { checkDeclarations } from "./check-parameters.ts"
import { checkProviderRuntime } from "./check-runtime.ts"
import type { ProviderBenchmark, ProviderDefinition } from "./provider.ts"
import type { Requirements } from "./runtime.ts"

export const maxCategory = 128
const maxTitle = 256
const scoreRange = /^(-?\d+(\.\d+)?\s*-\s*-?\d+(\.\d+)?|(<=?|>=?)\s*-?\d+(\.\d+)?|-?\d+(\.\d+)?\+?)$/

/** benchmarks of one provider */
const maxOffered = 2000
/** bytes of one provider as JSON: lists and jobs read whole providers */
const maxProviderBytes = 1_048_576

const checkSize = (provider: ProviderDefinition): ReadonlyArray<Violation> => {
  const bytes = utf8Length(JSON.stringify(provider))
  return bytes <= maxProviderBytes
    ? []
    : [
        violation(
          [],
          `the provider takes ${bytes} bytes as JSON; at most ${maxProviderBytes} are allowed: split it, or shorten its texts`
        )
      ]
}

const checkCount = (count: number | undefined, path: Path): ReadonlyArray<Violation> =>
  count === undefined || (Number.isSafeInteger(count) && count >= 0)
    ? []
    : [violation(path, say`${member(path)} ${shown(count)} must be a whole number of at least 0`)]

const checkMetrics = (metrics: ReadonlyArray<string>, path: Path): ReadonlyArray<Violation> => {
  const seen = new Set<string>()
  return metrics.flatMap((metric, index) => {
    const at: Path = [...path, index]
    const repeated = seen.has(metric) ? [violation(at, say`${member(at)} ${shown(metric)} is listed twice`)] : []
    seen.add(metric)
    return [...checkName(metric, at, maxId), ...repeated]
  })
}

const checkBenchmarkAgent = (agent: NonNullable<ProviderBenchmark["agent"]>, path: Path): ReadonlyArray<Violation> => [
  ...(agent.resultInterpretation === undefined
    ? []
    : checkText(agent.resultInterpretation, [...path, "resultInterpretation"], maxDescription)),
  ...(agent.scoreRanges ?? []).flatMap(({ range, meaning }, index) => {
    const at: Path = [...path, "scoreRanges", index]
    const legal = scoreRange.test(range.trim())
      ? []
      : [
          violation(
            [...at, "range"],
            say`${member([...at, "range"])} ${shown(range)} must be a range such as 0.0-0.5, 0.7, 5+, <0.3 or >=0.3`
          )
        ]
    return [...legal, ...checkName(meaning, [...at, "meaning"], maxDescription)]
  })
]

const checkRequirements = (requirements: Requirements, path: Path): ReadonlyArray<Violation> => [
  ...checkStrings(requirements.frameworkTask, [...path, "frameworkTask"]),
  ...checkStrings(requirements.frameworkMin, [...path, "frameworkMin"]),
  ...checkStrings(requirements.percentMetrics, [...path, "percentMetrics"]),
  ...(typeof requirements.calls === "number" && requirements.calls > mostCalls
    ? [
        violation(
          [...path, "calls"],
          say`${member([...path, "calls"])} ${requirements.calls} must be at most ${mostCalls}`
        )
      ]
    : [])
]

const checkBenchmark = (benchmark: ProviderBenchmark, path: Path): ReadonlyArray<Violation> => [
  ...checkName(benchmark.id, [...path, "id"], maxId),
  ...checkName(benchmark.name, [...path, "name"], maxName),
  ...checkName(benchmark.category, [...path, "category"], maxCategory),
  ...checkMetrics(benchmark.metrics, [...path, "metrics"]),
  ...(benchmark.url === undefined ? [] : checkText(benchmark.url, [...path, "url"], maxUrl)),
  ...(benchmark.description === undefined
    ? []
    : checkText(benchmark.description, [...path, "description"], maxDescription)),
  ...checkCount(benchmark.numFewShot, [...path, "numFewShot"]),
  ...checkCount(benchmark.datasetSize, [...path, "datasetSize"]),
  ...(benchmark.tags === undefined ? [] : checkTags(benchmark.tags, [...path, "tags"])),
  ...(benchmark.primaryScore === undefined
    ? []
    : checkName(benchmark.primaryScore.metric, [...path, "primaryScore", "metric"], maxId)),
  ...(benchmark.threshold === undefined ? [] : checkFinite(benchmark.threshold, [...path, "threshold"])),
  ...checkScale(benchmark, path),
  ...(benchmark.agent === undefined ? [] : checkBenchmarkAgent(benchmark.agent, [...path, "agent"])),
  ...(benchmark.requirements === undefined ? [] : checkRequirements(benchmark.requirements, [...path, "requirements"]))
]

const checkBenchmarks = (benchmarks: ReadonlyArray<ProviderBenchmark>, path: Path): ReadonlyArray<Violation> => {
  if (benchmarks.length === 0) return [violation(path, say`${member(path)} must have at least one entry`)]
  if (benchmarks.length > maxOffered)
    return [
      violation(
        path,
        say`${member(path)} has ${benchmarks.length} entries; at most ${maxOffered} are allowed: split the provider`
      )
    ]
  const first = new Map<string, number>()
  return benchmarks.flatMap((benchmark, index) => {
    const at: Path = [...path, index]
    const id = benchmark.id.trim()
    const earlier = first.get(id)
    if (earlier === undefined) first.set(id, index)
    const repeated =
      earlier === undefined
        ? []
        : [
            violation(
              [...at, "id"],
              say`${member([...at, "id"])} ${shown(id)} is already the id of benchmark ${earlier}`
            )
          ]
    return [...checkBenchmark(benchmark, at), ...repeated]
  })
}

/** tags of a stored record, without blanks around them */
const trimmedTags = (tags: ReadonlyArray<string> | undefined) =>
  tags === undefined ? {} : { tags: tags.map((tag) => tag.trim()) }

const normalised = (provider: ProviderDefinition): ProviderDefinition => ({
  ...provider,
  name: provider.name.trim(),
  ...trimmedTags(provider.tags),
  benchmarks: provider.benchmarks.map((benchmark) => ({
    ...benchmark,
    id: benchmark.id.trim(),
    name: benchmark.name.trim(),
    category: benchmark.category.trim(),
    ...trimmedTags(benchmark.tags)
  }))
})

/** the definition as it is stored, or all problems */
export const checkProvider = (
  provider: ProviderDefinition
): Either.Either<ProviderDefinition, readonly [Violation, ...ReadonlyArray<Violation>]> => {
  const [oversize] = provider.benchmarks.length > maxOffered ? [] : checkSize(provider)
  if (oversize !== undefined) return Either.left([oversize])
  const [first, ...rest] = [
    ...checkName(provider.name, ["name"], maxName),
    ...(provider.title === undefined ? [] : checkText(provider.title, ["title"], maxTitle)),
    ...(provider.description === undefined ? [] : checkText(provider.description, ["description"], maxDescription)),
    ...(provider.tags === undefined ? [] : checkTags(provider.tags, ["tags"])),
    ...(provider.agent === undefined ? [] : checkAgent(provider.agent, ["agent"])),
    ...checkProviderRuntime(provider.runtime, ["runtime"]),
    ...(provider.parameters === undefined ? [] : checkDeclarations(provider.parameters, ["parameters"])),
    ...(provider.requirements === undefined ? [] : checkFreeForm(provider.requirements, ["requirements"])),
    ...checkBenchmarks(provider.benchmarks, ["benchmarks"])
  ]
  return first === undefined ? Either.right(normalised(provider)) : Either.left([first, ...rest])
}
