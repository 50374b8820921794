/**
 * From job to command line. Pure. The command line was replaced in 0.8: groups of `kind=…` behind `run`; before it, single options behind
 * `benchmark run`. Reference: providers-and-collections.md, "GuideLLM".
 */

import { isAbsolute, join } from "node:path"
import { Either } from "effect"
import { defined } from "../../values/defined.ts"
import type { JsonObject } from "../../values/json.ts"
import type { AdapterError } from "../sdk/adapter.ts"
import { invalidParameter } from "../sdk/failures.ts"
import { option } from "../sdk/framework/process.ts"
import type { Plan, PlanRequest } from "../sdk/framework/wrapper.ts"
import { type Data, dataOf } from "./data.ts"
import { type Load, loadOf, measurements } from "./load.ts"

export const REPORT = "benchmarks"

const formats = ["json", "csv", "html", "yaml"]

/** `kind=a,x=1` where that says everything, else JSON, which the framework reads as well */
const group = (members: JsonObject): string => {
  const entries = Object.entries(members).filter(([, value]) => value !== undefined)
  const simple = entries.every(
    ([, value]) =>
      typeof value === "number" ||
      typeof value === "boolean" ||
      (typeof value === "string" && /^[^,\s"'{}[\]]+$/.test(value))
  )
  return simple
    ? entries.map(([name, value]) => `${name}=${String(value)}`).join(",")
    : JSON.stringify(Object.fromEntries(entries))
}

const outputsOf = ({ parameters }: PlanRequest): Either.Either<ReadonlyArray<string>, AdapterError> => {
  const given = parameters.value("outputs")
  const list = Array.isArray(given) ? given : []
  const bad = list.find((one) => !formats.includes(one))
  // the report is read from json
  return bad === undefined
    ? Either.right([...new Set(["json", ...list])])
    : Either.left(invalidParameter(`outputs may hold ${formats.join(", ")}, not ${JSON.stringify(bad)}`))
}

const routeOf = ({ parameters }: PlanRequest) =>
  parameters.text("request_type") === "text_completions" ? "completions" : "chat/completions"

/** the address without its version; the framework's own routes begin with /v1 */
const targetOf = (baseUrl: string) => ({
  target: baseUrl.replace(/\/v[0-9]+$/, ""),
  version: /\/(v[0-9]+)$/.exec(baseUrl)?.[1] ?? "v1"
})

/** a reference may be seen in the list of processes, a key may not */
const isReference = (key: string) => key.endsWith(":ref")

const backendOf = (request: PlanRequest): JsonObject => {
  const { job, parameters, baseUrl, apiKey } = request
  const { target, version } = targetOf(baseUrl)
  const route = routeOf(request)
  const { max_tokens: maxTokens, ...body } = parameters.generation
  return {
    kind: "openai_http",
    ...{ target, model: job.model.name, request_format: `/v1/${route}` },
    ...(version === "v1" ? {} : { api_routes: { [`/v1/${route}`]: `/${version}/${route}` } }),
    ...(apiKey !== undefined && isReference(apiKey) ? { api_key: apiKey } : {}),
    // the SDK has asked the endpoint already, and not every one has a health route
    validate_backend: false,
    verify: true,
    ...defined({ max_tokens: maxTokens }),
    ...(Object.keys(body).length === 0 ? {} : { extras: { body } }),
    ...parameters.object("backend_kwargs")
  }
}

/** what the framework's own sweep takes for its measurement at full load; the profile throughput has no default */
const fullLoad = 512

const profileOf = ({ profile, rates, warmup, cooldown }: Load): JsonObject => {
  const [first, ...others] = rates
  const rate = others.length === 0 ? first : rates
  const load =
    profile === "sweep"
      ? { sweep_size: first }
      : profile === "concurrent"
        ? { streams: rate }
        : profile === "throughput"
          ? { max_concurrency: fullLoad }
          : first === undefined
            ? {}
            : { rate }
  return {
    kind: profile,
    ...load,
    ...defined({ warmup, cooldown })
  }
}

const constraintsOf = ({ parameters }: PlanRequest, load: Load): ReadonlyArray<JsonObject> => {
  const [requests, errors] = [parameters.number("max_requests"), parameters.number("max_errors")]
  return [
    ...(load.maxSeconds === undefined ? [] : [{ kind: "max_duration", seconds: load.maxSeconds }]),
    ...(requests === undefined ? [] : [{ kind: "max_requests", count: requests }]),
    ...(errors === undefined ? [] : [{ kind: "max_errors", count: errors }]),
    ...(parameters.flag("detect_saturation") ? [{ kind: "over_saturation" }] : [])
  ]
}

const groupedArgs = (
  request: PlanRequest,
  load: Load,
  data: Data,
  outputs: ReadonlyArray<string>
): ReadonlyArray<string> => {
  const { parameters, folders } = request
  const [mapper, samples] = [parameters.object("data_column_mapper"), parameters.number("data_samples")]
  return [
    "run",
    ...["--backend", group(backendOf(request))],
    ...["--profile", group(profileOf(load))],
    ...constraintsOf(request, load).flatMap((one) => ["--constraint", group(one)]),
    ...["--tokenizer", group({ kind: "hf_auto", model: parameters.text("processor") })],
    ...["--data", group(data.group)],
    ...(mapper === undefined
      ? []
      : ["--data-column-mapper", group({ kind: "generative_column_mapper", column_mappings: mapper })]),
    ...(samples === undefined ? [] : ["--data-loader", group({ kind: "pytorch", samples })]),
    ...["--seed", group({ kind: "static", value: parameters.seed })],
    ...outputs.flatMap((kind) => ["--output", group({ kind, path: join(folders.output, `${REPORT}.${kind}`) })]),
    "--disable-console"
  ]
}

const olderArgs = (
  request: PlanRequest,
  load: Load,
  data: Data,
  outputs: ReadonlyArray<string>
): ReadonlyArray<string> => {
  const { job, parameters, folders, apiKey } = request
  const json = (value: JsonObject | undefined) => (value === undefined ? undefined : JSON.stringify(value))
  const backend = {
    ...defined({ api_key: apiKey }),
    validate_backend: false,
    ...parameters.object("backend_kwargs")
  }
  return [
    ...["benchmark", "run", "--target", targetOf(request.baseUrl).target, "--model", job.model.name],
    ...["--profile", load.profile, ...load.rates.flatMap((rate) => ["--rate", String(rate)])],
    ...option("--max-seconds", load.maxSeconds),
    ...option("--max-requests", parameters.number("max_requests")),
    ...option("--max-errors", parameters.number("max_errors")),
    ...option("--warmup", load.warmup),
    ...option("--cooldown", load.cooldown),
    ...(parameters.flag("detect_saturation") ? ["--detect-saturation"] : []),
    ...["--data", data.plain],
    ...option("--data-args", json(parameters.object("data_args"))),
    ...option("--data-column-mapper", json(parameters.object("data_column_mapper"))),
    ...option("--data-samples", parameters.number("data_samples")),
    ...["--request-type", parameters.text("request_type") ?? "chat_completions"],
    ...option("--processor", parameters.text("processor")),
    ...["--backend-kwargs", JSON.stringify(backend)],
    ...["--random-seed", String(parameters.seed), "--output-dir", folders.output, "--outputs", outputs.join(",")],
    "--disable-console"
  ]
}

/** versions before 0.8; an unknown one is taken for a new one */
const isOlder = (version: string | undefined) => /^0\.[0-7](\.|$)/.test(version ?? "")

/** start of the workers for each measurement, answers under way at its end, and everything else once */
const startSeconds = 120
const otherSeconds = 600

/** left: `invalid_parameter`. `workers`: processes that send requests */
export const plan = (request: PlanRequest, workers: number): Either.Either<Plan, AdapterError> =>
  Either.gen(function* () {
    const { parameters, folders, apiKey, version } = request
    const load = yield* loadOf(request)
    const data = yield* dataOf(request)
    const outputs = yield* outputsOf(request)
    const older = isOlder(version)
    if (older && apiKey !== undefined && !isReference(apiKey))
      return yield* Either.left(
        invalidParameter(
          `guidellm ${version} takes a key only where everybody sees it, in its arguments: install guidellm 0.8`
        )
      )
    const scenario = join(folders.work, "scenario.json")
    const hidden = apiKey !== undefined && !isReference(apiKey)
    const args = (older ? olderArgs : groupedArgs)(request, load, data, outputs)
    const local = isAbsolute(parameters.text("processor") ?? "") && !data.remote
    return {
      args: hidden ? [...args, "--config", scenario] : args,
      env: {
        GUIDELLM__MAX_WORKER_PROCESSES: String(workers),
        ...(local ? { HF_HUB_OFFLINE: "1" } : {})
      },
      files: hidden ? { [scenario]: `${JSON.stringify({ spec: { backend: { api_key: apiKey } } })}\n` } : {},
      // a measurement that hangs has no end of its own
      ...(load.maxSeconds === undefined
        ? {}
        : { timeLimit: measurements(load) * (load.maxSeconds + startSeconds) + otherSeconds })
    }
  })
