/** A job as an agent may ask for it: a model, and benchmarks or a collection. Secrets, exports and definitions are no part of it. */
import { defined } from "../../values/defined.ts"
import type { Operation } from "../http/api.ts"
import { type Arguments, record, type Tool, type ToolText, textOf, textsOf } from "./tool.ts"
import { type AskedJob, notForAgents } from "./writing.ts"

/** what a job is made of is the server's to check */
export const payloadOf = (job: AskedJob) => job as Operation<"submitJob">["payload"]

export const jobArguments: ToolText["takes"] = {
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
  tags: { type: "array", description: "tags of the job", items: { type: "string" } },
  budget: {
    type: "object",
    description:
      "most that all benchmarks together may use; what would be beyond it is refused, and its benchmark fails",
    properties: {
      requests: { type: "integer", description: "requests to the model", minimum: 1 },
      tokens: { type: "integer", description: "tokens asked and generated", minimum: 1 },
      seconds: { type: "number", description: "from the first request to the last", minimum: 1 },
      cost: { type: "number", description: "by the price of the model", minimum: 0 }
    },
    additionalProperties: false
  }
}

interface Entry {
  readonly provider: string
  readonly id: string
  readonly parameters?: { readonly [name: string]: unknown }
}

export const jobBodyOf = (args: Arguments): AskedJob => {
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
        }),
    ...defined({ budget: args["budget"] as AskedJob["budget"] })
  }
}

export const planJob: Tool = {
  name: "plan_job",
  title: "Plan a job",
  description:
    "What a job would run, with every parameter and threshold, and what it may use: requests, tokens and cost of each benchmark, and what that is told from. Stores nothing and asks no model. Where jobs may be submitted it tells a plan_token for submit_job, or why there is none.",
  takes: jobArguments,
  needs: ["model_url", "model_name"],
  ask: async ({ client, signal, writing }, args) => {
    const body = jobBodyOf(args)
    const submits = writing?.tools.includes("submit_job") === true ? writing : undefined
    const no_plan_token = submits === undefined ? undefined : notForAgents(submits, body)
    const plan_token = submits !== undefined && no_plan_token === undefined
    const plan = await record(
      client.submitJob({
        signal,
        urlParams: { dry_run: true, ...(plan_token ? { plan_token } : {}) },
        payload: payloadOf(body)
      })
    )
    if (!("runtime" in plan)) throw new Error("the server answered no plan")
    const { threshold, benchmarks, warnings, plan_token: token } = plan
    return {
      ...defined({ plan_token: token?.value, plan_token_expires_at: token?.expires_at, no_plan_token }),
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
