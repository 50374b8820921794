/**
 * Parameters of the embedded benchmarks: checked once per job, aliases resolved, defaults applied. A wrong type, a value out of range and two
 * spellings with different values fail the benchmark with `invalid_parameter`, all problems in one message. Reference:
 * providers-and-collections.md, "Embedded benchmarks".
 */
import { Either } from "effect"
import { isObject } from "../../values/json.ts"
import type { JobSpec } from "../contract/job-spec.ts"
import type { AdapterError } from "../sdk/adapter.ts"
import { invalidParameter } from "../sdk/failures.ts"
import { type Declaration, PARAMETERS } from "./parameter-table.ts"

type Values = { readonly [name: string]: unknown }

export interface JudgeEndpoint {
  readonly url: string
  readonly name: string
  /** key of the model secret that opens the judge's endpoint */
  readonly key?: string
}

export interface Parameters {
  readonly seed: number
  readonly numExamples: number | undefined
  readonly fewShot: number
  readonly concurrency: number
  readonly endpoint: "auto" | "chat" | "completions"
  readonly method: "generate" | "logprobs" | "echo"
  readonly maxTokens: number | undefined
  readonly temperature: number
  readonly timeoutSeconds: number
  readonly maxRetries: number
  readonly maxErrorRate: number
  readonly difficulty: "easy" | "medium" | "hard" | "mixed"
  readonly systemPrompt: string | undefined
  readonly languages: ReadonlyArray<string> | undefined
  readonly authKey: string
  readonly judge: JudgeEndpoint | undefined
  /** what was given, under canonical names and without defaults, for the benchmark's own reading */
  readonly values: Values
  /** members of `model.parameters` that are no parameter of ours: sent along in every request body */
  readonly extraBody: Values
  /** given names that nothing reads */
  readonly unknown: ReadonlyArray<string>
}

/** settings of `model.parameters` that we read; its other members go to the endpoint as they are */
const MODEL_SETTINGS = new Set([
  "temperature",
  "max_tokens",
  "system_prompt",
  "timeout_seconds",
  "max_retries",
  "num_concurrent",
  "endpoint"
])

const DEFAULTS: Values = Object.fromEntries(
  PARAMETERS.filter((one) => one.default !== undefined).map((one) => [one.name, one.default])
)

const shown = (value: unknown) => (JSON.stringify(value) ?? String(value)).slice(0, 80)

const sameValue = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b)

const typeProblem = (declared: Declaration, value: unknown): string | undefined => {
  switch (declared.type) {
    case "integer":
      return Number.isInteger(value) ? undefined : "must be an integer"
    case "number":
      return typeof value === "number" && Number.isFinite(value) ? undefined : "must be a number"
    case "string":
      return typeof value === "string" ? undefined : "must be a string"
    case "boolean":
      return typeof value === "boolean" ? undefined : "must be true or false"
    case "object":
      return isObject(value) ? undefined : "must be an object"
    case "integer[]":
      return Array.isArray(value) &&
        value.length > 0 &&
        value.every((one) => Number.isInteger(one) && one >= (declared.min ?? Number.NEGATIVE_INFINITY))
        ? undefined
        : `must be a list of integers${declared.min === undefined ? "" : `, each at least ${declared.min}`}`
    case "string[]":
      return Array.isArray(value) && value.length > 0 && value.every((one) => typeof one === "string")
        ? undefined
        : "must be a list of strings"
  }
}

const rangeProblem = (declared: Declaration, value: unknown): string | undefined => {
  if (declared.allowed !== undefined && !declared.allowed.includes(String(value)))
    return `must be one of ${declared.allowed.join(", ")}`
  if (typeof value !== "number") return undefined
  if (declared.above !== undefined && value <= declared.above) return `must be greater than ${declared.above}`
  if (declared.min !== undefined && value < declared.min) return `must be at least ${declared.min}`
  if (declared.max !== undefined && value > declared.max) return `must be at most ${declared.max}`
  return undefined
}

/** the value given under the canonical name or an alias; `model.parameters` come last, null means absent */
const given = (declared: Declaration, own: Values, model: Values, problems: Array<string>): unknown => {
  const spellings = [declared.name, ...(declared.aliases ?? [])].filter(
    (name) => own[name] !== undefined && own[name] !== null
  )
  const [first, second] = spellings
  if (first !== undefined && second !== undefined && !sameValue(own[first], own[second])) {
    problems.push(
      `${first} (${shown(own[first])}) and ${second} (${shown(own[second])}) are two spellings of one parameter with different values; give one of them`
    )
  }
  if (first !== undefined) return own[first]
  return MODEL_SETTINGS.has(declared.name) ? (model[declared.name] ?? undefined) : undefined
}

const judgeOf = (value: unknown, problems: Array<string>): JudgeEndpoint | undefined => {
  if (typeof value !== "object" || value === null) return undefined
  const { url, name, key, ...rest } = value as Values
  if (typeof url !== "string" || !/^https?:\/\/\S+$/.test(url))
    problems.push(`judge.url (${shown(url)}) must be an http or https address`)
  if (typeof name !== "string" || name.trim() === "")
    problems.push(`judge.name (${shown(name)}) must be the name of the judge model`)
  if (key !== undefined && typeof key !== "string")
    problems.push(`judge.key (${shown(key)}) must be the name of a key in the model secret, never the key itself`)
  if (Object.keys(rest).length > 0)
    problems.push(`judge has unknown members ${Object.keys(rest).join(", ")}; known are url, name, key`)
  return { url: String(url), name: String(name), ...(typeof key === "string" ? { key } : {}) }
}

/** all of the job's parameters, or one `invalid_parameter` that names every problem */
export const readParameters = (job: JobSpec): Either.Either<Parameters, AdapterError> => {
  const problems: Array<string> = []
  const model = job.model.parameters ?? {}
  const values: Record<string, unknown> = {}
  for (const declared of PARAMETERS) {
    const value = given(declared, job.parameters, model, problems)
    if (value === undefined) continue
    const problem = typeProblem(declared, value) ?? rangeProblem(declared, value)
    if (problem !== undefined) problems.push(`${declared.name} (${shown(value)}) ${problem}`)
    values[declared.name] = value
  }
  const effective = { ...DEFAULTS, ...values }
  const judge = judgeOf(values["judge"], problems)
  if (job.num_examples !== undefined && !(Number.isInteger(job.num_examples) && job.num_examples >= 1)) {
    problems.push(`num_examples (${shown(job.num_examples)}) must be an integer of at least 1`)
  }
  if (problems.length > 0) return Either.left(invalidParameter(problems.join("; ")))
  const known = new Set(PARAMETERS.flatMap(({ name, aliases }) => [name, ...(aliases ?? [])]))
  const explicitSeed = job.parameters["seed"] ?? job.parameters["random_seed"]
  return Either.right({
    seed: explicitSeed === undefined || explicitSeed === null ? (job.seed ?? 42) : (effective["seed"] as number),
    numExamples: job.num_examples,
    fewShot: effective["num_few_shot"] as number,
    concurrency: effective["num_concurrent"] as number,
    endpoint: effective["endpoint"] as Parameters["endpoint"],
    method: effective["method"] as Parameters["method"],
    maxTokens: effective["max_tokens"] as number | undefined,
    temperature: effective["temperature"] as number,
    timeoutSeconds: effective["timeout_seconds"] as number,
    maxRetries: effective["max_retries"] as number,
    maxErrorRate: effective["max_error_rate"] as number,
    difficulty: effective["difficulty"] as Parameters["difficulty"],
    systemPrompt: effective["system_prompt"] as string | undefined,
    languages: effective["languages"] as ReadonlyArray<string> | undefined,
    authKey: effective["auth_key"] as string,
    judge,
    values,
    extraBody: Object.fromEntries(Object.entries(model).filter(([name]) => !MODEL_SETTINGS.has(name))),
    unknown: Object.keys(job.parameters).filter((name) => !known.has(name) && name !== "num_examples")
  })
}

/** the names a warning about an unknown parameter lists */
export const knownParameters: ReadonlyArray<string> = PARAMETERS.map(({ name }) => name)
