/**
 * Other models beside the evaluated one: who judges, who audits. Their keys never lie in arguments: each role has a name of its own, and
 * the framework reads `<NAME>_API_KEY` and `<NAME>_BASE_URL` from the environment. Reference: providers-and-collections.md, "inspect".
 */
import { Either } from "effect"
import { defined } from "../../values/defined.ts"
import { isObject, type JsonObject, textMember } from "../../values/json.ts"
import type { AdapterError } from "../sdk/adapter.ts"
import { invalidParameter } from "../sdk/failures.ts"
import { apiBase } from "../sdk/framework/base-url.ts"
import type { FrameworkParameters } from "../sdk/framework/parameters.ts"
import type { PlanRequest } from "../sdk/framework/wrapper.ts"

/** what a server gets that wants no key; the framework refuses to start without any */
export const noKey = "EMPTY"

interface Role {
  /** as the framework's tasks call it */
  readonly role: string
  /** prefix of its keys in the model's secret: `<prefix>_api-key`, `<prefix>_url` */
  readonly prefix: string
  readonly name: string
  readonly baseUrl?: string
  /** another key than `<prefix>_api-key` */
  readonly keyName?: string
  /** generation settings */
  readonly settings: JsonObject
}

const ofModel = (role: string, prefix: string, name: string | undefined): ReadonlyArray<Role> =>
  name === undefined ? [] : [{ role, prefix, name, settings: {} }]

const ofEntry = ([role, value]: readonly [string, unknown]): ReadonlyArray<Role> => {
  if (typeof value === "string") return ofModel(role, role, value)
  const name = textMember(value, "name")
  if (!isObject(value) || name === undefined) return []
  const { name: _, base_url: __, key_name: ___, ...settings } = value
  const [baseUrl, keyName] = [textMember(value, "base_url"), textMember(value, "key_name")]
  return [
    {
      role,
      prefix: role,
      name,
      settings,
      ...defined({ baseUrl, keyName })
    }
  ]
}

/** a grader is called grader by most tasks and judge by audits; what model_roles says wins */
const rolesOf = (parameters: FrameworkParameters): ReadonlyArray<Role> => {
  const named = Object.entries(parameters.object("model_roles") ?? {}).flatMap(ofEntry)
  const judge = parameters.text("judge_model")
  const short = [
    ...ofModel("grader", "judge", judge),
    ...ofModel("judge", "judge", judge),
    ...ofModel("auditor", "auditor", parameters.text("auditor_model"))
  ]
  return [...named, ...short.filter(({ role }) => !named.some((one) => one.role === role))]
}

const keyOf = ({ prefix, keyName }: Role) => keyName ?? `${prefix}_api-key`
const urlOf = ({ prefix }: Role) => `${prefix}_url`

/** names in the model's secret that roles want */
export const roleKeys = (parameters: FrameworkParameters): ReadonlyArray<string> => [
  ...new Set(rolesOf(parameters).flatMap((role) => [keyOf(role), urlOf(role)]))
]

/** names of the roles that have a model */
export const roleNames = (parameters: FrameworkParameters): ReadonlyArray<string> =>
  rolesOf(parameters).map(({ role }) => role)

const problemOf = (parameters: FrameworkParameters): string | undefined => {
  const given = parameters.object("model_roles") ?? {}
  const bad = Object.entries(given).find((entry) => !/^[A-Za-z0-9._-]+$/.test(entry[0]) || ofEntry(entry).length === 0)
  if (bad !== undefined)
    return `model_roles.${bad[0]} must be the name of a model, or an object with name and optionally base_url and key_name`
  const wrong = rolesOf(parameters).find(({ baseUrl }) => baseUrl !== undefined && !/^https?:\/\//.test(baseUrl))
  return wrong === undefined ? undefined : `model_roles.${wrong.role}.base_url must be an http or https address`
}

/** arguments and environment; without an address of its own a role is asked where the model is, with the model's key */
export const planRoles = (
  request: PlanRequest
): Either.Either<
  { readonly args: ReadonlyArray<string>; readonly env: { readonly [name: string]: string } },
  AdapterError
> => {
  const problem = problemOf(request.parameters)
  if (problem !== undefined) return Either.left(invalidParameter(problem))
  const keys = request.otherKeys ?? {}
  const planned = rolesOf(request.parameters).map((role) => {
    const service = `evald-${role.prefix.replace(/[^A-Za-z0-9]/g, "-")}`
    const own = role.baseUrl ?? keys[urlOf(role)]
    const key = keys[keyOf(role)] ?? (own === undefined ? request.apiKey : undefined) ?? noKey
    const variable = service.toUpperCase().replaceAll("-", "_")
    return {
      args: [
        "--model-role",
        `${role.role}=${JSON.stringify({ model: `openai-api/${service}/${role.name}`, ...role.settings })}`
      ],
      env: {
        [`${variable}_API_KEY`]: key,
        [`${variable}_BASE_URL`]: own === undefined ? request.baseUrl : apiBase(own)
      }
    }
  })
  return Either.right({
    args: planned.flatMap(({ args }) => args),
    env: Object.assign({}, ...planned.map(({ env }) => env))
  })
}
