/** From job to command line. Pure. Reference: providers-and-collections.md, "inspect". */

import { join } from "node:path"
import { Either } from "effect"
import { defined } from "../../values/defined.ts"
import type { JsonObject } from "../../values/json.ts"
import type { AdapterError } from "../sdk/adapter.ts"
import { invalidParameter, notSupported } from "../sdk/failures.ts"
import { option } from "../sdk/framework/process.ts"
import type { Plan, PlanRequest } from "../sdk/framework/wrapper.ts"
import { noKey, planRoles, roleNames } from "./roles.ts"

/** without a limit the framework asks an endpoint that is down for ever */
const maxRetries = 3

const taskOf = ({ row, parameters }: PlanRequest): Either.Either<string, AdapterError> => {
  const own = parameters.text("task")
  if (row.task !== undefined && row.task !== "custom") return Either.right(row.task)
  if (row.task === "custom" && own === undefined)
    return Either.left(
      invalidParameter(
        `benchmark ${row.id} needs the parameter task: the file of a task (task.py@name) or its registered name`
      )
    )
  return Either.right(own ?? row.id)
}

/** a number, or a range such as 10-20; `num_examples` of the job is the same thing */
const limitOf = ({ job, parameters }: PlanRequest): Either.Either<string | undefined, AdapterError> => {
  const given = parameters.value("limit")
  if (given === undefined) return Either.right(job.num_examples === undefined ? undefined : String(job.num_examples))
  const text = String(given)
  const readable = (typeof given === "number" || typeof given === "string") && /^[1-9]\d*(-[1-9]\d*)?$/.test(text)
  if (!readable)
    return Either.left(
      invalidParameter(`limit (${JSON.stringify(given)}) must be a number of samples or a range such as 10-20`)
    )
  if (job.num_examples !== undefined && String(job.num_examples) !== text)
    return Either.left(
      invalidParameter(
        `limit (${text}) and num_examples (${job.num_examples}) are two spellings of one parameter with different values; give one of them`
      )
    )
  return Either.right(text)
}

/** the framework splits texts at commas and reads what remains as YAML: what would not survive that goes into a file */
const survives = (value: unknown) =>
  typeof value !== "string" || /^(?!(true|false|yes|no|on|off|null|~)$)[A-Za-z_/][^,:#'"{}[\]\s]*$/i.test(value)

const argumentsOf = ({ parameters, folders }: PlanRequest): Pick<Plan, "args" | "files"> => {
  const all: JsonObject = { ...parameters.unknown, ...parameters.object("task_args") }
  const plain = Object.entries(all).filter(([, value]) => survives(value))
  const rest = Object.entries(all).filter(([, value]) => !survives(value))
  const file = join(folders.work, "task-args.json")
  return {
    args: [
      ...plain.flatMap(([name, value]) => [
        "-T",
        `${name}=${typeof value === "string" ? value : JSON.stringify(value)}`
      ]),
      ...(rest.length === 0 ? [] : ["--task-config", file])
    ],
    files: rest.length === 0 ? {} : { [file]: `${JSON.stringify(Object.fromEntries(rest), null, 2)}\n` }
  }
}

const generationOptions: { readonly [name: string]: string } = {
  top_p: "--top-p",
  top_k: "--top-k",
  frequency_penalty: "--frequency-penalty",
  presence_penalty: "--presence-penalty"
}

/** audits are led by a second model, and nobody may choose it silently */
const auditorProblem = ({ row, parameters }: PlanRequest): string | undefined =>
  row.task?.startsWith("petri-") === true && !roleNames(parameters).includes("auditor")
    ? `benchmark ${row.id} needs a model that leads the audit and there is no default; name it with auditor_model or model_roles.auditor`
    : undefined

/** left: `invalid_parameter`, or `benchmark_not_supported` for an audit without an auditor */
export const plan = (request: PlanRequest): Either.Either<Plan, AdapterError> =>
  Either.gen(function* () {
    const { job, parameters, folders } = request
    const problem = auditorProblem(request)
    if (problem !== undefined) return yield* Either.left(notSupported(problem))
    const task = yield* taskOf(request)
    const limit = yield* limitOf(request)
    const roles = yield* planRoles(request)
    const own = argumentsOf(request)
    const passed = Object.entries(generationOptions).flatMap(([name, flag]) =>
      option(flag, parameters.generation[name] ?? undefined)
    )
    const left = Object.keys(parameters.generation).filter((name) => !Object.hasOwn(generationOptions, name))
    return {
      args: [
        ...["eval", task, "--model", `openai-api/evald/${job.model.name}`],
        ...["--log-dir", folders.output, "--log-format", "json", "--display", "plain"],
        ...option("--limit", limit),
        ...option("--epochs", parameters.number("epochs")),
        ...option("--max-connections", parameters.number("max_connections")),
        ...["--max-retries", String(maxRetries)],
        ...option("--timeout", parameters.number("timeout_seconds")),
        ...option("--temperature", parameters.number("temperature")),
        ...option("--max-tokens", parameters.number("max_tokens")),
        ...passed,
        ...["--seed", String(parameters.seed)],
        ...own.args,
        ...roles.args
      ],
      env: {
        ...roles.env,
        EVALD_BASE_URL: request.baseUrl,
        EVALD_API_KEY: request.apiKey ?? noKey,
        // sockets and traces of the run
        XDG_DATA_HOME: folders.cache
      },
      files: own.files,
      // so that tasks that came as test data are named by relative paths
      ...defined({ cwd: job.test_data_dir }),
      ...(left.length === 0
        ? {}
        : {
            notes: [`model.parameters ${left.join(", ")} have no counterpart in the framework and were not passed on`]
          })
    }
  })
