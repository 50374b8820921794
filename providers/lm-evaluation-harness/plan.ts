/** From job to command line. Pure. Reference: providers-and-collections.md, "lm-evaluation-harness". */

import { isAbsolute, join } from "node:path"
import { Either } from "effect"
import { defined } from "../../values/defined.ts"
import type { JsonObject } from "../../values/json.ts"
import type { AdapterError } from "../sdk/adapter.ts"
import { invalidParameter } from "../sdk/failures.ts"
import { option } from "../sdk/framework/process.ts"
import type { Plan, PlanRequest } from "../sdk/framework/wrapper.ts"

type Route = "chat" | "completions"

const chooseRoute = ({ row, parameters, endpoint }: PlanRequest): Either.Either<Route, AdapterError> => {
  const asked = parameters.text("endpoint")
  if (row.endpoint === "completions_echo") {
    return asked === "chat"
      ? Either.left(
          invalidParameter(
            `benchmark ${row.id} needs log-probabilities of the prompt, which chat does not give: leave out endpoint: chat`
          )
        )
      : Either.right("completions")
  }
  if (asked === "chat" || asked === "completions") {
    return endpoint[asked]
      ? Either.right(asked)
      : Either.left(invalidParameter(`endpoint: ${asked} was asked for, but the model does not answer on that route`))
  }
  return Either.right(endpoint.chat ? "chat" : "completions")
}

/** who counts tokens: generation on the completions route needs nobody, and the usual default wants a package that is not there */
const tokenizerArgs = ({ row, parameters }: PlanRequest, route: Route): JsonObject => {
  const tokenizer = parameters.text("tokenizer")
  const backend = parameters.text("tokenizer_backend")
  const needsNone = route === "completions" && row.endpoint !== "completions_echo" && tokenizer === undefined
  return {
    ...defined({ tokenizer }),
    ...(backend !== undefined && backend !== "auto"
      ? { tokenizer_backend: backend }
      : needsNone
        ? { tokenizer_backend: "none" }
        : {})
  }
}

const modelArgs = (request: PlanRequest, route: Route): JsonObject => {
  const { job, parameters, baseUrl } = request
  const maxLength = parameters.number("max_length")
  return {
    model: job.model.name,
    base_url: `${baseUrl}/${route === "chat" ? "chat/completions" : "completions"}`,
    num_concurrent: parameters.number("num_concurrent"),
    // the framework counts tries, not retries
    max_retries: (parameters.number("max_retries") ?? 0) + 1,
    timeout: parameters.number("timeout_seconds"),
    tokenized_requests: false,
    // --seed does not reach the requests
    seed: parameters.seed,
    ...tokenizerArgs(request, route),
    ...defined({ max_length: maxLength })
  }
}

/** `model.parameters` lie under the benchmark's own generation settings; the framework has its own word for max_tokens */
const generationArgs = ({ parameters }: PlanRequest): JsonObject => {
  const { max_tokens, ...rest } = { ...parameters.generation, ...parameters.object("parameters") }
  return {
    ...rest,
    ...(max_tokens === undefined || Object.hasOwn(rest, "max_gen_toks") ? {} : { max_gen_toks: max_tokens })
  }
}

/** chat needs the template switch always, completions only when asked for */
const templateArgs = (
  { parameters }: PlanRequest,
  route: Route
): Either.Either<ReadonlyArray<string>, AdapterError> => {
  const asked = parameters.value("apply_chat_template") ?? false
  if (typeof asked !== "boolean" && typeof asked !== "string")
    return Either.left(invalidParameter("apply_chat_template must be true, false or the name of a template"))
  const multiturn = parameters.flag("fewshot_as_multiturn")
  if (route === "completions" && asked === false)
    return multiturn
      ? Either.left(
          invalidParameter(
            "fewshot_as_multiturn needs a chat template: set apply_chat_template, or use the chat endpoint"
          )
        )
      : Either.right([])
  const name = typeof asked === "string" && asked !== "" ? [asked] : []
  return Either.right(["--apply_chat_template", ...name, "--fewshot_as_multiturn", String(multiturn)])
}

/** folder of the user's own task files; absolute when it is one */
const ownTasks = ({ job, parameters }: PlanRequest): Either.Either<string | undefined, AdapterError> => {
  const given = parameters.text("include_path")
  if (given === undefined || isAbsolute(given)) return Either.right(given)
  if (job.test_data_dir !== undefined && !given.split("/").includes(".."))
    return Either.right(join(job.test_data_dir, given))
  return Either.left(
    invalidParameter(
      `include_path (${given}) must be an absolute path, or a path below the test data of a benchmark with test_data_ref`
    )
  )
}

const jsonOption = (name: string, value: JsonObject | undefined) =>
  value === undefined || Object.keys(value).length === 0 ? [] : [name, JSON.stringify(value)]

/** left: `invalid_parameter` */
export const plan = (request: PlanRequest): Either.Either<Plan, AdapterError> =>
  Either.gen(function* () {
    const { job, row, parameters, folders } = request
    const route = yield* chooseRoute(request)
    const template = yield* templateArgs(request, route)
    const include = yield* ownTasks(request)
    const runsCode = parameters.flag("allow_code_execution")
    const isFallback = route === "completions" && request.endpoint.completions && !request.endpoint.chat
    const isChosen = parameters.text("endpoint") === "completions" || row.endpoint === "completions_echo"
    return {
      args: [
        ...["--model", `local-${route === "chat" ? "chat-" : ""}completions`],
        ...["--model_args", JSON.stringify(modelArgs(request, route))],
        ...["--tasks", row.task ?? row.id],
        ...["--output_path", folders.output, "--log_samples"],
        ...["--seed", String(parameters.seed)],
        ...option("--limit", job.num_examples),
        ...option("--num_fewshot", parameters.number("num_few_shot")),
        ...(route === "completions" ? option("--batch_size", parameters.number("batch_size")) : []),
        ...jsonOption("--gen_kwargs", generationArgs(request)),
        ...template,
        ...option("--system_instruction", parameters.text("system_instruction")),
        ...jsonOption("--metadata", parameters.object("metadata")),
        ...option("--include_path", include),
        ...(row.flags?.includes("trust_remote_code") === true ? ["--trust_remote_code"] : []),
        ...(runsCode ? ["--confirm_run_unsafe_code"] : [])
      ],
      env: {
        // empty rather than absent: a gateway may put its own key in
        OPENAI_API_KEY: request.apiKey ?? "",
        ...(runsCode ? { HF_ALLOW_CODE_EVAL: "1" } : {})
      },
      files: {},
      // so that own task files may name their data by relative paths
      ...defined({ cwd: include }),
      ...(isFallback && !isChosen
        ? { notes: ["the model answers no chat requests: it was asked on the completions route"] }
        : {})
    }
  })
