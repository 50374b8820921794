/** What a wrapper's plan is made of, without an endpoint and without folders. */
import { Either } from "effect"
import type { JobSpec } from "../../providers/contract/job-spec.ts"
import type { AdapterError } from "../../providers/sdk/adapter.ts"
import { apiBase } from "../../providers/sdk/framework/base-url.ts"
import { type FrameworkDefinition, rowOf } from "../../providers/sdk/framework/definition.ts"
import { readFrameworkParameters } from "../../providers/sdk/framework/parameters.ts"
import type { PlanRequest } from "../../providers/sdk/framework/wrapper.ts"

export interface Asked {
  readonly benchmark: string
  readonly parameters?: { readonly [name: string]: unknown }
  readonly job?: Partial<JobSpec>
  readonly url?: string
  readonly modelParameters?: { readonly [name: string]: unknown }
  readonly apiKey?: string
  readonly otherKeys?: { readonly [name: string]: string }
  readonly version?: string
}

/** left: what the reader of parameters refuses */
export const planRequest = (
  definition: FrameworkDefinition,
  asked: Asked
): Either.Either<PlanRequest, AdapterError> => {
  const url = asked.url ?? "http://127.0.0.1:9100/v1"
  const job: JobSpec = {
    ...{
      id: "j",
      provider_id: "p",
      benchmark_id: asked.benchmark,
      benchmark_index: 0,
      callback_url: "http://127.0.0.1:9000/cb/s"
    },
    model: { url, name: "tiny", ...(asked.modelParameters === undefined ? {} : { parameters: asked.modelParameters }) },
    parameters: asked.parameters ?? {},
    ...asked.job
  }
  return Either.map(readFrameworkParameters(definition.parameters, job), (parameters) => ({
    ...{ job, parameters, row: rowOf(definition, job), baseUrl: apiBase(url) },
    endpoint: {
      chat: true,
      completions: true,
      stream: true,
      usage: true,
      logprobs: true,
      echo: true,
      tools: true,
      demo: false
    },
    folders: { results: "/r", output: "/r/framework", work: "/w", cache: "/w/cache" },
    ...(asked.apiKey === undefined ? {} : { apiKey: asked.apiKey }),
    ...(asked.otherKeys === undefined ? {} : { otherKeys: asked.otherKeys }),
    ...(asked.version === undefined ? {} : { version: asked.version })
  }))
}
