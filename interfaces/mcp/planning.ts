/** A job as an agent may ask for it: a model, and benchmarks or a collection. Secrets, exports and definitions are no part of it. */
import { defined } from "../../values/defined.ts"
import type { Operation } from "../http/api.ts"
import { type Arguments, record, type Tool, type ToolText, textOf, textsOf } from "./tool.ts"

type JobBody = Operation<"submitJob">["payload"]

const jobArguments: ToolText["takes"] = {
  model_url: { type: "string", description: "base URL of the OpenAI-compatible endpoint, such as http://host:8000/v1" },
  model_name: { type: "string", description: "name of the model at the endpoint" },
  name: { type: "string", description: "name of the job; the model's unless given" },
  collection: { type: "string", description: "identifier of the collection to run; or benchmarks" },
  benchmarks: {
    type: "array",
    description: "benchmarks to run, as find_benchmarks tells them",
    maxItems: 100,
    items: {
      type: "object",
      properties: {
        provider: { type: "string", description: "identifier of the provider" },
        id: { type: "string", description: "identifier of the benchmark" },
        parameters: { type: "object", description: 'what it takes, such as {"num_examples": 20}' }
      },
      required: ["provider", "id"],
      additionalProperties: false
    }
  },
  tags: { type: "array", description: "tags of the job", items: { type: "string" } }
}

interface Entry {
  readonly provider: string
  readonly id: string
  readonly parameters?: { readonly [name: string]: unknown }
}

const jobBodyOf = (args: Arguments): JobBody => {
  const collection = textOf(args, "collection")
  const benchmarks = args["benchmarks"] as ReadonlyArray<Entry> | undefined
  const tags = textsOf(args, "tags")
  const model = textOf(args, "model_name") ?? ""
  return {
    name: textOf(args, "name") ?? model,
    model: { url: textOf(args, "model_url") ?? "", name: model },
    ...(tags.length === 0 ? {} : { tags: [...tags] }),
    ...(collection === undefined ? {} : { collection: { id: collection } }),
    ...(benchmarks === undefined
      ? {}
      : {
          benchmarks: benchmarks.map(({ provider, id, parameters }) => ({
            provider_id: provider,
            id,
            ...defined({ parameters })
          }))
        })
    // what a job is made of is the server's to check
  } as JobBody
}

export const planJob: Tool = {
  name: "plan_job",
  title: "Plan a job",
  description:
    "What a job would run, with every parameter and threshold, and what it may use: requests, tokens and cost of each benchmark, and what that is told from. Stores nothing and asks no model.",
  takes: jobArguments,
  needs: ["model_url", "model_name"],
  ask: async ({ client, signal }, args) => {
    const plan = await record(client.submitJob({ signal, urlParams: { dry_run: true }, payload: jobBodyOf(args) }))
    if (!("runtime" in plan)) throw new Error("the server answered no plan")
    const { threshold, benchmarks, warnings } = plan
    return {
      threshold,
      ...(warnings.length === 0 ? {} : { warnings }),
      benchmarks: benchmarks.map((one) => ({
        benchmark: one.benchmark_index,
        id: `${one.provider_id}/${one.id}`,
        weight: one.weight,
        ...defined({
          parameters: one.parameters,
          primary_score: one.primary_score,
          threshold: one.threshold,
          estimate: one.estimate
        })
      }))
    }
  }
}
