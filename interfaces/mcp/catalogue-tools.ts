/** Tools that read what can be run. */

import { defined } from "../../values/defined.ts"
import { numberOf, record, type Tool, textOf } from "./tool.ts"

export const findBenchmarks: Tool = {
  name: "find_benchmarks",
  title: "Find benchmarks",
  description:
    "Search the benchmarks that this service can run. Answers provider, id, category and metrics of each; get_benchmark tells more of one.",
  takes: {
    query: { type: "string", description: "part of the identifier, name or description" },
    provider: { type: "string", description: "only benchmarks of this provider" },
    category: { type: "string", description: "only benchmarks of this category, such as reasoning" },
    evaluates: { type: "string", description: "what the provider evaluates, such as math; a,b: both; a|b: either" },
    limit: { type: "integer", description: "largest number of benchmarks, 20 unless given", minimum: 1, maximum: 100 },
    offset: { type: "integer", description: "benchmarks to leave out from the beginning", minimum: 0 }
  },
  ask: async ({ client, signal }, args) => {
    const page = await record(
      client.listBenchmarks({
        signal,
        urlParams: {
          limit: numberOf(args, "limit") ?? 20,
          offset: numberOf(args, "offset") ?? 0,
          ...defined({
            q: textOf(args, "query"),
            provider_id: textOf(args, "provider"),
            category: textOf(args, "category"),
            evaluates: textOf(args, "evaluates")
          })
        }
      })
    )
    return {
      total: page.total_count,
      benchmarks: page.items.map(({ provider_id, id, name, category, description, metrics, tags }) => ({
        ...{ provider: provider_id, id, name, category },
        ...defined({ description, metrics, tags })
      }))
    }
  }
}

export const benchmarkOf: Tool["ask"] = async ({ client, signal }, args) => {
  const [provider, id] = [textOf(args, "provider") ?? "", textOf(args, "id") ?? ""]
  const { benchmarks, ...about } = await record(client.getProvider({ signal, path: { id: provider } }))
  const benchmark = benchmarks.find((one) => one.id === id)
  if (benchmark === undefined) throw new Error(`provider '${provider}' has no benchmark '${id}': ask find_benchmarks`)
  return { provider: { id: about.resource.id, name: about.name, ...defined({ agent: about.agent }) }, benchmark }
}

export const getBenchmark: Tool = {
  name: "get_benchmark",
  title: "Read a benchmark",
  description: "What one benchmark measures, its parameters and metrics, and how its results are read.",
  takes: {
    provider: { type: "string", description: "identifier of the provider" },
    id: { type: "string", description: "identifier of the benchmark" }
  },
  needs: ["provider", "id"],
  ask: benchmarkOf
}
