/** From job to command line. Pure. Reference: providers-and-collections.md, "garak". */
import { join } from "node:path"
import { Either } from "effect"
import { isObject, type JsonObject, member } from "../../values/json.ts"
import type { AdapterError } from "../sdk/adapter.ts"
import { invalidParameter, notSupported } from "../sdk/failures.ts"
import type { Plan, PlanRequest } from "../sdk/framework/wrapper.ts"

/** what a server gets that wants no key; the framework refuses to start without any */
const noKey = "EMPTY"

/** the report is `<prefix>.report.jsonl` */
export const REPORT = "evald"

/** generators that take the answers of an OpenAI-compatible server at a given address */
const compatible = "openai.OpenAICompatible"
const rest = "rest.RestGenerator"

const names = /^[A-Za-z0-9_.,]+$/

/** left of the row's `probes=…` or `probe_tags=…`, unless the job says something */
const selection = ({ row, parameters }: PlanRequest): Either.Either<ReadonlyArray<string>, AdapterError> => {
  const probes = parameters.value("probes")
  const tag = parameters.text("probe_tags")
  if (probes !== undefined && tag !== undefined)
    return Either.left(invalidParameter("probes and probe_tags exclude each other: give one of them"))
  if (probes !== undefined) {
    const list = Array.isArray(probes) ? probes.filter((one) => typeof one === "string").join(",") : probes
    const whole =
      typeof list === "string" &&
      names.test(list) &&
      (!Array.isArray(probes) || probes.every((one) => typeof one === "string"))
    return whole
      ? Either.right(["--probes", list])
      : Either.left(invalidParameter("probes must be a name or a list of names such as dan.Dan_11_0"))
  }
  if (tag !== undefined) return Either.right(["--probe_tags", tag])
  const [, kind, value] = /^(probes|probe_tags)=(.+)$/.exec(row.task ?? "") ?? []
  if (kind !== undefined && value !== undefined) return Either.right([`--${kind}`, value])
  return row.task === undefined
    ? Either.right(["--probes", row.id])
    : Either.left(
        notSupported(
          `benchmark ${row.id} needs models that judge and that write attacks, which this wrapper does not offer; name probes or choose another benchmark`
        )
      )
}

/** the objects of both, the second one's values first */
const merged = (low: JsonObject, high: JsonObject): JsonObject => ({
  ...low,
  ...Object.fromEntries(
    Object.entries(high).map(([name, value]) => {
      const below = member(low, name)
      return [name, isObject(below) && isObject(value) ? merged(below, value) : value]
    })
  )
})

/** settings for the generation; the framework's own stop strings stay unless they are named */
const generationOf = ({ parameters }: PlanRequest): JsonObject => parameters.generation

/** how each kind of generator is told where the model is; others bring their settings in garak_config */
const generatorOptions = (request: PlanRequest, type: string, name: string): JsonObject | undefined => {
  const generation = generationOf(request)
  if (type === compatible) return { openai: { OpenAICompatible: { uri: `${request.baseUrl}/`, ...generation } } }
  if (type !== rest) return undefined
  const body = { model: name, messages: [{ role: "user", content: "$INPUT" }], ...generation }
  return {
    rest: {
      RestGenerator: {
        name,
        uri: `${request.baseUrl}/chat/completions`,
        method: "post",
        headers: { "Content-Type": "application/json", Authorization: "Bearer $KEY" },
        req_template_json_object: body,
        response_json: true,
        response_json_field: "$.choices[0].message.content"
      }
    }
  }
}

/** left: `invalid_parameter` or `benchmark_not_supported` */
export const plan = (request: PlanRequest): Either.Either<Plan, AdapterError> =>
  Either.gen(function* () {
    const { job, parameters, folders } = request
    const selected = yield* selection(request)
    const config = parameters.object("garak_config") ?? {}
    const sections = ["system", "run", "plugins", "reporting"]
    const unknown = Object.keys(config).filter((name) => !sections.includes(name))
    if (unknown.length > 0)
      return yield* Either.left(
        invalidParameter(`garak_config has no section ${unknown.join(", ")}; known are ${sections.join(", ")}`)
      )
    const type = parameters.text("model_type") ?? compatible
    const name = parameters.text("model_name") ?? job.model.name
    const options = generatorOptions(request, type, name)
    const [runFile, generatorFile] = [join(folders.work, "run.yaml"), join(folders.work, "generator.json")]
    const run = merged(config, { reporting: { report_dir: folders.output } })
    const seconds = parameters.number("timeout") ?? 0
    const [key, limit] = [request.apiKey ?? noKey, job.num_examples]
    return {
      args: [
        ...["--config", runFile],
        ...["--target_type", type, "--target_name", name],
        ...(options === undefined ? [] : ["--generator_option_file", generatorFile]),
        ...selected,
        ...["--generations", String(parameters.number("generations"))],
        ...["--eval_threshold", String(parameters.number("eval_threshold"))],
        ...["--seed", String(parameters.seed)],
        ...["--parallel_attempts", String(parameters.number("parallel_attempts"))],
        // absolute: a relative prefix goes to a folder of the framework's own choice
        ...["--report_prefix", join(folders.output, REPORT)],
        "--skip_unknown"
      ],
      env: {
        OPENAICOMPATIBLE_API_KEY: key,
        ...(type === rest ? { REST_API_KEY: key } : {}),
        // log and settings of the job; the caches of models and data sets are shared
        XDG_DATA_HOME: folders.cache,
        XDG_CONFIG_HOME: folders.cache
      },
      files: {
        // JSON is YAML
        [runFile]: `${JSON.stringify(run, null, 2)}\n`,
        ...(options === undefined ? {} : { [generatorFile]: `${JSON.stringify(options, null, 2)}\n` })
      },
      ...(seconds > 0 ? { timeLimit: seconds } : {}),
      notes: [
        `selected by ${selected.join(" ").replace(/^--/, "")}`,
        ...(type === compatible && !Object.hasOwn(generationOf(request), "stop")
          ? ['answers end at the framework\'s own stop strings "#" and ";"']
          : []),
        ...(limit === undefined
          ? []
          : ["num_examples has no counterpart in the framework: every prompt of the selected probes was sent"])
      ]
    }
  })
