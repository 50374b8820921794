/** From job to command line and model file. Pure. Reference: providers-and-collections.md, "lighteval". */
import { join } from "node:path"
import { Either } from "effect"
import { defined } from "../../values/defined.ts"
import type { JsonObject } from "../../values/json.ts"
import type { AdapterError } from "../sdk/adapter.ts"
import type { Plan, PlanRequest } from "../sdk/framework/wrapper.ts"
import { membersOf } from "./members.ts"

/** what a server gets that wants no key; the framework refuses to start without any */
const noKey = "EMPTY"

/** `model.parameters` lie under the benchmark's own; the framework has its own word for max_tokens */
const generationParameters = ({ parameters }: PlanRequest): JsonObject => {
  const { max_tokens, ...rest } = { ...parameters.generation, ...parameters.object("parameters") }
  return {
    seed: parameters.seed,
    ...(max_tokens === undefined || Object.hasOwn(rest, "max_new_tokens") ? {} : { max_new_tokens: max_tokens }),
    ...rest
  }
}

const modelParameters = (request: PlanRequest): JsonObject => {
  const { job, parameters, baseUrl, folders } = request
  const systemPrompt = parameters.text("system_prompt")
  return {
    model_name: `openai/${job.model.name}`,
    provider: "openai",
    base_url: baseUrl,
    api_key: request.apiKey ?? noKey,
    concurrent_requests: parameters.number("num_concurrent"),
    timeout: parameters.number("timeout_seconds"),
    // always: without it the framework asks a public service how long the model's context is
    max_model_length: parameters.number("max_length"),
    ...defined({ system_prompt: systemPrompt }),
    // answers are cached: a folder of the job, or another job would get them
    cache_dir: folders.cache,
    generation_parameters: generationParameters(request)
  }
}

/** left: `invalid_parameter` */
export const plan = (request: PlanRequest): Either.Either<Plan, AdapterError> =>
  Either.map(membersOf(request), (members) => {
    const { job, folders } = request
    // holds the key: not below the results
    const modelFile = join(folders.work, "model.yaml")
    return {
      args: [
        ...["endpoint", "litellm", modelFile, members.map(({ task, fewShot }) => `${task}|${fewShot}`).join(",")],
        ...["--output-dir", folders.output, "--save-details", "--no-push-to-hub"],
        ...(job.num_examples === undefined ? [] : ["--max-samples", String(job.num_examples)])
      ],
      env: {
        // log lines are counted, so none may be folded
        COLUMNS: "1000",
        // the list of public models' prices is not fetched
        LITELLM_LOCAL_MODEL_COST_MAP: "True"
      },
      // JSON is YAML
      files: { [modelFile]: `${JSON.stringify({ model_parameters: modelParameters(request) }, null, 2)}\n` }
    }
  })
