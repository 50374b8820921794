/**
 * A job's parameters as a wrapper reads them: aliases resolved, types and ranges checked, defaults applied. All problems come as one
 * `invalid_parameter`. Reference: providers-and-collections.md, "Framework wrappers"; adapter-contract.md, "Job file" (`model.parameters` lie under `parameters`).
 */
import { Either } from "effect"
import { isObject, type JsonObject } from "../../../values/json.ts"
import type { JobSpec } from "../../contract/job-spec.ts"
import type { AdapterError } from "../adapter.ts"
import { invalidParameter } from "../failures.ts"
import type { FrameworkParameter } from "./definition.ts"

export interface FrameworkParameters {
  /** given value, else default; undefined when there is neither */
  readonly value: (name: string) => unknown
  readonly text: (name: string) => string | undefined
  /** integers and other numbers */
  readonly number: (name: string) => number | undefined
  readonly flag: (name: string) => boolean
  readonly object: (name: string) => JsonObject | undefined
  /** true when the job says something, the default does not count */
  readonly given: (name: string) => boolean
  /** `parameters.random_seed` or `seed` in any spelling, else the job's own, else 42 */
  readonly seed: number
  /** given names that the wrapper does not read, with their values */
  readonly unknown: JsonObject
  /** `model.parameters` that are no parameter of the wrapper: settings for the generation, weaker than the benchmark's own */
  readonly generation: JsonObject
}

/** read by the SDK for every wrapper */
const always: ReadonlyArray<FrameworkParameter> = [{ name: "auth_key", type: "string" }]

const shown = (value: unknown) => (JSON.stringify(value) ?? String(value)).slice(0, 80)

const typeProblem = ({ type }: FrameworkParameter, value: unknown): string | undefined => {
  switch (type) {
    case "any":
      return undefined
    case "integer":
      return Number.isInteger(value) ? undefined : "must be an integer"
    case "number":
      return typeof value === "number" && Number.isFinite(value) ? undefined : "must be a number"
    case "array":
      return Array.isArray(value) ? undefined : "must be a list"
    case "object":
      return isObject(value) ? undefined : "must be an object"
    case "boolean":
      return typeof value === "boolean" ? undefined : "must be true or false"
    case "string":
      return typeof value === "string" ? undefined : "must be a string"
  }
}

const rangeProblem = (declared: FrameworkParameter, value: unknown): string | undefined => {
  if (declared.enum !== undefined && !declared.enum.includes(value)) return `must be one of ${declared.enum.join(", ")}`
  if (typeof value !== "number") return undefined
  if (declared.minimum !== undefined && value < declared.minimum) return `must be at least ${declared.minimum}`
  if (declared.maximum !== undefined && value > declared.maximum) return `must be at most ${declared.maximum}`
  return undefined
}

const spellings = ({ name, aliases = [] }: FrameworkParameter) => [name, ...aliases]

/** null means absent */
const has = (values: JsonObject, name: string) =>
  Object.hasOwn(values, name) && values[name] !== undefined && values[name] !== null

const pick = (declared: FrameworkParameter, values: JsonObject, problems: Array<string>): unknown => {
  const [first, ...others] = spellings(declared).filter((name) => has(values, name))
  if (first === undefined) return undefined
  const other = others.find((name) => JSON.stringify(values[name]) !== JSON.stringify(values[first]))
  if (other !== undefined) {
    problems.push(
      `${first} (${shown(values[first])}) and ${other} (${shown(values[other])}) are two spellings of one parameter with different values; give one of them`
    )
  }
  return values[first]
}

/** the names a warning about an unknown parameter lists */
export const knownNames = (declared: ReadonlyArray<FrameworkParameter>): ReadonlyArray<string> =>
  [...declared, ...always].map(({ name }) => name)

/** left: `invalid_parameter` that names every problem */
export const readFrameworkParameters = (
  parameters: ReadonlyArray<FrameworkParameter>,
  job: JobSpec
): Either.Either<FrameworkParameters, AdapterError> => {
  const declared = [...parameters, ...always]
  const model = job.model.parameters ?? {}
  const problems: Array<string> = []
  const given = new Map<string, unknown>()
  for (const one of declared) {
    const value = pick(one, job.parameters, problems) ?? pick(one, model, problems)
    if (value === undefined) continue
    const problem = typeProblem(one, value) ?? rangeProblem(one, value)
    if (problem !== undefined) problems.push(`${one.name} (${shown(value)}) ${problem}`)
    given.set(one.name, value)
  }
  if (problems.length > 0) return Either.left(invalidParameter(problems.join("; ")))
  const known = new Set(declared.flatMap(spellings))
  const rest = (values: JsonObject) =>
    Object.fromEntries(Object.entries(values).filter(([name, value]) => !known.has(name) && value !== null))
  const defaults = new Map(declared.map((one) => [one.name, one.default]))
  const value = (name: string) => given.get(name) ?? defaults.get(name)
  const seed = given.get("random_seed") ?? given.get("seed") ?? job.seed
  const numberOf = (found: unknown) => (typeof found === "number" ? found : undefined)
  return Either.right({
    value,
    text: (name) => {
      const found = value(name)
      return typeof found === "string" ? found : undefined
    },
    number: (name) => numberOf(value(name)),
    flag: (name) => value(name) === true,
    object: (name) => {
      const found = value(name)
      return isObject(found) ? found : undefined
    },
    given: (name) => given.has(name),
    seed: numberOf(seed) ?? 42,
    unknown: rest(job.parameters),
    generation: rest(model)
  })
}
