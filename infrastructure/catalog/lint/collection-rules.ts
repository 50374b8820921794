/** Lint rules about one collection file, against the providers it names. Reference: providers-and-collections.md, "Linter". */
import type { Collection, CollectionEntry } from "../../../domain/collection/collection.ts"
import type { ParameterDeclaration, Provider, ProviderBenchmark } from "../../../domain/provider/provider.ts"
import { benchmarkAt, type CollectionRule, type Finding, type LintContext } from "./rule.ts"
import { isBounded, offScale, worth } from "./scale.ts"

interface Row {
  readonly entry: CollectionEntry
  readonly index: number
  readonly provider: Provider
  readonly benchmark: ProviderBenchmark
}

/** entries whose provider and benchmark exist; the others are L003 */
const rowsOf = (collection: Collection, { provider: lookup }: LintContext): ReadonlyArray<Row> =>
  collection.benchmarks.flatMap((entry, index) => {
    const provider = lookup(entry.providerId)
    const benchmark = provider?.benchmarks.find(({ id }) => id === entry.id)
    return provider === undefined || benchmark === undefined ? [] : [{ entry, index, provider, benchmark }]
  })

/** keys that collections in the field carry although nothing reads them */
const knownWrong = /^(repetitions|pass_at_k|num_samples|secondary_metric|secondary_threshold|blocking_subtask.*)$/

const reads = (declared: ReadonlyArray<ParameterDeclaration>, key: string) =>
  declared.some(({ name, aliases }) => name === key || aliases?.includes(key) === true)

const parameters = ({ entry, index, provider }: Row): ReadonlyArray<Finding> =>
  Object.keys(entry.parameters ?? {}).flatMap((key): ReadonlyArray<Finding> => {
    const path = benchmarkAt(index, "parameters", key)
    if (key === "num_examples") return []
    if (knownWrong.test(key)) return [{ path, severity: "error", message: `nothing reads '${key}'` }]
    const declared = provider.parameters
    if (declared === undefined || provider.id === "inspect" || reads(declared, key)) return []
    if (key === "num_fewshot" && reads(declared, "num_few_shot"))
      return [{ path, severity: "error", message: "the adapter reads 'num_few_shot'" }]
    return [{ path, message: `the adapter of '${provider.id}' does not read '${key}'` }]
  })

const metricOf = ({ entry, benchmark }: Row) => {
  const { primaryScore: own } = entry
  const theirs = benchmark.primaryScore
  return own === undefined || own.metric !== theirs?.metric ? (own ?? theirs) : { ...theirs, ...own }
}
const thresholdOf = ({ entry, benchmark }: Row) => entry.threshold ?? benchmark.threshold

/** the score that entries just meeting their thresholds give; undefined when it cannot be told */
const weightedFloor = (rows: ReadonlyArray<Row>): number | undefined => {
  let sum = 0
  let weights = 0
  for (const row of rows) {
    const weight = row.entry.weight ?? 1
    const threshold = thresholdOf(row)
    const score = metricOf(row)
    if (weight === 0) continue
    if (threshold === undefined || score === undefined) return undefined
    sum += weight * worth(score, threshold)
    weights += weight
  }
  return weights === 0 ? undefined : sum / weights
}

export const collectionRules: ReadonlyArray<CollectionRule> = [
  {
    code: "L007",
    severity: "error",
    check: (collection, context) => [
      ...(collection.threshold !== undefined && (collection.threshold < 0 || collection.threshold > 1)
        ? [
            {
              path: "/pass_criteria/threshold",
              message: `${collection.threshold} is outside 0..1, the scale of the overall score`
            }
          ]
        : []),
      ...rowsOf(collection, context).flatMap((row) => {
        const message = offScale(metricOf(row), row.entry.threshold)
        return message === undefined ? [] : [{ path: benchmarkAt(row.index, "pass_criteria", "threshold"), message }]
      })
    ]
  },
  {
    code: "L008",
    severity: "error",
    check: (collection, context) =>
      rowsOf(collection, context).flatMap(({ entry, index, benchmark }) => {
        const mine = entry.primaryScore
        const theirs = benchmark.primaryScore
        if (
          mine === undefined ||
          theirs === undefined ||
          mine.metric !== theirs.metric ||
          mine.lowerIsBetter === theirs.lowerIsBetter
        )
          return []
        return [
          {
            path: benchmarkAt(index, "primary_score", "lower_is_better"),
            message: `the provider says ${theirs.lowerIsBetter ? "lower" : "higher"} is better for '${theirs.metric}'`
          }
        ]
      })
  },
  {
    code: "L009",
    severity: "error",
    check: (collection, context) =>
      rowsOf(collection, context).flatMap(({ entry, index, provider, benchmark }) => {
        const metric = entry.primaryScore?.metric
        const emitted = context.facts(provider.id).get(benchmark.id)?.emitted ?? benchmark.metrics
        if (metric === undefined || emitted.length === 0) return []
        const resolves = emitted.some(
          (name) =>
            name === metric ||
            name.endsWith(`/${metric}`) ||
            name.endsWith(`.${metric}`) ||
            name.startsWith(`${metric},`)
        )
        return resolves
          ? []
          : [
              {
                path: benchmarkAt(index, "primary_score", "metric"),
                message: `'${benchmark.id}' never reports '${metric}'; it reports ${emitted.join(", ")}`
              }
            ]
      })
  },
  {
    code: "L010",
    severity: "error",
    check: (collection, context) =>
      rowsOf(collection, context).flatMap(({ index, benchmark }) =>
        benchmark.requirements?.frameworkMin === "none" ||
        benchmark.requirements?.flags?.includes("unavailable") === true
          ? [{ path: benchmarkAt(index, "id"), message: `no version of the framework offers '${benchmark.id}'` }]
          : []
      )
  },
  {
    code: "L014",
    severity: "warning",
    check: (collection, context) => rowsOf(collection, context).flatMap(parameters)
  },
  {
    code: "L015",
    severity: "warning",
    check: (collection, context) =>
      rowsOf(collection, context).flatMap(({ entry, index, benchmark }) =>
        benchmark.requirements?.endpoint === "completions_echo"
          ? ["apply_chat_template", "fewshot_as_multiturn"].flatMap((key) =>
              entry.parameters?.[key] === undefined
                ? []
                : [
                    {
                      path: benchmarkAt(index, "parameters", key),
                      message: `'${benchmark.id}' needs prompt log-probabilities, where '${key}' has no meaning`
                    }
                  ]
            )
          : []
      )
  },
  {
    code: "L016",
    severity: "warning",
    check: (collection, context) => {
      const floor = weightedFloor(rowsOf(collection, context))
      const { threshold } = collection
      if (threshold === undefined || floor === undefined || threshold <= floor + 1e-9) return []
      return [
        {
          path: "/pass_criteria/threshold",
          message: `${threshold} is above ${floor.toFixed(3)}, the score of a model that just meets every threshold`
        }
      ]
    }
  },
  {
    code: "L017",
    severity: "warning",
    check: (collection, context) => {
      const scales = new Set(
        rowsOf(collection, context)
          .filter(({ entry }) => entry.weight !== 0)
          .flatMap((row) => {
            const score = metricOf(row)
            return score === undefined ? [] : [isBounded(score)]
          })
      )
      return scales.size > 1
        ? [{ path: "/benchmarks", message: "rates and unbounded metrics are mixed in one weighted score" }]
        : []
    }
  },
  {
    code: "L027",
    severity: "info",
    check: (collection, { provider, collection: lookup }) =>
      collection.agent === undefined
        ? [{ path: "", message: "no agent block: nothing helps a choice" }]
        : (collection.agent.complements ?? []).flatMap((id, index) =>
            provider(id) === undefined && lookup(id) === undefined
              ? [{ path: `/agent/complements/${index}`, message: `'${id}' is not known here` }]
              : []
          )
  }
]
