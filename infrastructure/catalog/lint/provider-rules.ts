/** Lint rules about one provider file. Reference: providers-and-collections.md, "Linter"; each code has a fixture on which it fires. */
import { existsSync } from "node:fs"
import { isAbsolute } from "node:path"
import type { Provider, ProviderBenchmark } from "../../../domain/provider/provider.ts"
import { benchmarkAt, type Finding, type ProviderRule } from "./rule.ts"
import { interval, offScale } from "./scale.ts"

const eachBenchmark = (
  provider: Provider,
  check: (benchmark: ProviderBenchmark, index: number) => ReadonlyArray<Finding>
) => provider.benchmarks.flatMap(check)
const unavailable = ({ requirements }: ProviderBenchmark) =>
  requirements?.flags?.includes("unavailable") === true || requirements?.frameworkMin === "none"

const scoreRanges = (benchmark: ProviderBenchmark, index: number): ReadonlyArray<Finding> => {
  const ranges = benchmark.agent?.scoreRanges ?? []
  const path = benchmarkAt(index, "agent", "score_ranges")
  const spans = ranges.map(({ range }) => interval(range))
  const broken = ranges.findIndex((_, i) => spans[i] === undefined)
  if (broken >= 0) return [{ path: `${path}/${broken}/range`, message: `'${ranges[broken]?.range}' is not a range` }]
  const sorted = spans
    .flatMap((span) => (span === undefined ? [] : [span]))
    .sort((a, b) => a.low - b.low || a.high - b.high)
  const findings: Array<Finding> = []
  for (const [i, span] of sorted.entries()) {
    const next = sorted[i + 1]
    if (next === undefined) break
    if (next.low < span.high || (next.low === span.low && next.high === span.high))
      findings.push({ path, message: `ranges overlap at ${next.low}` })
    else if (next.low > span.high) findings.push({ path, message: `no range covers ${span.high} to ${next.low}` })
  }
  const { threshold } = benchmark
  if (
    threshold !== undefined &&
    sorted.length > 1 &&
    !sorted.some(({ low, high }) => low === threshold || high === threshold)
  ) {
    findings.push({ path, message: `no range ends at the threshold ${threshold}` })
  }
  return findings
}

const variablePattern = /^(VAR_NAME|NAME|VALUE|CHANGE_?ME|TODO|<.*>)$/i
const secretPattern = /(api_?key|token|secret|password)$/i

const environment = (provider: Provider): ReadonlyArray<Finding> =>
  (["k8s", "local"] as const).flatMap((mode) =>
    (provider.runtime[mode]?.env ?? []).flatMap(({ name, value }, index) => {
      const path = `/runtime/${mode}/env/${index}`
      if (variablePattern.test(name) || (value !== undefined && variablePattern.test(value)))
        return [{ path, message: `'${name}' looks like a placeholder left in` }]
      return value !== undefined && value !== "" && secretPattern.test(name)
        ? [{ path, message: `'${name}' holds a value that looks like a secret; use a secret instead` }]
        : []
    })
  )

const localCommand = ({ runtime }: Provider): ReadonlyArray<Finding> => {
  const first = runtime.local?.command.trim().split(/\s+/)[0] ?? ""
  if (!first.includes("/")) return []
  const path = "/runtime/local/command"
  if (!isAbsolute(first))
    return [{ path, message: `'${first}' is relative: it depends on the folder the server was started in` }]
  return existsSync(first) ? [] : [{ path, message: `'${first}' does not exist` }]
}

const counted = /\b(\d{1,4}) (?:benchmarks|tasks)\b/g

const sharedSizes = (provider: Provider): ReadonlyArray<Finding> => {
  const uses = new Map<number, number>()
  for (const { datasetSize } of provider.benchmarks)
    if (datasetSize !== undefined) uses.set(datasetSize, (uses.get(datasetSize) ?? 0) + 1)
  return [...uses].flatMap(([size, times]) =>
    times > 20 ? [{ path: "/benchmarks", message: `dataset_size ${size} stands in ${times} rows: a placeholder?` }] : []
  )
}

const sameTask = (provider: Provider): ReadonlyArray<Finding> => {
  const first = new Map<string, string>()
  return eachBenchmark(provider, ({ id, requirements }, index) => {
    const task = requirements?.frameworkTask
    if (task === undefined) return []
    const other = first.get(task)
    if (other === undefined) first.set(task, id)
    return other === undefined
      ? []
      : [
          {
            path: benchmarkAt(index, "requirements", "framework_task"),
            message: `'${id}' runs the same task as '${other}'`
          }
        ]
  })
}

export const providerRules: ReadonlyArray<ProviderRule> = [
  {
    code: "L004",
    severity: "error",
    check: (provider) =>
      eachBenchmark(provider, ({ metrics, primaryScore }, index) =>
        primaryScore === undefined || metrics.includes(primaryScore.metric)
          ? []
          : [
              {
                path: benchmarkAt(index, "primary_score", "metric"),
                message: `'${primaryScore.metric}' is not in metrics (${metrics.join(", ")})`
              }
            ]
      )
  },
  {
    code: "L005",
    severity: "error",
    check: (provider, { facts }) => {
      const known = facts(provider.id)
      return eachBenchmark(provider, (benchmark, index) => {
        const emitted = known.get(benchmark.id)?.emitted
        const metric = benchmark.primaryScore?.metric
        if (emitted === undefined || metric === undefined || unavailable(benchmark) || emitted.includes(metric))
          return []
        return [
          {
            path: benchmarkAt(index, "primary_score", "metric"),
            message: `the framework never reports '${metric}' here; it reports ${emitted.join(", ")}`
          }
        ]
      })
    }
  },
  {
    code: "L006",
    severity: "warning",
    check: (provider, { facts }) => {
      const known = facts(provider.id)
      return eachBenchmark(provider, (benchmark, index) => {
        const emitted = known.get(benchmark.id)?.emitted
        if (emitted === undefined || unavailable(benchmark)) return []
        return benchmark.metrics.flatMap((metric, i) =>
          emitted.includes(metric)
            ? []
            : [{ path: benchmarkAt(index, "metrics", i), message: `the framework never reports '${metric}' here` }]
        )
      })
    }
  },
  {
    code: "L007",
    severity: "error",
    check: (provider) =>
      eachBenchmark(provider, ({ primaryScore, threshold }, index) => {
        const message = offScale(primaryScore, threshold)
        return message === undefined ? [] : [{ path: benchmarkAt(index, "pass_criteria", "threshold"), message }]
      })
  },
  {
    code: "L011",
    severity: "warning",
    check: (provider, { facts }) => {
      const known = facts(provider.id)
      return eachBenchmark(provider, ({ id }, index) =>
        known.get(id)?.inDefaultImage === false
          ? [{ path: benchmarkAt(index, "id"), message: `the framework in the default image does not have '${id}'` }]
          : []
      )
    }
  },
  {
    code: "L012",
    severity: "warning",
    check: (provider, { facts }) => {
      const known = facts(provider.id)
      return eachBenchmark(provider, ({ id }, index) =>
        known.get(id)?.kind === "tag"
          ? [{ path: benchmarkAt(index, "id"), message: `'${id}' is a tag: results come per member only` }]
          : []
      )
    }
  },
  {
    code: "L013",
    severity: "warning",
    check: (provider) => {
      const rows = provider.benchmarks.filter(({ requirements }) => requirements?.endpoint === "completions_echo")
      return rows.length === 0
        ? []
        : [
            {
              path: "/benchmarks",
              message: `${rows.length} rows need prompt log-probabilities and fail on chat-only endpoints`
            }
          ]
    }
  },
  {
    code: "L018",
    severity: "warning",
    check: (provider) => {
      const rows = provider.benchmarks.filter(({ primaryScore }) => primaryScore === undefined)
      return rows.length === 0
        ? []
        : [
            {
              path: "/benchmarks",
              message: `${rows.length} rows have no primary score: no verdict is possible (${rows[0]?.id}, …)`
            }
          ]
    }
  },
  { code: "L019", severity: "warning", check: sharedSizes },
  { code: "L020", severity: "warning", check: (provider) => eachBenchmark(provider, scoreRanges) },
  { code: "L021", severity: "warning", check: sameTask },
  { code: "L023", severity: "warning", check: environment },
  { code: "L024", severity: "warning", check: localCommand },
  {
    code: "L025",
    severity: "warning",
    check: ({ runtime }) => {
      const image = runtime.k8s?.image
      if (image === undefined || image.includes("@sha256:")) return []
      const tag = /:([^/:]+)$/.exec(image)?.[1]
      return tag === undefined || tag === "latest"
        ? [{ path: "/runtime/k8s/image", message: `'${image}' names no fixed tag` }]
        : []
    }
  },
  {
    code: "L026",
    severity: "warning",
    check: (provider) =>
      [
        ["/description", provider.description ?? ""],
        ["/agent/summary", provider.agent?.summary ?? ""]
      ].flatMap(([path = "", text = ""]) =>
        [...text.matchAll(counted)].flatMap(([, n]) =>
          Number(n) === provider.benchmarks.length
            ? []
            : [{ path, message: `says ${n}, the file has ${provider.benchmarks.length} benchmarks` }]
        )
      )
  },
  {
    code: "L027",
    severity: "info",
    check: (provider, { provider: lookup, collection }) =>
      provider.agent === undefined
        ? [{ path: "", message: "no agent block: nothing helps a choice" }]
        : (provider.agent.complements ?? []).flatMap((id, index) =>
            lookup(id) === undefined && collection(id) === undefined
              ? [{ path: `/agent/complements/${index}`, message: `'${id}' is not known here` }]
              : []
          )
  },
  {
    code: "L029",
    severity: "info",
    check: (provider, { facts }) => {
      const known = facts(provider.id)
      return eachBenchmark(provider, ({ id, metrics, primaryScore }, index) => {
        const names = known.get(id)?.emitted ?? metrics
        const metric = primaryScore?.metric
        if (metric === undefined || names.includes(metric)) return []
        return names.some(
          (name) => name.endsWith(`/${metric}`) || name.endsWith(`.${metric}`) || name.startsWith(`${metric},`)
        )
          ? [
              {
                path: benchmarkAt(index, "primary_score", "metric"),
                message: `'${metric}' resolves only by part of a reported name`
              }
            ]
          : []
      })
    }
  },
  {
    code: "L031",
    severity: "info",
    check: (provider) =>
      eachBenchmark(provider, ({ primaryScore }, index) =>
        primaryScore === undefined || primaryScore.scale !== undefined
          ? []
          : [
              {
                path: benchmarkAt(index, "primary_score"),
                message: `'${primaryScore.metric}' has no scale: a threshold outside 0..1 makes it unbounded, else it is a unit`
              }
            ]
      )
  }
]
